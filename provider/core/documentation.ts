import type { ErrorCode, RpcStatus } from "./errors";
import type { Values } from "./unknown";

/** Documentation of a definition. `make generate` writes pages, `schema.json` and docstrings from it. */

/** A language-independent program with one resource or lookup: `tools/schema/examples` writes it in each language. */
export interface Example {
  /** A heading: "Link a firewall endpoint to a network". */
  readonly title: string;
  /** Preconditions and warnings, in Markdown. Code blocks use the language `sh`, which all SDKs show. */
  readonly text?: string;
  /** The variable name of the resource or result, in camel case. */
  readonly variable: string;
  /** The resource's inputs or the lookup's arguments, all known. */
  readonly values: Values;
  /** The exports of the program: the output's name, and the path of the property: `state.code`. */
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

/** An error that is specific to this resource or lookup. */
export interface DocumentedError {
  readonly code: ErrorCode;
  /** The status of an `API` error; each status has a class. */
  readonly status?: RpcStatus;
  /** A clause that can follow "where": "the scope does not exist". */
  readonly when: string;
  /** A sentence. */
  readonly remedy: string;
}

export interface Documentation {
  /** A document with details: its title, and its file in docs/. */
  readonly guide?: { readonly title: string; readonly file: string };
  /** Readers start with the first example, so it must not remove anybody's access. */
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
