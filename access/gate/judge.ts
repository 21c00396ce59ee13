import { comparedWithApproved } from "../changes/approved";
import { reviewAbout } from "../changes/earlier";
import { groupedBy } from "../result/order";
import {
  isIncomplete,
  isUnsure,
  summaryOf,
  type Answer,
  type Found,
  type Judgement,
  type StackAnswer,
  type Verdict,
} from "../result/result";
import { deadPatternsIn } from "./dead-patterns";
import { findingsOf, numbered, type Finding } from "./findings";
import { isNamedBy } from "./matches";
import type { Rules } from "./rules";
import { sourcesOf, type Rule, type Said, type Source } from "./rule";
import { rulesOf } from "./statements";

/**
 * The answer about a stack, of what was found: with its counts and the verdict of the rules.
 *
 * @throws InputError if the approved review of the rules is not about the same operation of the same stack
 */
export function judged(found: Found, rules: Rules): StackAnswer {
  const ours = found.operation;
  const problem = (theirs: Answer["operation"]) =>
    theirs === ours ? undefined : `must be ${ours}, as in this review, and is ${theirs}`;
  const approved = rules.approved && reviewAbout(rules.approved, found, problem);
  const compared = numbered(approved ? comparedWithApproved(approved, found) : found);
  const { operation: _, ...answer } = compared;
  return { ...answer, summary: summaryOf(compared), verdict: judge(compared, rules, approved) };
}

/**
 * Judges what was found about a stack. Pure: the same findings and rules give the same verdict.
 *
 * The exit code is 3 if the plan is incomplete, because a missing step may take access from anybody. Otherwise it is 2 if
 * somebody loses access and no rule allows it, if gains need an allowance and one has none, if something violates a rule of a
 * policy file, or if the provider would refuse a step; otherwise 3 if something is unknown; otherwise 0.
 * More allowances never increase it, and more policy files never decrease it.
 */
export function judge(found: Found, rules: Rules, approved?: StackAnswer): Verdict {
  const { policy, files = [], revision, warnings: aboutFiles = [] } = rules;
  const sources = sourcesOf(rules);
  // The verdict has the name of the only file already.
  const areNamed = sources.length > 1;
  const all = sources
    .flatMap((source) => rulesOf(found, rules, source, approved).map((rule) => ({ rule, source })))
    .map((each, order) => ({ ...each, order }));
  const decided = findingsOf(found, approved)
    .flatMap((finding) => statementsOn(finding, all))
    .toSorted((left, right) => left.order - right.order)
    .flatMap((each) => judgementOf(each, areNamed));
  const names = found.resources.map(({ resource }) => resource);
  const decidedTo = (effect: Judgement["effect"]) => decided.filter((each) => each.effect === effect);
  const violations = unique(decidedTo("refuses"));
  const messages = new Set(violations.map(({ message }) => message));
  const warnings = unique([
    ...aboutFiles.map((message): Judgement => ({ effect: "warns", rule: "rules", message })),
    ...sources.flatMap((source) => deadPatternsOf(source, names, areNamed)),
    ...decidedTo("warns"),
  ]);
  const [nearest, ...above] = files.map(({ file }) => file).toReversed();
  return {
    exitCode: isIncomplete(found.operation, found) ? 3 : exitCodeOf(violations),
    judgements: [
      ...violations.filter((each) => !isUnsure(each)),
      ...violations.filter(isUnsure),
      // A warning does not repeat a violation.
      ...warnings.filter(({ message }) => !messages.has(message)),
      ...unique(decidedTo("allows")),
    ],
    ...(policy && nearest === undefined ? {} : { rules: nearest ?? null }),
    ...(above.length > 0 ? { rulesAbove: above.toReversed() } : {}),
    ...(revision === undefined ? {} : { rulesRevision: revision }),
  };
}

function exitCodeOf(violations: readonly Judgement[]): Verdict["exitCode"] {
  if (violations.length === 0) return 0;
  return violations.every(isUnsure) ? 3 : 2;
}

function deadPatternsOf({ file, policy }: Source, names: readonly string[], areNamed: boolean): Judgement[] {
  const named = areNamed && file !== undefined ? { file } : {};
  const dead = policy ? deadPatternsIn(policy, names) : [];
  return dead.map((each) => ({ effect: "warns", ...each, ...named }));
}

