import { approvedOf, comparedWithApproved } from "../changes/approved";
import { groupedBy } from "../result/order";
import {
  isIncomplete,
  summaryOf,
  type Answer,
  type Found,
  type StackAnswer,
  type Verdict,
  type Violation,
} from "../result/result";
import { deadPatternsIn } from "./dead-patterns";
import { isNamedBy } from "./matches";
import { mattersOf, numbered, placeOf, type Matter } from "./matters";
import { reasonsOf, sourcesOf, type Reason, type Said, type Source } from "./reasons";
import type { Rules } from "./rules";

/**
 * The answer about a stack, of what was found: with its counts and the verdict of the rules.
 *
 * @throws InputError if the approved review of the rules is not about the same operation of the same stack
 */
export function judged(found: Found, rules: Rules): StackAnswer {
  const approved = rules.approved && approvedOf(rules.approved, found);
  const compared = numbered(approved ? comparedWithApproved(approved, found) : found);
  const { operation: _, ...answer } = compared;
  return { ...answer, summary: summaryOf(compared), verdict: judge(compared, rules, approved) };
}

/**
 * Judges a review. Pure: the same result and rules give the same verdict.
 *
 * The exit code is 3 if the plan is incomplete, because a missing step may take access from anybody. Otherwise it is 2 if
 * somebody loses access and no rule allows it, if gains need an allowance and one has none, if something violates a rule of a
 * policy file, or if the provider would refuse a step; otherwise 3 if something is unknown; otherwise 0.
 * More allowances never increase it, and more policy files never decrease it.
 */
export function judge(result: Found, rules: Rules, approved?: StackAnswer): Verdict {
  const { policy, files = [], revision, warnings: aboutFiles = [] } = rules;
  const sources = sourcesOf(rules);
  const reasons = sources
    .flatMap((source) => reasonsOf(result, rules, source, approved).map((reason) => ({ ...reason, source })))
    .map((reason, order) => ({ ...reason, order }));
  const decisions = mattersOf(numbered(result), approved).flatMap((matter) => decisionsOn(matter, reasons));
  const verdicts = (verdict: Decision["verdict"]) =>
    decisions.filter((each) => each.verdict === verdict).toSorted(byOrder);
  // The result has the name of the only file already.
  const areNamed = sources.length > 1;
  const violations = unique(verdicts("violation").map((each) => violationOf(each, areNamed)));
  const messages = new Set(violations.map(({ message }) => message));
  const warnings = [
    ...aboutFiles.map((message) => ({ rule: "rules", message })),
    ...sources.flatMap((source) => deadPatternsOf(result, source, areNamed)),
    ...unique(verdicts("warning").map((each) => violationOf(each, areNamed))).filter(
      ({ message }) => !messages.has(message),
    ),
    ...verdicts("overruled").flatMap((each) => (each.reason === undefined ? [] : overruled(each, areNamed))),
  ];
  const allowed = new Set(verdicts("allowed").map((each) => allowedSentence(each, areNamed)));
  const [nearest, ...above] = files.map(({ file }) => file).toReversed();
  return {
    exitCode: isIncomplete(result.operation, result) ? 3 : exitCodeOf(violations),
    violations: [...violations.filter((each) => !isUnknown(each)), ...violations.filter(isUnknown)],
    ...(warnings.length > 0 ? { warnings } : {}),
    allowed: [...allowed],
    ...(policy && nearest === undefined ? {} : { rules: nearest ?? null }),
    ...(above.length > 0 ? { rulesAbove: above.toReversed() } : {}),
    ...(revision === undefined ? {} : { rulesRevision: revision }),
  };
}

function exitCodeOf(violations: readonly Violation[]): Verdict["exitCode"] {
  if (violations.length === 0) return 0;
  return violations.every(isUnknown) ? 3 : 2;
}

function deadPatternsOf({ resources }: Found, { file, policy }: Source, areNamed: boolean): Violation[] {
  const named = areNamed && file !== undefined ? { file } : {};
  return policy
    ? deadPatternsIn(
        policy,
        resources.map(({ resource }) => resource),
      ).map((each) => ({ ...each, ...named }))
    : [];
}

function isUnknown({ rule, unsure }: Violation): boolean {
  return rule === "unknown" || unsure === true;
}

