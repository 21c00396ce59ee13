import { changesOf, lackOfBounds, type ChangeOn } from "./changes";
import { doubtOf, isNamedBy, matches, mayMatch, type Patterns, type Subject } from "./matches";
import { expiryOf } from "../condition/expiry";
import { period, periodInWords } from "../condition/period";
import { grantKey } from "../../provider/iam/policy";
import { sortedByApproval, wasShown } from "../changes/approved";
import { judgeForeign, unknownFacts, type UnknownFact } from "./other-providers";
import { strictest, type Allowance, type FileVerdict } from "./strictest";
import {
  isConditional,
  isGain,
  isIncomplete,
  isLoss,
  type ReviewedGrant,
  type ReviewedResource,
  type Unjudged,
  type Verdict,
  type Violation,
} from "../result/result";
import type { ReviewPolicy, Rules, RulesFile } from "./rules";

/**
 * Judges a review. Pure: the same result and rules give the same verdict.
 *
 * The exit code is 3 if the plan is incomplete, because a missing step may take access from anybody. Otherwise it is 2 if
 * somebody loses access and no rule allows it, if gains need an allowance and one has none, if something violates a rule of a
 * policy file, or if the provider would refuse a step; otherwise 3 if something is unknown; otherwise 0.
 * More allowances never increase it.
 */
export function judge(result: Unjudged, rules: Rules): Verdict {
  const { policy, files = [], revision, warnings = [] } = rules;
  const policies: Partial<RulesFile>[] = [...(policy ? [{ policy }] : []), ...files];
  const verdicts = (policies.length > 0 ? policies : [{}]).map((each) => judgeByOne(result, { ...rules, ...each }));
  const verdict = strictest(verdicts);
  const about = warnings.map((message) => ({ rule: "rules", message }));
  const all = [...about, ...(verdict.warnings ?? [])];
  const [nearest, ...above] = files.map(({ file }) => file).toReversed();
  const { violations } = verdict;
  return {
    exitCode: isIncomplete(result) ? 3 : exitCodeOf(violations),
    violations,
    ...(all.length > 0 ? { warnings: all } : {}),
    allowed: verdict.allowed,
    ...(policy && nearest === undefined ? {} : { rules: nearest ?? null }),
    ...(above.length > 0 ? { rulesAbove: above.toReversed() } : {}),
    ...(revision === undefined ? {} : { rulesRevision: revision }),
  };
}

function exitCodeOf(violations: readonly Violation[]): Verdict["exitCode"] {
  if (violations.length === 0) return 0;
  return violations.every(({ rule }) => rule === "unknown") ? 3 : 2;
}

/** The rules of the command line and of at most one policy file. */
interface OneFile extends Omit<Rules, "files" | "revision" | "warnings"> {
  file?: RulesFile["file"];
}

function judgeByOne(result: Unjudged, rules: OneFile): FileVerdict {
  const { approved, ...others } = rules;
  if (approved === undefined) return judgeAll(result, rules);
  const sorted = sortedByApproval(approved, result);
  const { violations, ...verdict } = judgeAll(sorted.more, { ...others, noChange: true });
  const more = violations.filter((each) => !wasShown(approved, each, rules.file));
  return { ...verdict, violations: more, allowed: changesOf(sorted.approved).map(approvedChange) };
}

function approvedChange(on: ChangeOn): Allowance {
  return isLoss(on.change)
    ? { rule: "loss", sentence: lossSentence(on), by: APPROVED }
    : { rule: "gain", sentence: gainSentence(on), by: APPROVED };
}

const APPROVED = "the approved review";

/** The verdict of everything but an approved review. */
function judgeAll(result: Unjudged, rules: OneFile): FileVerdict {
  const { policy } = rules;
  const { losses, gains } = rules.noChange
    ? { losses: unexpected(result), gains: NOTHING }
    : { losses: judgeLosses(result, rules), gains: judgeGains(result, rules) };
  const violations = [
    ...losses.violations,
    ...(policy ? protectedViolations(result, policy) : []),
    ...gains.violations,
    ...(policy ? roleViolations(result, policy, rules.now) : []),
    ...result.refused.map(({ resource, reason }) => ({
      rule: "refused",
      message: `The provider would refuse a step: ${reason}`,
      ...(resource === undefined ? {} : { resource }),
    })),
  ];
  const unmanaged = unmanagedViolations(result, policy);
  if (policy?.unmanaged === "fail") violations.push(...unmanaged);
  const foreign = judgeForeign(result, policy);
  violations.push(...foreign.violations);
  const all = unknownFacts(result).filter(({ fact }) => !foreign.decided.has(fact));
  const unknown = policy?.unknown === "allow" ? [] : unknownViolations(all);
  return {
    violations: [...violations, ...unknown],
    ...(policy?.unmanaged === "warn" && unmanaged.length > 0 ? { warnings: unmanaged } : {}),
    allowed: [...losses.allowed, ...gains.allowed, ...foreign.allowed],
    ...(rules.file === undefined ? {} : { file: rules.file }),
  };
}

