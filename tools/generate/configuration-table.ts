import type { z } from "zod";
import {
  configuration,
  endpointDescription,
  environmentOf,
  isEndpointKey,
  type Configuration,
} from "../../provider/core/config/definition";
import { metaOf, propertiesOf, shapeOf } from "../../provider/core/field";
import { codes, table, withMarked } from "./markdown";

/**
 * The keys by subject, in the order for readers. The keys of custom endpoints differ only in their API, so they share a row
 * in the last group.
 */
const GROUPS: readonly { title: string; keys: readonly (keyof Configuration)[] }[] = [
  { title: "Where resources are", keys: ["project", "zone"] },
  {
    title: "Grants",
    keys: ["grantMode", "allowLockout", "preflight", "policyWritesPerMinute", "waitForPropagation"],
  },
  {
    title: "Credentials",
    keys: [
      ...(["credentials", "accessToken", "impersonateServiceAccount", "impersonateServiceAccountDelegates"] as const),
      "scopes",
    ],
  },
  {
    title: "Requests",
    keys: [
      ...(["requestTimeout", "retry", "userProjectOverride", "billingProject", "requestReason"] as const),
      "appendUserAgent",
    ],
  },
  { title: "Endpoints", keys: ["emulatorHost", "universeDomain", "sendCredentialsToLoopback"] },
];

/** A document with the tables of all configuration keys between its two marks. */
export function withConfigurationTables(document: string): string {
  return withMarked(document, "configuration", tables());
}

/** @throws Error for a key without a group. */
function tables(): string {
  const keys = propertiesOf(configuration);
  const grouped = new Set<string>(GROUPS.flatMap((group) => group.keys));
  const isEndpoint = ([key]: [string, z.ZodType]) => isEndpointKey(key) && !grouped.has(key);
  const [stray] = keys.find((each) => !isEndpoint(each) && !grouped.has(each[0])) ?? [];
  if (stray !== undefined)
    throw new Error(`${stray} has no group: add it to a group in tools/generate/configuration-table.ts`);
  const rowOf = (key: keyof Configuration): string[] => {
    const schema = configuration.shape[key];
    return [`\`${key}\``, told(schema), codes(environmentOf(schema))];
  };
  const groups = GROUPS.map(({ title, keys: own }, index) => {
    const rows = own.map(rowOf);
    if (index === GROUPS.length - 1) rows.push(endpointRow(keys.filter(isEndpoint)));
    return `### ${title}\n\n${table(["Key", "Meaning", "Environment, the first that is set"], rows)}`;
  });
  return groups.join("\n") + keys.map(objectTable).join("");
}

/** One row for the endpoints of all APIs. */
function endpointRow(endpoints: readonly [string, z.ZodType][]): string[] {
  return [
    endpoints.map(([key]) => `\`${key}\``).join("<br>"),
    endpointDescription("API in the name of the key"),
    endpoints.map(([, schema]) => codes(environmentOf(schema))).join("<br>"),
  ];
}

/** The properties of a key whose value is an object; empty for other keys. */
function objectTable([key, schema]: [string, z.ZodType]): string {
  const shape = shapeOf(schema);
  if (shape.kind !== "object") return "";
  const rows = propertiesOf(shape.object).map(([name, property]) => [`\`${name}\``, told(property)]);
  return `\n### Properties of \`${key}\`\n\n${table(["Property", "Meaning"], rows)}`;
}

function told(schema: z.ZodType): string {
  const { description, secret } = metaOf(schema);
  const { kind } = shapeOf(schema);
  return [description, ...(secret ? ["Secret."] : []), ...(kind === "list" || kind === "object" ? ["JSON."] : [])].join(
    " ",
  );
}
