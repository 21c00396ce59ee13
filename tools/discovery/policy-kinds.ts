/** The table of every kind of resource with an access policy, from the discovery documents. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { PACKAGE } from "./documents";
import type { RawDocument, RawMethod, RawResource } from "./strip";

export const POLICY_KINDS_FILE = join(__dirname, "policy-kinds.txt");

/**
 * How the policy of a kind is read and written:
 *  - `get`: GET {name}:getIamPolicy, POST {name}:setIamPolicy;
 *  - `post`: the same, but reads with POST, and the version in the body;
 *  - `query`: as `post`, but the version is in the query and the read has no body;
 *  - `path`: GET {name}/getIamPolicy, POST {name}/setIamPolicy;
 *  - `iam`: GET {name}/iam, PUT {name}/iam with the policy itself as the body;
 *  - `iam-1`: as `iam`, but a read cannot ask for a version of the policy, so it never shows conditions.
 */
export type PolicyForm = "get" | "post" | "query" | "path" | "iam" | "iam-1";

/** How the API tests permissions: not at all, with the permissions in the body, or with a POST that has them in the query. */
type PermissionTest = "-" | "test" | "test-query";

/** One version of a kind. */
interface Found {
  service: string;
  version: string;
  /** The path of the URL in front of the name: `compute/v1`. */
  base: string;
  form: PolicyForm;
  test: PermissionTest;
  template: string;
  /** The form of the regional hosts: `{location}-run`. "-" if there are none. */
  regional: string;
}

/** One line for each kind, sorted, below a header with the digest of the lines. */
export function policyKindsText(documents: readonly RawDocument[]): string {
  const kinds = new Map<string, Found[]>();
  for (const each of documents.flatMap(foundIn)) {
    const key = `${each.service} ${each.template.replaceAll(/\{\w+\}/g, "{}")}`;
    kinds.set(key, [...(kinds.get(key) ?? []), each]);
  }
  const rows = [...kinds.values()].map(rowOf).sort();
  return `${policyKindsHeader(rows)}${rows.join("\n")}\n`;
}

export function policyKindsHeader(rows: readonly string[]): string {
  return [
    `# Every kind of resource with an access policy in the discovery documents of ${PACKAGE}: ${rows.length} kinds.`,
    "# Written by `make discovery`; do not edit. API, path of the newest stable version, form, how the API tests permissions,",
    `# name, other versions (with their form if it differs), regional hosts. sha256 ${digestOf(rows)}`,
    "",
  ].join("\n");
}

function digestOf(rows: readonly string[]): string {
  return createHash("sha256").update(rows.join("\n")).digest("hex").slice(0, 16);
}

function rowOf(found: readonly Found[]): string {
  const sorted = [...found].sort((left, right) => compareVersions(left.version, right.version));
  const [newest, ...others] = sorted as [Found, ...Found[]];
  const { service, base, form, test, template, regional } = newest;
  const versions = new Set<string>();
  for (const each of others.filter(({ version }) => version !== newest.version)) {
    versions.add(each.form === form ? each.version : `${each.version}:${each.form}`);
  }
  return [service, base, form, test, template, [...versions].join(",") || "-", regional].join(" ");
}

const VERSION = /^v?(\d*)(?:(alpha|beta)(\d*))?$/;

