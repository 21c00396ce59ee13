/** The parts of a discovery document that the checks use. */
export interface DiscoverySchema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: string[];
  items?: DiscoverySchema;
  properties?: Record<string, DiscoverySchema>;
  additionalProperties?: DiscoverySchema;
}

export interface DiscoveryMethod {
  id: string;
  httpMethod: string;
  flatPath: string;
  parameters: Record<string, { location: string; type: string; format?: string }>;
  request?: { $ref: string };
  response: { $ref: string };
}

export interface Discovery {
  name: string;
  version: string;
  parameters: Record<string, unknown>;
  methods: Record<string, DiscoveryMethod>;
  schemas: Record<string, DiscoverySchema>;
  fieldBehavior: Record<string, string[]>;
}

const FORMATS: Record<string, RegExp> = {
  "google-datetime": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/,
  "google-duration": /^-?\d+(\.\d{1,9})?s$/,
  byte: /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  int64: /^-?\d{1,19}$/,
};

/** What is wrong with an answer by a schema of a discovery document: type, format, enum, unknown property. */
export function problemsOf(value: unknown, schema: DiscoverySchema, schemas: Discovery["schemas"], at = ""): string[] {
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref];
    return target === undefined ? [`${at}: no schema ${schema.$ref}`] : problemsOf(value, target, schemas, at);
  }
  switch (schema.type) {
    case "any":
      return [];
    case "array":
      return Array.isArray(value)
        ? value.flatMap((item, index) => problemsOf(item, schema.items ?? { type: "any" }, schemas, `${at}[${index}]`))
        : [`${at}: not a list`];
    case "object":
      return problemsOfObject(value, schema, schemas, at);
    case "string":
      return problemsOfString(value, schema, at);
    case "integer":
      return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31 ? [] : [`${at}: not an int32`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${at}: not a boolean`];
    default:
      return [`${at}: the schema has the type ${schema.type}, which this check does not know`];
  }
}

function problemsOfObject(
  value: unknown,
  schema: DiscoverySchema,
  schemas: Discovery["schemas"],
  at: string,
): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [`${at}: not an object`];
  }
  return Object.entries(value).flatMap(([name, held]) => {
    const inner = schema.properties?.[name] ?? schema.additionalProperties;
    return inner === undefined
      ? [`${at}.${name}: unknown property`]
      : problemsOf(held, inner, schemas, `${at}.${name}`);
  });
}

function problemsOfString(value: unknown, schema: DiscoverySchema, at: string): string[] {
  if (typeof value !== "string") {
    return [`${at}: not a string`];
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return [`${at}: '${value}' is not one of ${schema.enum.join(", ")}`];
  }
  const form = schema.format === undefined ? undefined : FORMATS[schema.format];
  return form === undefined || form.test(value) ? [] : [`${at}: '${value}' is not a ${schema.format}`];
}