/** The options whose values match nothing in the review. Most likely, they are typing mistakes. */
export function unusedAllowances(result: Unjudged, { allowLoss = [], allowGain = [] }: Rules): string[] {
  const subjects = result.resources.flatMap((each) => [
    ...each.changes.map((change) => subjectOf({ resource: each.resource, change })),
    ...existing(each),
  ]);
  const unused = (values: readonly string[]) =>
    values.filter((value) => !subjects.some((subject) => isNamedBy(value, subject)));
  return [
    ...unused(allowLoss).map((value) => `--allow-loss ${value}`),
    ...unused(allowGain).map((value) => `--allow-gain ${value}`),
  ];
}

function subjectOf({ resource, change: { principal, role } }: ChangeOn): Subject {
  return { principal, role, resource };
}

/** The grants on a resource after the plan, as far as they are known. */
function existing({ resource, after }: ReviewedResource): (Subject & Pick<ChangeOn["change"], "condition">)[] {
  return (after ?? []).flatMap(({ role, members, condition }) =>
    members.map((principal) => ({ principal, role, resource, ...(condition === undefined ? {} : { condition }) })),
  );
}

interface JudgedChanges {
  violations: Violation[];
  allowed: Allowance[];
}

const NOTHING: JudgedChanges = { violations: [], allowed: [] };

/** What is not as a review expected it. */
function unexpected(result: Unjudged): JudgedChanges {
  const violations = result.resources.flatMap((resource) =>
    resource.changes.map((change): Violation => {
      const on = { resource: resource.resource, change };
      const message = result.operation === "access" ? unexpectedSentence(on, resource) : notApprovedSentence(on);
      return { rule: "expected", message, ...placeOf(subjectOf(on)) };
    }),
  );
  return { violations, allowed: [] };
}

/** The losses, without those that violate `protectedPrincipals` whatever is allowed. */
function judgeLosses(result: Unjudged, { allowLoss = [], policy }: Rules): JudgedChanges {
  // The review does not know whether a step of another provider takes access away: each such step is an unknown fact.
  const own = { resources: result.resources.filter(({ otherProvider }) => otherProvider === undefined) };
  const losses = changesOf(own).filter((on) => isLoss(on.change) && protecting(policy, subjectOf(on)) === undefined);
  return judgeChanges(losses, lossSentence, {
    rule: "loss",
    option: ["--allow-loss", allowLoss],
    list: ["allowLoss", policy?.allowLoss],
    refused: { rule: "loss" },
  });
}

/** The gains, where they need an allowance. */
function judgeGains(result: Unjudged, { allowGain = [], noNewAccess, policy }: Rules): JudgedChanges {
  const { gains: rule, mayGain } = policy ?? {};
  if (!noNewAccess && rule !== "fail" && mayGain === undefined) return { violations: [], allowed: [] };
  const gains = changesOf(result).filter(({ change }) => isGain(change));
  return judgeChanges(gains, gainSentence, {
    rule: "gain",
    option: ["--allow-gain", allowGain],
    list: ["mayGain", mayGain],
    refused: mayGain === undefined ? { rule: "gain" } : { rule: "mayGain", verdict: "No entry of mayGain allows it." },
  });
}

interface Allowances extends Pick<Allowance, "rule"> {
  /** The option of the command line, and its values. */
  option: readonly [name: string, values: readonly string[]];
  /** The list of the policy file. */
  list: readonly [name: string, rules: readonly (Patterns & { reason: string })[] | undefined];
  /** The violation of a change that nothing allows. @param verdict is added to its sentence */
  refused: { rule: string; verdict?: string };
}

