import type { ResourceDefinition } from "../../../core/definition";
import { badToken, type Listed, type ListPage, type Listing } from "../../../core/listing";
import { digest, grantName } from "../../../core/program-name";
import { problemsOf } from "../../../core/validate";
import type { Policy } from "../../../iam/policy";
import { hasHiddenCondition } from "../../../iam/policy-cycle";
import type { GrantTargets } from "../parent";
import { inputsOf, type GrantForm, type GrantSet } from "./forms";

/** The grants of a policy that one type of resource can declare, and the reason why it cannot declare the first of the others. */
export interface ListedGrants {
  readonly found: readonly Listed[];
  readonly leftOut: number;
  readonly firstProblem: string | undefined;
}

/** The grants of a policy as `form` declares them: those of the role, if there is one. */
export function grantsListed(
  policy: Policy,
  { name, role }: { name: string; role: string | undefined },
  form: GrantForm,
  definition: ResourceDefinition,
  targets: GrantTargets,
): ListedGrants {
  const sets = form.setsIn(policy).map((set): GrantSet => ({ name, ...set }));
  const wanted = sets.filter((set) => role === undefined || set.role === role);
  const isAlike = repeatedAmong(sets.map((set) => comparableId(set, form)));
  const problems = wanted.map((set) => {
    const others = isAlike(comparableId(set, form)) ? policy : undefined;
    return problemOf(set, others, form, definition, targets);
  });
  const first = problems.findIndex((problem) => problem !== undefined);
  const members = form.ownsRole ? "" : ` of ${wanted[first]?.members.join(", ")}`;
  return {
    found: withDistinctNames(
      wanted
        .filter((_set, index) => problems[index] === undefined)
        .map((set) => ({
          id: form.idOf(set),
          name: grantName(name, form.ownsRole ? set : { ...set, member: set.members.join() }),
        })),
    ),
    leftOut: problems.filter((problem) => problem !== undefined).length,
    firstProblem: first < 0 ? undefined : `${wanted[first]?.role}${members}: ${problems[first]}`,
  };
}

/** Sets with different texts have different ids. */
function comparableId(set: GrantSet, form: GrantForm): string {
  return form.idOf(set).toLowerCase();
}

/**
 * Why a program cannot declare a set of a policy; undefined if it can.
 *
 * @param policy undefined if no other set of it can have the same id.
 */
function problemOf(
  set: GrantSet,
  policy: Policy | undefined,
  form: GrantForm,
  definition: ResourceDefinition,
  targets: GrantTargets,
): string | undefined {
  if (hasHiddenCondition(set)) return "the API does not show its condition";
  const [problem] = problemsOf(definition.inputs, inputsOf(set, form, targets));
  if (problem) return `${problem.path} ${problem.reason}`;
  // The parts of an id are not quoted, so two grants may have the same id.
  const id = form.idOf(set);
  const isNamed = targets.inId(id)?.name === set.name && (!policy || form.withId(set.name, policy, id).length === 1);
  return isNamed ? undefined : "its id would name another one, too";
}

function withDistinctNames(found: readonly Listed[]): Listed[] {
  const isTaken = repeatedAmong(found.map(({ name }) => name));
  return found.map(({ id, name }) => ({ id, name: isTaken(name) ? `${name}-${digest(id)}` : name }));
}

/** Whether a text is more than once among these. */
function repeatedAmong(texts: readonly string[]): (text: string) => boolean {
  const seen = new Set<string>();
  const repeated = new Set(texts.filter((text) => seen.size === seen.add(text).size));
  return (text) => repeated.has(text);
}

/**
 * A page of what is known as a whole. Its token is the number of resources before it.
 *
 * @throws InputError for another token.
 */
export function pageOf(all: readonly Listed[], { size = all.length, token }: ListPage): Listing {
  const start = Number(token);
  if (!Number.isInteger(start)) throw badToken();
  const end = start + size;
  return { found: all.slice(start, end), next: end < all.length ? String(end) : "" };
}
