import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ApiDescription, MethodDescription } from "../../emulator/base/api";
import { policyKindLines } from "./policy-kinds";

/** The parts of a vendored discovery document that descriptions use. */
interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: string[];
  repeated?: boolean;
  location?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
}

interface Document {
  name: string;
  version: string;
  methods: Record<string, DiscoveryMethod>;
  schemas: Record<string, Schema>;
  fieldBehavior: Record<string, string[]>;
}

interface DiscoveryMethod {
  id: string;
  httpMethod: string;
  flatPath: string;
  parameters: Record<string, Schema>;
  request?: { $ref: string };
  response?: { $ref: string };
}

const DOCUMENTS = join(__dirname, "..", "..", "tests", "wire", "discovery");

const FORMATS: Record<string, string> = {
  "google-datetime": "timestamp",
  "google-duration": "duration",
  "google-fieldmask": "string",
  byte: "bytes",
  int32: "int32",
  int64: "int64",
};

/** Behaviour of a field in a discovery document -> the mark of a description. */
const MARKS: Record<string, string> = {
  OUTPUT_ONLY: "output",
  REQUIRED: "required",
  IMMUTABLE: "immutable",
  INPUT_ONLY: "input",
};

/** The type of a field in a description, e.g. `list EventFilter`. @throws Error for an unknown type */
function typeOf(schema: Schema, at: string): string {
  if (schema.$ref !== undefined) {
    return schema.$ref;
  }
  if (schema.enum !== undefined) {
    return ["enum", ...schema.enum].join(" ");
  }
  if (schema.type === "array") {
    return `list ${typeOf(schema.items ?? {}, at)}`;
  }
  if (schema.type === "object") {
    const { additionalProperties: inner } = schema;
    return inner === undefined || inner.type === "any" ? "struct" : `map ${typeOf(inner, at)}`;
  }
  const type = schema.format === undefined ? schema.type : FORMATS[schema.format];
  if (type === "boolean") {
    return "bool";
  }
  if (type === undefined || !["string", "timestamp", "duration", "bytes", "int32", "int64"].includes(type)) {
    throw new Error(`${at}: this generator does not support ${JSON.stringify(schema)}`);
  }
  return type;
}

/** `v1/projects/{projectsId}/locations` -> `projects/{project}/locations`; what follows a colon is left out. */
function pathOf({ flatPath }: DiscoveryMethod): string {
  return flatPath
    .slice(flatPath.indexOf("/") + 1)
    .replace(/:\w+$/, "")
    .replace(/\{(\w+?)s?Id\}/g, "{$1}");
}

function methodOf(method: DiscoveryMethod): MethodDescription {
  const action = /:(\w+)$/.exec(method.flatPath)?.[1];
  const query = Object.entries(method.parameters)
    .filter(([, parameter]) => parameter.location === "query")
    .map(([name, { type, repeated }]) => [name, repeated ? "strings" : type === "boolean" ? "bool" : type]);
  return {
    verb: method.httpMethod as MethodDescription["verb"],
    path: pathOf(method),
    ...(action !== undefined && { action }),
    ...(query.length > 0 && {
      query: Object.fromEntries(query.map(([name, type]) => [name, type === "integer" ? "int32" : type])) as Record<
        string,
        "string"
      >,
    }),
    ...(method.request && { request: method.request.$ref }),
    response: method.response?.$ref ?? "Empty",
  };
}

function describe(document: Document): ApiDescription {
  const { name, version, methods, schemas, fieldBehavior } = document;
  const fields = (schema: string) =>
    Object.entries(schemas[schema]?.properties ?? {}).map(([field, inner]) => {
      const at = `${schema}.${field}`;
      const marks = (fieldBehavior[at] ?? []).flatMap((behaviour) => MARKS[behaviour] ?? []);
      return [field, [...marks.sort(), typeOf(inner, at)].join(" ")];
    });
  return {
    service: name as ApiDescription["service"],
    version,
    methods: Object.fromEntries(
      Object.values(methods).map((method) => [method.id.slice(name.length + 1), methodOf(method)]),
    ),
    messages: Object.fromEntries(Object.keys(schemas).map((schema) => [schema, Object.fromEntries(fields(schema))])),
  };
}

/** `gkehubV1beta` */
const nameOf = ({ service, version }: ApiDescription) => `${service}${version.replace("v", "V")}`;

/** Text of emulator/base/generated/, by file name: a description of each API and version, and the list of APIs. */
export function apiDescriptions(): Map<string, string> {
  const files = readdirSync(DOCUMENTS).filter((file) => file.endsWith(".json"));
  const documents = files.map((file) => ({
    file,
    description: describe(JSON.parse(readFileSync(join(DOCUMENTS, file), "utf8")) as Document),
  }));
  const described = [...new Set(documents.map(({ description }) => description.service))].sort();
  const withPolicies = policyKindLines().map((line) => line.split(" ", 1)[0] ?? "");
  const services = [...new Set([...described, ...withPolicies])].sort();
  const descriptions = documents.map(({ description }) => description);
  return new Map([
    ...documents.map(({ file, description }): [string, string] => {
      // The versions of an API are often the same but for their name.
      const same = descriptions.find((each) =>
        isDeepStrictEqual({ ...each, version: description.version }, description),
      );
      return [
        file.replace(/\.json$/, ".ts"),
        `// Written by \`make generate\` from tests/wire/discovery/${file}: do not edit.\n` +
          'import type { ApiDescription } from "../api";\n' +
          (same === undefined || same === description
            ? `\nexport const ${nameOf(description)}: ApiDescription = ${JSON.stringify(description, null, 1)};\n`
            : `import { ${nameOf(same)} } from "./${same.service}.${same.version}";\n\n` +
              `export const ${nameOf(description)}: ApiDescription = ` +
              `{ ...${nameOf(same)}, version: ${JSON.stringify(description.version)} };\n`),
      ];
    }),
    [
      "services.ts",
      "// Written by `make generate` from tests/wire/discovery/ and tools/discovery/policy-kinds.txt: do not edit.\n\n" +
        "/** Every API by the first label of its host name, which is also its name in seeds. */\n" +
        `export const SERVICES = ${JSON.stringify(services)} as const;\n\n` +
        "export type Service = (typeof SERVICES)[number];\n\n" +
        "/** The APIs whose resources have methods. Of the others, the emulator has access policies only. */\n" +
        `export type DescribedService = ${described.map((each) => JSON.stringify(each)).join(" | ")};\n`,
    ],
  ]);
}
