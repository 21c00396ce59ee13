import { isKept, type Surface } from "./surface";

/** The parts of a discovery document's schema that are used here. */
interface RawSchema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  readOnly?: boolean;
  repeated?: boolean;
  required?: boolean;
  location?: string;
  enum?: string[];
  items?: RawSchema;
  properties?: Record<string, RawSchema>;
  additionalProperties?: RawSchema;
  annotations?: { required?: string[] };
}

export interface RawMethod {
  id: string;
  httpMethod: string;
  path: string;
  flatPath?: string;
  parameters?: Record<string, RawSchema>;
  request?: { $ref: string };
  response?: { $ref: string };
}

export interface RawResource {
  methods?: Record<string, RawMethod>;
  resources?: Record<string, RawResource>;
}

/** A discovery document as Google publishes it. */
export interface RawDocument extends RawResource {
  name: string;
  version: string;
  revision: string;
  /** The path in front of the paths of all methods, with a slash at its end. Most APIs have none. */
  servicePath?: string;
  /** The regional hosts of the API. */
  endpoints?: { location: string; endpointUrl: string }[];
  parameters: Record<string, RawSchema>;
  schemas: Record<string, RawSchema>;
}

/** Markers at the start of a description that define the behavior of a field; the prose after them is dropped. */
const MARKERS: ReadonlyArray<[RegExp, string]> = [
  [/^(\[?output[- ]only\]?)[.:]?/i, "OUTPUT_ONLY"],
  [/^required[.:]/i, "REQUIRED"],
  [/^(immutable|identifier)[.:]/i, "IMMUTABLE"],
  [/^input[- ]only[.:]/i, "INPUT_ONLY"],
  [/^optional[.:]/i, "OPTIONAL"],
  [/^unordered list[.:]/i, "UNORDERED_LIST"],
];

/** The behavior of a field, from its schema and the markers of its description. */
function behaviour(schema: RawSchema): string[] {
  const found = new Set<string>(schema.readOnly ? ["OUTPUT_ONLY"] : []);
  let rest = (schema.description ?? "").trimStart();
  for (let again = true; again;) {
    again = false;
    for (const [marker, name] of MARKERS) {
      const match = marker.exec(rest);
      if (match !== null) {
        found.add(name);
        rest = rest.slice(match[0].length).trimStart();
        again = true;
      }
    }
  }
  if ((schema.annotations?.required ?? []).length > 0) {
    found.add("REQUIRED");
  }
  return [...found].sort();
}

/** A schema without prose. */
function bare(schema: RawSchema): object {
  const { $ref, type, format, items, properties, additionalProperties } = schema;
  return {
    ...($ref && { $ref }),
    ...(type && { type }),
    ...(format && { format }),
    ...(schema.enum && { enum: schema.enum }),
    ...(schema.location && { location: schema.location }),
    ...(schema.repeated && { repeated: true }),
    ...(items && { items: bare(items) }),
    ...(additionalProperties && { additionalProperties: bare(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, bare(inner)])),
    }),
  };
}

function allMethods(resource: RawResource): RawMethod[] {
  return [
    ...Object.values(resource.methods ?? {}),
    ...Object.values(resource.resources ?? {}).flatMap((inner) => allMethods(inner)),
  ];
}

function references(schema: RawSchema): string[] {
  return [
    ...(schema.$ref === undefined ? [] : [schema.$ref]),
    ...[schema.items, schema.additionalProperties, ...Object.values(schema.properties ?? {})].flatMap((inner) =>
      inner === undefined ? [] : references(inner),
    ),
  ];
}

/** Reached only through `Any` fields, without a reference. */
const OPERATION_METADATA = /^(Google\w*|Apigateway)?OperationMetadata$/;

/** The kept methods of a document, the schemas that they reach, and the behavior of fields, without prose. */
export function stripped(document: RawDocument, surface: Surface, source: string): object {
  const methods = allMethods(document)
    .filter(({ id }) => isKept(surface, id.slice(document.name.length + 1)))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const wanted = new Set<string>();
  const reach = (name: string): void => {
    if (!wanted.has(name)) {
      wanted.add(name);
      references(document.schemas[name] ?? {}).forEach(reach);
    }
  };
  for (const { request, response } of methods) {
    [request, response].forEach((reference) => reference && reach(reference.$ref));
  }
  Object.keys(document.schemas)
    .filter((name) => OPERATION_METADATA.test(name))
    .forEach(reach);
  const names = [...wanted].sort();
  const fieldBehavior = Object.fromEntries(
    names.flatMap((name) =>
      Object.entries(document.schemas[name]?.properties ?? {})
        .map(([field, schema]): [string, string[]] => [`${name}.${field}`, behaviour(schema)])
        .filter(([, marks]) => marks.length > 0),
    ),
  );
  return {
    name: document.name,
    version: document.version,
    revision: document.revision,
    source,
    parameters: Object.fromEntries(Object.entries(document.parameters).map(([name, schema]) => [name, bare(schema)])),
    methods: Object.fromEntries(
      methods.map(({ id, httpMethod, path, flatPath, parameters, request, response }) => [
        id,
        {
          id,
          httpMethod,
          flatPath: flatPath ?? path,
          parameters: Object.fromEntries(Object.entries(parameters ?? {}).map(([name, each]) => [name, bare(each)])),
          ...(request && { request }),
          ...(response && { response }),
        },
      ]),
    ),
    schemas: Object.fromEntries(names.map((name) => [name, bare(document.schemas[name] ?? {})])),
    fieldBehavior,
  };
}
