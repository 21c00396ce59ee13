/** Updates of some resources alone (`--target`). */
import type { Random } from "../../support/grants-random";
import type { GrantText } from "./grant-text";
import { conflictIn, grantsOf, isGrant, type Mode, type Program } from "./program";

export interface Targeted {
  names: readonly string[];
  /** What the stack has afterwards. */
  program: Program;
  /**
   * Grants of several resources. A run does not know what the resources have that are no targets, so the delete of one of them
   * removes the grant (docs/grants-limits.md, "What is not protected").
   */
  uncertain: ReadonlySet<GrantText>;
}

/** Chooses targets; undefined if the resources depend on each other, or if those that stay and the targets undo each other. */
export function targeted(before: Program, after: Program, mode: Mode, random: Random): Targeted | undefined {
  const all = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const names = all.filter(() => random.next() < 0.5);
  const isLinked = [...Object.values(before), ...Object.values(after)].some(
    (each) => each.alias !== undefined || (isGrant(each) && each.dependsOn !== undefined),
  );
  const entries = all.flatMap((name) => {
    const declaration = names.includes(name) ? after[name] : before[name];
    return declaration ? [[name, declaration] as const] : [];
  });
  const program = Object.fromEntries(entries);
  if (isLinked || names.length === 0 || conflictIn(program, mode) !== undefined) return undefined;
  return { names, program, uncertain: sharedGrants([before, after]) };
}

function sharedGrants(programs: readonly Program[]): Set<GrantText> {
  const holders = new Map<GrantText, Set<string>>();
  for (const program of programs) {
    for (const [name, declaration] of Object.entries(program)) {
      for (const grant of grantsOf(declaration)) holders.set(grant, (holders.get(grant) ?? new Set()).add(name));
    }
  }
  return new Set([...holders].flatMap(([grant, names]) => (names.size > 1 ? [grant] : [])));
}