/** The options whose values match nothing in the answer. Most likely, they are typing mistakes. */
export function unusedAllowances(
  { operation, stacks }: Pick<Answer, "operation" | "stacks">,
  { allowLoss = [], allowGain = [] }: Rules,
): string[] {
  const subjects = stacks
    .flatMap((each) => findingsOf({ ...each, operation }))
    .flatMap(({ kind, subject }) => (kind === "unmanaged" ? [] : (subject ?? [])));
  const unused = (option: string, values: readonly string[]) =>
    values
      .filter((value) => !subjects.some((subject) => isNamedBy(value, subject)))
      .map((value) => `${option} ${value}`);
  return [...unused("--allow-loss", allowLoss), ...unused("--allow-gain", allowGain)];
}

/** What a rule says about a finding, with its policy file and its place among all rules. */
interface Statement {
  finding: Finding;
  rule: Rule;
  source: Source;
  order: number;
  said: Said;
  /** The policy files that refuse what is to be judged. */
  refusedBy: ReadonlySet<Source>;
}

/** The statements about a finding that count. */
function statementsOn(
  finding: Finding,
  rules: ReadonlyArray<Pick<Statement, "rule" | "source" | "order">>,
): Statement[] {
  const all = rules.flatMap((each): Statement[] => {
    const said = each.rule.says(finding);
    return said ? [{ ...each, said, finding, refusedBy: new Set() }] : [];
  });
  return [...groupedBy(all, ({ rule }) => rule.question).values()].flatMap((answers) => {
    const decisive = [...groupedBy(answers, ({ source }) => source).values()].flatMap(decisiveOf);
    const refusing = decisive.filter(({ rule }) => rule.effect === "forbids" || rule.effect === "limits");
    const refusedBy = new Set(refusing.map(({ source }) => source));
    return decisive.map((each) => ({ ...each, refusedBy }));
  });
}

/**
 * The statements that count among those of one policy file on one question. A rule of which it is unknown whether it applies takes no
 * other violation's place.
 */
function decisiveOf(statements: readonly Statement[]): readonly Statement[] {
  const forbidding = statements.filter(({ rule }) => rule.effect === "forbids");
  if (forbidding.some(({ said }) => !said.isUnsure)) return forbidding;
  const allowing = statements.find(({ rule }) => rule.effect === "allows");
  if (!allowing) return statements;
  return forbidding.length > 0 ? forbidding : [allowing];
}

/** An allowance counts only if it counts in each policy file, so that a further file can only make the verdict stricter. */
function judgementOf({ finding, rule, source, said, refusedBy }: Statement, areNamed: boolean): Judgement[] {
  const { sentence, subject, resource, number, kind, api, steps } = finding;
  const { rule: name, reason, message = sentence } = said;
  const common = {
    rule: name,
    ...(subject && { principal: subject.principal, role: subject.role }),
    ...(resource !== undefined && { resource }),
    finding: { number, kind, ...(api !== undefined && { api }), steps },
  };
  const because = reason === undefined ? {} : { reason };
  const file = areNamed && rule.isOfFile && source.file !== undefined ? { file: source.file } : {};
  if (rule.effect !== "allows") {
    const effect = rule.effect === "warns" ? "warns" : "refuses";
    return [{ effect, ...common, message, ...because, ...file, ...(said.isUnsure && { unsure: true }) }];
  }
  if (refusedBy.size === 0)
    return [{ effect: "allows", ...common, message: sentence, ...because, ...(reason === undefined ? {} : file) }];
  if (reason === undefined) return [];
  // Without this, people would not know why their allowance does not help.
  const others = [...refusedBy].map(({ file: of = "the policy of the calling program" }) => of).join(" and ");
  const why = `This rule allows it, but not ${others}: an allowance must be in each policy file.`;
  return [{ effect: "warns", ...common, message: `${sentence} ${why}`, ...file }];
}

function unique(judgements: readonly Judgement[]): Judgement[] {
  return [...new Map(judgements.map((each) => [JSON.stringify(each), each])).values()];
}