function judgeChanges(
  changes: readonly ChangeOn[],
  sentenceOf: (on: ChangeOn) => string,
  { rule: kind, option: [option, values], list: [list, rules = []], refused: { rule, verdict } }: Allowances,
): JudgedChanges {
  const violations: Violation[] = [];
  const allowed: Allowance[] = [];
  for (const on of changes) {
    const subject = subjectOf(on);
    const sentence = sentenceOf(on);
    const byOption = values.find((value) => isNamedBy(value, subject));
    const index = rules.findIndex((each) => matches(each, subject));
    const byFile = rules[index];
    if (byOption !== undefined) allowed.push({ rule: kind, sentence, by: `${option} ${byOption}` });
    else if (byFile) allowed.push({ rule: kind, sentence, by: `${list}[${index}]`, reason: byFile.reason });
    else
      violations.push({
        rule,
        message: verdict === undefined ? sentence : `${sentence} ${verdict}`,
        ...placeOf(subject),
      });
  }
  return { violations, allowed };
}

/** The index of the rule that protects this principal's access, or may protect it. */
function protecting(policy: ReviewPolicy | undefined, subject: Subject): number | undefined {
  const rules = policy?.protectedPrincipals ?? [];
  const sure = rules.findIndex((rule) => matches(rule, subject));
  const index = sure < 0 ? rules.findIndex((rule) => mayMatch(rule, subject)) : sure;
  return index < 0 ? undefined : index;
}

/** The message of a violation. It says so if it is unknown whether the rule matches. */
function refusal(sentence: string, verdict: string, rule: Patterns, subject: Subject): string {
  const doubt = doubtOf(rule, subject);
  return `${sentence} ${verdict}${doubt === undefined ? "" : ` It is unknown whether the rule applies: ${doubt}.`}`;
}

function protectedViolations(result: Unjudged, policy: ReviewPolicy): Violation[] {
  return changesOf(result)
    .filter(({ change }) => isLoss(change))
    .flatMap((on) => {
      const subject = subjectOf(on);
      const index = protecting(policy, subject);
      if (index === undefined) return [];
      const rule = policy.protectedPrincipals?.[index];
      const message = refusal(lossSentence(on), "This principal is protected.", rule ?? {}, subject);
      return [{ rule: `protectedPrincipals[${index}]`, message, reason: rule?.reason, ...placeOf(subject) }];
    });
}

/** The unmanaged grants that no entry of `allowUnmanaged` names. A review of a plan has none: no plan makes or removes them. */
function unmanagedViolations(
  { operation, resources }: Unjudged,
  { unmanaged: rule, allowUnmanaged = [] }: Partial<ReviewPolicy> = {},
): Violation[] {
  if (operation !== "access" || rule === undefined) return [];
  return resources
    .filter(({ ofStack }) => ofStack !== false)
    .flatMap(({ resource, unmanaged }) => unmanaged.map(({ principal, role }) => ({ principal, role, resource })))
    .filter((subject) => !allowUnmanaged.some((each) => matches(each, subject)))
    .map((subject) => ({
      rule: "unmanaged",
      message: `${subject.principal} has ${subject.role} on ${subject.resource}, and the stack does not manage this grant.`,
      ...placeOf(subject),
    }));
}

/** A rule about roles. */
interface RoleRule extends Patterns {
  alsoExisting?: boolean;
  reason: string;
}

type GrantCondition = ChangeOn["change"]["condition"];

function roleViolations(
  result: Unjudged,
  { forbiddenRoles = [], conditionRequired = [] }: ReviewPolicy,
  now = Date.now(),
): Violation[] {
  const lackOf = lackOfBounds(now);
  return [
    ...forbiddenRoles.flatMap((rule, index) =>
      violationsOfRole(`forbiddenRoles[${index}]`, rule, result, () => "This role is forbidden."),
    ),
    ...conditionRequired.flatMap((rule, index) =>
      violationsOfRole(`conditionRequired[${index}]`, rule, result, (condition) => {
        if (rule.within !== undefined) return notWithin(rule.within, condition, now);
        return lackOf(condition);
      }),
    ),
  ];
}