/** Stable versions come first, the newest in front; then beta, then alpha. */
function compareVersions(left: string, right: string): number {
  const rank = (version: string): [number, number, number] => {
    const [, major = "", stage, minor = ""] = VERSION.exec(version) ?? [];
    return [stage === undefined ? 0 : stage === "beta" ? 1 : 2, -Number(major || 0), -Number(minor || 0)];
  };
  const [a, b] = [rank(left), rank(right)];
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function foundIn(document: RawDocument): Found[] {
  const { name: service, version, servicePath = "" } = document;
  if (!VERSION.test(version)) return [];
  const methods = new Map(methodsOf(document).map((method) => [method.id, method]));
  const regional = regionalOf(document);
  return [...methods.values()].flatMap((get) => {
    if (!get.id.endsWith(".getIamPolicy")) return [];
    const other = (name: string) => methods.get(get.id.replace(/getIamPolicy$/, name));
    const set = other("setIamPolicy");
    if (!set) return [];
    const path = servicePath + pathOf(get).replace(/[:/](getIamPolicy|iam)$/, "");
    // Some documents of one version have paths of another.
    const [, base = "", name = ""] = /^((?:\w+\/)?v\d\w*|\w+\/(?:alpha|beta))\/(.*)$/.exec(path) ?? [];
    return [
      {
        service,
        version: base.split("/").at(-1) ?? "",
        base,
        form: formOf(get, set),
        test: testOf(other("testIamPermissions")),
        template: readable(name),
        regional,
      },
    ];
  });
}

function methodsOf({ methods = {}, resources = {} }: RawResource): RawMethod[] {
  return [...Object.values(methods), ...Object.values(resources).flatMap(methodsOf)];
}

/** A path whose only variable is a name of any form, such as those of Identity-Aware Proxy, is `{+resource}`. */
function pathOf({ path, flatPath = path }: RawMethod): string {
  return /^\w+\/\{\w+\}:/.test(flatPath) ? path : flatPath;
}

/** @throws Error for a pair of methods in no known form */
function formOf(get: RawMethod, set: RawMethod): PolicyForm {
  const [read, write] = [pathOf(get), pathOf(set)];
  const isVerb = read.endsWith(":getIamPolicy");
  const versions = Object.keys(get.parameters ?? {}).filter((name) => /requestedPolicyVersion$/i.test(name));
  const methods = `${get.httpMethod} ${set.httpMethod}`;
  if (read.endsWith("/iam") && write === read && methods === "GET PUT") return versions.length > 0 ? "iam" : "iam-1";
  if (write !== read.replace(/getIamPolicy$/, "setIamPolicy")) throw new Error(`${get.id}: ${read} but ${write}`);
  if (isVerb && methods === "GET POST" && versions[0] === "options.requestedPolicyVersion") return "get";
  if (isVerb && methods === "POST POST") return get.request === undefined && versions.length > 0 ? "query" : "post";
  if (!isVerb && methods === "GET POST" && versions[0] === "optionsRequestedPolicyVersion") return "path";
  throw new Error(`${get.id} and ${set.id} are in no known form`);
}

function testOf(method: RawMethod | undefined): PermissionTest {
  if (method === undefined) return "-";
  return method.httpMethod === "POST" && method.parameters?.permissions !== undefined ? "test-query" : "test";
}

/** A template with readable variables: `projects/{projectsId}/topics/{topicsId}` becomes `projects/{project}/topics/{topic}`. */
function readable(path: string): string {
  const parts = path.split("/");
  return parts
    .map((part, index) => {
      if (!/^\{\w+\}$/.test(part)) return part;
      const collection = parts[index - 1];
      if (collection === undefined) return "{collection}";
      if (collection.startsWith("{")) return "{id}";
      return collection.length > 1 ? `{${singular(collection)}}` : part;
    })
    .join("/");
}

function singular(collection: string): string {
  if (collection.endsWith("ies")) return `${collection.slice(0, -3)}y`;
  if (/(?:ch|sh|ss|x)es$/.test(collection)) return collection.slice(0, -2);
  return collection.replace(/s$/, "");
}

/** The form of an API's regional hosts, without the domain: `{location}-run` or `pubsub.{location}.rep`. */
function regionalOf({ endpoints = [] }: RawDocument): string {
  const forms = endpoints.map(({ location, endpointUrl }) =>
    endpointUrl.replace(/^https:\/\/(.*)\.googleapis\.com\/$/, "$1").replace(location, "{location}"),
  );
  return forms[0] ?? "-";
}
