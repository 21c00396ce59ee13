import { hash as digest } from "node:crypto";
import { getOrCompute } from "./once";
import { isProjectNumber, projectOf, withProject, type CloudObject } from "./reference";

/** The facts of a run: what `Claims` records, in the form in which the provider processes share it. */

/**
 * What a resource of the program does with an object in the cloud. `declared` and `declared more`: its check passed, and these are
 * all objects that it declares. `held`: the engine's state has it. `found`: an import or a read of an id from the program found it.
 * `making`, then perhaps `made`: a create or update after the check makes it. `leaves`: the resource gives it up, by a replacement or
 * its delete. `removing`, then `removed` or `kept`: a delete removes the object from the cloud, or certainly does not.
 */
export const FACT_KINDS = [
  "declared",
  "declared more",
  "held",
  "found",
  "making",
  "made",
  "leaves",
  "removing",
  "removed",
  "kept",
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

export interface Fact {
  readonly kind: FactKind;
  /** The identity of the resource, or `UNKNOWN_IDENTITY`. For a removal, the id of the removal. */
  readonly by: string;
  /**
   * The object without its project, as a path of hashes: of its cloud resource, then of each object that contains it, then its own.
   * A hash, because it may contain what the program keeps secret.
   */
  readonly object: string;
  /** The key of the project in the object's name (`keyOfProject`). */
  readonly project: string;
}

/** The facts of one run, in one order for all of the run's provider processes. */
export interface FactLog {
  /** @returns whether `facts` now contains the fact, here and in the other processes. */
  append(fact: Fact): boolean;
  /** The facts of all processes, those of this process included. The list only grows. */
  facts(): readonly Fact[];
  /** Why facts of other processes may be missing, and what to do about it. Undefined while none is missing. */
  readonly problem?: string | undefined;
}

/** The log of a provider that is the only one of its run. */
export const NOT_SHARED: FactLog = { append: () => false, facts: () => [] };

/** The facts of a run whose providers are all in this process. */
export class SharedFacts implements FactLog {
  private readonly list: Fact[] = [];

  append(fact: Fact): boolean {
    return this.list.push(fact) > 0;
  }

  facts(): readonly Fact[] {
    return this.list;
  }
}

const SEPARATOR = ".";

/** The path of an object without its project: a hash for the cloud resource, and one for each level within it. */
function pathOf({ url, name, within = [] }: CloudObject): string {
  return within.reduce(
    (path, key) => `${path}${SEPARATOR}${hash(path + key)}`,
    hash(JSON.stringify([url, withProject(name, "")])),
  );
}

function hash(text: string): string {
  return digest("sha256", text, "base64url");
}

/** The paths of the objects that contain the object of this path, the outermost first. */
export function containersOf(path: string): string[] {
  const parts = path.split(SEPARATOR);
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(SEPARATOR));
}

/** How the facts name an object. */
type FactKey = Pick<Fact, "object" | "project">;

/** A call asks several questions about its objects. Their hashes would be a large part of its processor time. */
const keys = new WeakMap<CloudObject, FactKey>();

export function keyOfFact(object: CloudObject): FactKey {
  return getOrCompute(keys, object, () => ({ object: pathOf(object), project: keyOfProject(object) }));
}

const OF_NUMBER = "number ";

/** The hash of the project in an object's name, with a mark for a number whose id is unknown; "" when the name has no project. */
function keyOfProject({ name }: CloudObject): string {
  const project = projectOf(name);
  if (project === "") return "";
  return `${isProjectNumber(project) ? OF_NUMBER : ""}${hash(project)}`;
}

/** Whether one key is of a project's number and the other of an id: they may be of one project. */
export function areSpelledDifferently(left: string, right: string): boolean {
  return left.startsWith(OF_NUMBER) !== right.startsWith(OF_NUMBER);
}
