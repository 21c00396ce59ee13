import { placeKey } from "../result/order";
import { isLoss, isWithoutEffect, judgementsWith, summaryOf, type AccessChanged, type Answer } from "../result/result";
import { everyoneBy } from "../result/sentences";
import { together } from "../result/stacks";
import { capitalized, counted } from "../result/visible";

/** What an answer says as a whole: whether anything changes, its headline, and its verdict. */

export function isQuiet({ operation, stacks, exitCode }: Answer): boolean {
  const found = together(stacks);
  const { unknown, refused } = summaryOf(found);
  return (
    operation !== "access" &&
    found.resources.every(({ changes, noAccessLeft }) => changes.length + noAccessLeft.length === 0) &&
    unknown + refused + exitCode === 0 &&
    stacks.every(({ verdict }) => verdict.judgements.every(({ effect }) => effect === "allows"))
  );
}

/** One sentence without its full stop. @param ends the clause about the ends of grants */
export function headline(answer: Answer, ends?: string): string {
  const { operation, stacks } = answer;
  const found = together(stacks);
  const { resources } = found;
  const { refused, unknown } = summaryOf(found);
  const withChanges = resources.filter(({ changes }) => changes.length > 0);
  // Two stacks may change the same policy.
  const changed = new Set(withChanges.map(placeKey)).size;
  const parts: string[] = [];
  if (changed > 0) parts.push(`${changesHeadline(answer)} on ${counted(changed, "resource")}`);
  else if (operation === "access") {
    const read = resources.flatMap(({ after }) => (after === null ? [] : [after]));
    const grants = read.flat().reduce((sum, { members }) => sum + members.length, 0);
    const hasRead = read.length > 0 || resources.length === 0;
    parts.push(
      hasRead
        ? `${counted(grants, "grant")} on ${counted(resources.length, "resource")}`
        : `${counted(resources.length, "access policy", "access policies")} not read`,
    );
    if (ends !== undefined) parts.push(ends);
  }
  if (refused > 0) parts.push(`${counted(refused, "step")} ${refused === 1 ? "is" : "are"} refused`);
  if (unknown > 0) parts.push(`${counted(unknown, "thing")} ${unknown === 1 ? "is" : "are"} unknown`);
  if (changed === 0 && operation !== "access") {
    // When no step is on a grant, the review reads no policy, so the number of unchanged grants is unknown.
    const { unchanged } = answer.summary;
    const stay = unchanged === 1 ? "stays as it is" : "stay as they are";
    const stays = unchanged === 0 ? "" : `: ${counted(unchanged, "grant")} ${stay}`;
    const others = unknown > 0 ? "no change of access is known" : "no other change of access";
    parts.push(parts.length > 0 ? others : `No access changes${stays}`);
  }
  return parts.join("; ");
}

const PRESENT = { lost: ["loses", "lose"], gained: ["gains", "gain"], condition: ["changes", "change"] } as const;
const PAST = { lost: ["lost", "lost"], gained: ["gained", "gained"], condition: ["changed", "changed"] } as const;

/** `2 principals lose access, 1 gains, 1 condition changes`; `Everyone on the internet and 1 principal gain access`. */
function changesHeadline({ stacks, operation }: Answer): string {
  const changes = together(stacks).resources.flatMap((each) => each.changes);
  const parts: string[] = [];
  for (const kind of ["lost", "gained", "condition"] as const) {
    const ofKind = changes.filter((each) => each.change === kind && !isWithoutEffect(each));
    if (ofKind.length === 0) continue;
    const [one, many] = (operation === "access" ? PAST : PRESENT)[kind];
    if (kind === "condition") {
      parts.push(`${counted(ofKind.length, "condition")} ${ofKind.length === 1 ? one : many}`);
      continue;
    }
    const { everyone, others } = subjectsOf(ofKind);
    const number =
      parts.length > 0 && everyone.length === 0 ? others.toLocaleString("en-US") : counted(others, "principal");
    const subjects = [...everyone, ...(others > 0 ? [number] : [])];
    const verb = everyone.length + others === 1 ? one : many;
    parts.push(`${subjects.join(" and ")} ${verb}${parts.length > 0 ? "" : " access"}`);
  }
  const removed = changes.filter(isWithoutEffect).length;
  if (removed > 0) {
    const verb = operation === "access" ? (removed === 1 ? "was" : "were") : removed === 1 ? "is" : "are";
    parts.push(`${counted(removed, "grant")} without effect ${verb} removed`);
  }
  return capitalized(parts.join(", "));
}

/** The names for everyone, and the number of all other principals. Hidden principals count separately, because they may differ. */
function subjectsOf(changes: readonly AccessChanged[]): { everyone: string[]; others: number } {
  const named = changes.filter((each) => each.hidden === undefined);
  const principals = [...new Set(named.map(({ principal }) => principal))];
  const everyone = principals.flatMap((each) => everyoneBy(each) ?? []);
  return { everyone, others: principals.length - everyone.length + changes.length - named.length };
}

/** `Exit code 2: 2 lost grants and 1 changed condition not allowed, 1 rule violated`. The headline counts principals. */
export function verdictText(answer: Answer): string | undefined {
  const { exitCode, operation, stacks } = answer;
  const { unknown } = summaryOf(together(stacks));
  const violations = stacks.flatMap(({ verdict }) => judgementsWith(verdict, "refuses"));
  if (exitCode === 0) {
    if (operation === "access") return undefined;
    const losses = together(stacks).resources.some(({ changes }) => changes.some(isLoss));
    const [every, nobody] =
      unknown > 0 ? ["every known loss", "nobody is known to lose"] : ["every loss", "nobody loses"];
    return `Exit code 0: ${losses ? `${every} is allowed` : `${nobody} access`}`;
  }
  const count = (rule: string): number => violations.filter((violation) => violation.rule === rule).length;
  const [losses, gains, refused] = [count("loss"), count("gain"), count("refused")];
  const conditions = violations.filter((each) => each.rule === "loss" && each.finding?.kind === "condition").length;
  const lost = [
    ...(losses > conditions ? [counted(losses - conditions, "lost grant")] : []),
    ...(conditions > 0 ? [counted(conditions, "changed condition")] : []),
  ];
  const unexpected = count("expected");
  const unsure = violations.filter((each) => each.unsure).length;
  const broken = violations.length - losses - gains - refused - unexpected - unsure - count("unknown");
  const parts = [
    ...(lost.length > 0 ? [`${lost.join(" and ")} not allowed`] : []),
    ...(gains > 0 ? [`${counted(gains, "gain")} not allowed`] : []),
    ...(unexpected > 0 ? [`${counted(unexpected, "difference")} from the review`] : []),
    ...(broken > 0 ? [`${counted(broken, "rule")} violated`] : []),
    ...(unsure > 0 ? [`${counted(unsure, "rule")} possibly violated`] : []),
    ...(refused > 0 ? [`${counted(refused, "step")} refused`] : []),
    ...(unknown > 0 ? [`${counted(unknown, "thing")} unknown`] : []),
  ];
  return `Exit code ${exitCode}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}
