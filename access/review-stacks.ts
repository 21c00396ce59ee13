import * as path from "node:path";
import { InputError } from "../provider/core/errors";
import { conflictsAmong, ownerSentence, type Declaration } from "./rehearsal/owners";
import { takenAmong, withTaken, type Taken, type Taking } from "./rehearsal/takings";
import { judged } from "./gate/judge";
import type { Rules } from "./gate/rules";
import type { LiveReads } from "./live/access-policies";
import { mapBounded } from "./live/reads";
import { previewStack } from "./plan/stack";
import { groupedBy } from "./result/order";
import type { Answer, Uncertainty } from "./result/result";
import { answerOf } from "./result/stacks";
import { shortNameOf, stackLabel } from "./result/urn";
import { foundIn, inputsOf } from "./plan-findings";
import type { ReviewStackOptions } from "./review-options";

/** A stack, and where its project is. */
export interface StackInFolder {
  /** The stack's name, as `pulumi --stack` takes it. */
  stack: string;
  /** The folder of the project. @default the current folder */
  cwd?: string;
  /** The rules for this stack's verdict. @default no loss is expected, and nothing may be unknown */
  rules?: Rules;
}

export interface ReviewStacksOptions extends Omit<ReviewStackOptions, "stack" | "cwd" | "rules"> {
  stacks: readonly StackInFolder[];
}

/** More previews at once would wait for the same processors. */
const PREVIEWS_AT_ONCE = 4;

/**
 * Like `reviewStack`, for several stacks in one answer: each change is judged by the rules of its own stack, the exit code is that
 * of the worst, and each policy is read once. Where two stacks write one role, the result names both.
 *
 * @throws PulumiError when Pulumi cannot be run, or prints no plan of one of them.
 * @throws InputError when two of them are one stack.
 * @throws ConfigurationError when a provider's settings are wrong.
 */
export async function reviewStacks({ stacks, ...common }: ReviewStacksOptions): Promise<Answer> {
  // Before any preview. The stack of a project can also have the names of its organization and its project in front.
  checkDistinct(stacks.map(({ stack, cwd = "" }) => path.join(path.resolve(cwd), stack)));
  const previews = await mapBounded(
    stacks,
    async ({ rules = {}, ...place }) => {
      const options = { ...common, ...place };
      return { rules, ...inputsOf(await previewStack(options), options) };
    },
    PREVIEWS_AT_ONCE,
  );
  const live: LiveReads = new Map();
  const found = [];
  for (const { rules, plan, options } of previews) {
    const findings = await foundIn(plan, { ...options, live });
    found.push({ ...findings, rules, label: stackLabel(findings.found) });
  }
  checkDistinct(found.map(({ label }) => label));
  const together = acrossStacks(found);
  const answers = found.map(({ label, hidden, rules, found: own }) => {
    const unknown = [...own.unknown, ...(together.unknown.get(label) ?? [])];
    const resources = withTaken(own.resources, together.taken.get(label) ?? []);
    return hidden.scrubbed(judged({ ...own, resources, unknown }, rules));
  });
  // Each stack's own values are hidden in its part. A note about two of them could contain those of both.
  const notes = found.reduce((all, { hidden }) => hidden.scrubbed(all), together.notes);
  return answerOf({ operation: found[0]?.found.operation ?? "update" }, answers, notes);
}

function checkDistinct(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  const reason = `must be different ones, and ${repeated} is named twice`;
  throw new InputError("The stacks of the review", [{ path: "stacks", reason }]);
}

interface Declaring {
  label: string;
  declared: readonly Declaration[];
  takes: readonly Taking[];
}

/** What two stacks do to one policy. */
interface Together {
  notes: string[];
  /** By stack: what depends on the order of the updates, and what another stack takes from it. */
  unknown: Map<string, Uncertainty[]>;
  taken: Map<string, Taken[]>;
}

function acrossStacks(all: readonly Declaring[]): Together {
  const stackOf = new Map(all.flatMap(({ label, declared }) => declared.map((each) => [each, label] as const)));
  const labelOf = (each: Declaration) => stackOf.get(each) ?? "";
  const nameOf = (each: Declaration) => `${shortNameOf(each.urn)} of ${labelOf(each)}`;
  const declared = [...stackOf.keys()];
  const conflicts = conflictsAmong(declared, (owner, other) => labelOf(owner) !== labelOf(other));
  const unknown = new Map<string, Uncertainty[]>();
  for (const { owner, others } of conflicts) {
    const racing = others.filter(({ isWritten }) => isWritten);
    if (!owner.isWritten || racing.length === 0) continue;
    const message =
      `It is unknown who has access to ${owner.resource} after the updates of both stacks: ${nameOf(owner)} removes all that it ` +
      `does not name, ${racing.map(nameOf).join(", ")} writes there, too, and the last update decides`;
    const label = labelOf(owner);
    unknown.set(label, [...(unknown.get(label) ?? []), { code: "no order", message, step: owner.urn }]);
  }
  const takerOf = new Map(all.flatMap(({ label, takes }) => takes.map((each) => [each, label] as const)));
  const takes = takenAmong([...takerOf.keys()], declared, (by, from) => takerOf.get(by) !== labelOf(from));
  for (const { by, from, isRace } of takes) {
    if (!isRace) continue;
    const label = labelOf(from);
    const message =
      `It is unknown who has access to ${from.resource} after the updates of both stacks: ${shortNameOf(by.urn)} of ` +
      `${takerOf.get(by) ?? ""} removes what ${nameOf(from)} writes, and the last update decides`;
    unknown.set(label, [...(unknown.get(label) ?? []), { code: "no order", message, step: from.urn }]);
  }
  const taken = groupedBy(takes, ({ from }) => labelOf(from));
  const notes = [
    ...takes
      .filter(({ isRace }) => !isRace)
      .map(({ by, from }) => {
        const who = `${shortNameOf(by.urn)} of ${takerOf.get(by) ?? ""}`;
        return `${who} removes from ${from.resource} what ${nameOf(from)} declares: the grant is lost until the other stack is refreshed`;
      }),
    ...conflicts.map((conflict) => `${ownerSentence(conflict, nameOf)}. Declare it in one stack`),
    ...sharedGrants(declared, labelOf, nameOf),
  ];
  return { notes, unknown, taken };
}

/** Two stacks that declare the same grant: what one of them removes, the other one has in its state. */
function sharedGrants(
  declared: readonly Declaration[],
  labelOf: (each: Declaration) => string,
  nameOf: (each: Declaration) => string,
): string[] {
  const grants = declared.flatMap((by) => [...by.grants].map((grant) => ({ by, key: `${by.policy} ${grant}` })));
  const byGrant = [...groupedBy(grants, ({ key }) => key).values()].map((each) => each.map(({ by }) => by));
  const shared = byGrant.filter((each) => new Set(each.map(labelOf)).size > 1);
  const sentences = shared.map((each) => {
    const [first] = each;
    return (
      `${each.map(nameOf).join(" and ")} declare the same grant on ${first?.resource ?? ""}: when one stack removes it, the other ` +
      "loses it, too"
    );
  });
  return [...new Set(sentences)];
}