/** The sentence about a grant that does not end in time. */
function notWithin(within: string, condition: GrantCondition, now: number): string | undefined {
  const needed = `This role needs a condition that ends within ${periodInWords(within)}.`;
  if (!isConditional(condition)) return needed;
  const { state, at, unread } = expiryOf(condition, now, period(within) ?? 0);
  if (state === "soon" || state === "expired") return undefined;
  if (state === "unknown") return `${needed} It is unknown when this one ends: ${unread} cannot be read.`;
  return `${needed} This one ${at === undefined ? "sets no end" : `ends on ${at}`}.`;
}

/** @param verdict the sentence that names the problem of a grant with this condition; undefined if it has none */
function violationsOfRole(
  name: string,
  rule: RoleRule,
  result: Unjudged,
  verdict: (condition: GrantCondition) => string | undefined,
): Violation[] {
  const violation = (sentence: string, subject: Subject, problem: string) => ({
    rule: name,
    message: refusal(sentence, problem, rule, subject),
    reason: rule.reason,
    ...placeOf(subject),
  });
  const changed = changesOf(result)
    .filter(({ change }) => change.change !== "lost")
    .map((on) => ({ on, subject: subjectOf(on), problem: verdict(on.change.condition) }))
    .filter(({ subject, problem }) => problem !== undefined && mayMatch(rule, subject));
  const listed = new Set(changed.map(({ subject }) => keyOf(subject)));
  const kept = rule.alsoExisting
    ? result.resources
        .flatMap(existing)
        .map((grant) => ({ grant, problem: verdict(grant.condition) }))
        .filter(({ grant, problem }) => problem !== undefined && mayMatch(rule, grant) && !listed.has(keyOf(grant)))
    : [];
  return [
    ...changed.map(({ on, subject, problem = "" }) => violation(gainSentence(on), subject, problem)),
    ...kept.map(({ grant, problem = "" }) =>
      violation(`${grant.principal} has ${grant.role} on ${grant.resource}, and keeps it.`, grant, problem),
    ),
  ];
}

function unknownViolations(facts: readonly UnknownFact[]): Violation[] {
  return facts.map(({ fact: { message }, resource }) => ({
    rule: "unknown",
    message,
    ...(resource === undefined ? {} : { resource }),
  }));
}

function lossSentence(on: ChangeOn): string {
  const { principal, role, resource } = subjectOf(on);
  if (on.change.change === "lost") return `${principal} loses ${role} on ${resource}.`;
  const before = on.change.conditionBefore;
  return `${principal} keeps ${role} on ${resource} under ${before ? "another" : "a new"} condition.`;
}

function gainSentence(on: ChangeOn): string {
  const { principal, role, resource } = subjectOf(on);
  if (on.change.change === "gained") return `${principal} gains ${role} on ${resource}.`;
  const now = isConditional(on.change.condition) ? "under another condition" : "without a condition";
  return `${principal} keeps ${role} on ${resource} ${now}.`;
}

function keyOfGrant({ principal: member, role, condition }: ReviewedGrant): string {
  return grantKey({ member, role, ...(condition ? { condition } : {}) });
}

function notApprovedSentence(on: ChangeOn): string {
  return `${isLoss(on.change) ? lossSentence(on) : gainSentence(on)} The approved review does not have this change.`;
}

/** What is not as the review expected, and who may have done it. */
function unexpectedSentence(on: ChangeOn, { unmanaged }: ReviewedResource): string {
  const { change } = on.change;
  const { principal, role, resource } = subjectOf(on);
  if (change === "lost") {
    return (
      `${principal} does not have ${role} on ${resource}, and the review expected it. The update did not make this grant, ` +
      "or somebody removed it after the review."
    );
  }
  const what = change === "gained" ? "" : " under another condition";
  const key = keyOfGrant(on.change);
  const isUnmanaged = unmanaged.some((each) => keyOfGrant(each) === key);
  const by = isUnmanaged
    ? "The stack does not manage this grant: somebody else made it after the review, or the update did not remove it."
    : "The stack manages this grant: the program made it where no preview shows it, such as in `apply` or behind " +
      "`isDryRun()`, or it has changed since the review.";
  return `${principal} has ${role} on ${resource}${what}, and the review did not expect it. ${by}`;
}

function keyOf({ principal, role, resource }: Subject): string {
  return JSON.stringify([principal, role, resource]);
}

function placeOf({ principal, role, resource }: Subject): Pick<Violation, "principal" | "role" | "resource"> {
  return { principal, role, resource };
}