/** The options whose values match nothing in the review. Most likely, they are typing mistakes. */
export function unusedAllowances(
  { operation, stacks }: Pick<Answer, "operation" | "stacks">,
  { allowLoss = [], allowGain = [] }: Rules,
): string[] {
  const subjects = stacks
    .flatMap((each) => mattersOf(numbered({ ...each, operation })))
    .flatMap((each) => (each.kind === "change" || each.kind === "kept grant" ? [each.subject] : []));
  const unused = (option: string, values: readonly string[]) =>
    values
      .filter((value) => !subjects.some((subject) => isNamedBy(value, subject)))
      .map((value) => `${option} ${value}`);
  return [...unused("--allow-loss", allowLoss), ...unused("--allow-gain", allowGain)];
}

/** A reason with its policy file, and its place among all reasons, which orders the verdict. */
type PlacedReason = Reason & { source: Source; order: number };

/** What a reason says about a matter. */
interface Statement extends Said, Omit<PlacedReason, "says"> {
  matter: Matter;
}

interface Decision extends Statement {
  verdict: "violation" | "warning" | "allowed" | "overruled";
  /** For an allowance that others overrule: their policy files. */
  overruledBy: ReadonlySet<Source>;
}

function decisionsOn(matter: Matter, reasons: readonly PlacedReason[]): Decision[] {
  const answers = reasons.flatMap(({ says, ...reason }): Statement[] => {
    const said = says(matter);
    return said ? [{ ...reason, ...said, matter }] : [];
  });
  return [...groupedBy(answers, ({ question }) => question).values()].flatMap(decisionsOf);
}

/** An allowance counts only if it counts in each policy file, so that a further file can only make the verdict stricter. */
function decisionsOf(answers: readonly Statement[]): Decision[] {
  const decisive = [...groupedBy(answers, ({ source }) => source).values()].flatMap(decisiveOf);
  const refusing = decisive.filter(({ effect }) => effect === "forbids" || effect === "limits");
  const overruledBy = new Set(refusing.map(({ source }) => source));
  return decisive.map((each) => ({ ...each, verdict: verdictOf(each, overruledBy.size > 0), overruledBy }));
}

/**
 * The answers that count among those of one policy file to one question. A rule of which it is unknown whether it applies takes no
 * other violation's place.
 */
function decisiveOf(answers: readonly Statement[]): readonly Statement[] {
  const forbidding = answers.filter(({ effect }) => effect === "forbids");
  if (forbidding.some(({ isUnsure }) => !isUnsure)) return forbidding;
  const allowing = answers.find(({ effect }) => effect === "allows");
  if (!allowing) return answers;
  return forbidding.length > 0 ? forbidding : [allowing];
}

function verdictOf({ effect }: Statement, isRefused: boolean): Decision["verdict"] {
  if (effect === "warns") return "warning";
  if (effect === "allows") return isRefused ? "overruled" : "allowed";
  return "violation";
}

function byOrder(left: Statement, right: Statement): number {
  return left.order - right.order;
}

function fileOf({ isOfFile, source }: Statement, areNamed: boolean): Pick<Violation, "file"> {
  return areNamed && isOfFile && source.file !== undefined ? { file: source.file } : {};
}

function violationOf(answer: Statement, areNamed: boolean): Violation {
  const { rule, matter, message = matter.sentence, reason, isUnsure } = answer;
  return {
    rule,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...placeOf(matter),
    finding: matter.finding,
    ...(isUnsure && { unsure: true }),
    ...fileOf(answer, areNamed),
  };
}

/** Without this, people would not know why their allowance does not help. */
function overruled(decision: Decision, areNamed: boolean): Violation {
  const { rule, matter, overruledBy } = decision;
  const others = [...overruledBy].map(({ file = "the policy of the calling program" }) => file).join(" and ");
  const message = `${matter.sentence} This rule allows it, but not ${others}: an allowance must be in each policy file.`;
  return { rule, message, finding: matter.finding, ...fileOf(decision, areNamed) };
}

function allowedSentence(answer: Statement, areNamed: boolean): string {
  const { rule, matter, reason } = answer;
  if (reason === undefined) return `${matter.sentence} Allowed by ${rule}.`;
  const { file } = fileOf(answer, areNamed);
  return `${matter.sentence} Allowed by ${rule}${file === undefined ? "" : ` of ${file}`}: ${reason}`;
}

function unique(violations: readonly Violation[]): Violation[] {
  return [...new Map(violations.map((each) => [JSON.stringify(each), each])).values()];
}
