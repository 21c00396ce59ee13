import type { ErrorCode, RpcStatus } from "./errors";
import type { Values } from "./unknown";

/** What a definition says for its documentation alone. `make generate` makes pages, `schema.json` and docstrings of it. */

/** A program with one resource or lookup, in no particular language: `provider/schema/examples` writes it in each. */
export interface Example {
  /** A heading: "Link a firewall endpoint to a network". */
  readonly title: string;
  /** What a reader has to know before running it, in Markdown. Code in it has the language `sh`, which all SDKs show. */
  readonly text?: string;
  /** What the program calls the resource or the result, as a variable in camel case. */
  readonly variable: string;
  /** The resource's inputs or the lookup's arguments, all known. */
  readonly values: Values;
  /** What the program exports: the output's name, and the path of the property: `state.code`. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** A permission that the caller needs in the cloud. */
export interface PermissionNeed {
  /** Such as `gkehub.scopes.get`. */
  readonly permission: string;
  /** On which resource: "the fleet scope". */
  readonly on: string;
  /** For what: "create". */
  readonly for: string;
}

/** An error that users of this resource or lookup meet, beside those that everything can fail with. */
export interface DocumentedError {
  readonly code: ErrorCode;
  /** Of an `API` error, which has a class for each. */
  readonly status?: RpcStatus;
  /** A clause that can follow "where": "there is no such scope". */
  readonly when: string;
  /** A sentence. */
  readonly remedy: string;
}

export interface Documentation {
  /** A document that tells more: its title, and its file in docs/. */
  readonly guide?: { readonly title: string; readonly file: string };
  /** The first is the one to begin with: it must not cost anybody access. */
  readonly examples: readonly Example[];
  readonly permissions: readonly PermissionNeed[];
  readonly errors: readonly DocumentedError[];
}

/** The class of an error in the npm package: `NotFoundError`. */
export function errorClass({ code, status }: Pick<DocumentedError, "code" | "status">): string {
  if (code === "API" && status === "CANCELLED") return "CancelledByServerError";
  const words = (code === "API" ? (status ?? code) : code).toLowerCase().split("_");
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Error`;
}
