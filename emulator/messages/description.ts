/**
 * What the discovery document of one API and version says, in the compact form of `generated/`: `make generate` writes
 * it from the documents below tests/wire/discovery/.
 */
export interface ApiDescription {
  readonly service: string;
  readonly version: string;
  /** By id without the name of the API, e.g. `projects.locations.triggers.create`. */
  readonly methods: Readonly<Record<string, MethodDescription>>;
  /**
   * By the name of the schema; of each field its type, e.g. `output list EventFilter`: marks (`output`, `required`,
   * `immutable`, `input`), `list` or `map`, then `string`, `enum FIRST_VALUE SECOND_VALUE` or the name of a schema.
   */
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface MethodDescription {
  readonly verb: "GET" | "POST" | "PATCH" | "DELETE";
  /** Without version and action, e.g. `projects/{project}/locations/{location}/triggers`. */
  readonly path: string;
  /** The custom verb after the colon, e.g. `getIamPolicy`. */
  readonly action?: string;
  readonly query?: Readonly<Record<string, "string" | "strings" | "int32" | "bool">>;
  /** Names of schemas. */
  readonly request?: string;
  readonly response: string;
}
