import type { Members } from "./members";

/** What a type of another provider is. */
export interface ForeignKind {
  /** With its article: "a custom role". */
  what: string;
  /** Where the documentation says that it decides about access. */
  source: string;
  /** Short forms of types (`shortTypeOf`). Absent for grants, which are recognized by the end of their names. */
  types?: readonly string[];
  /** Only a step in which one of these inputs changes counts. A list names a property of an object: `["metadata", "ssh-keys"]`. */
  inputs?: ReadonlyArray<string | readonly string[]>;
  /** Only these properties in the values of the inputs count, at any depth, also of a value that is a JSON text. */
  parts?: readonly string[];
  /** Only an update counts: nobody has access to a new resource, and nobody is in it. */
  onlyUpdates?: boolean;
  /** A create does not count: a new one gives nobody access. */
  isOfNobody?: boolean;
  /**
   * Each replacement counts, also under the same name. A new service account has none of the grants of the old one:
   * https://cloud.google.com/iam/docs/service-accounts-delete-undelete. The name of a deleted role or pool is reserved for weeks, so its
   * create can fail or restore the old one: https://cloud.google.com/iam/docs/reference/rest/v1/projects.roles/delete
   */
  isIdentity?: boolean;
  /** A delete does not count: it ends the access to this resource alone. */
  isSetting?: boolean;
  /** Only a resource with such a text in its input `type` or `userType` counts. */
  ofType?: RegExp;
  /** Where its inputs name those who have access. Absent if they name nobody. */
  members?: readonly Members[];
  /** It decides which access is logged, and nobody's access. */
  isOfLogs?: boolean;
  /** Its create takes away what its inputs name. Its delete changes nothing. */
  isRemoval?: boolean;
  /** It has an access list, which is deleted with it. */
  hasAccessList?: boolean;
  /** Settings that end what others declare: all access lists in the resource, or the access of everyone. */
  ends?: ReadonlyArray<{ path: readonly string[]; value: unknown; of: "lists" | "everyone" }>;
  /** The API deletes it only when nothing is in it, unless its provider empties it before, which this input says. */
  isEmptyWithout?: string;
  /** It adds or removes only what its inputs name. */
  isEntry?: boolean;
  /** It sets an access list as a whole, with the entries that others declare. */
  isList?: boolean;
  /** What the create of an entry does if it is there already: it takes the place of the one of the same entity, or it fails. */
  ifThere?: "replaced" | "refused";
}

/** Short forms of types of one module. @param names separated by blanks */
export function inModule(module: string, names: string): string[] {
  return names.split(" ").map((name) => `${module}/${name}`);
}

/** Where the documentation of IAM is. */
export const IAM = "https://cloud.google.com/iam/docs";

/** The roles in clusters that are in a scope or a membership of a fleet. */
export const FLEET =
  "https://cloud.google.com/kubernetes-engine/fleet-management/docs/reference/rest/v1/projects.locations.scopes.rbacrolebindings/delete";
