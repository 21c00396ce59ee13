import { factsOf, wasShown } from "../changes/approved";
import { whyConstant } from "../condition/constant";
import { expiryOf } from "../condition/expiry";
import { period, periodInWords } from "../condition/period";
import { isConditional, isGain, isLoss, type Condition, type Found, type StackAnswer } from "../result/result";
import { expectation } from "./expectation";
import type { Finding } from "./findings";
import { foreignRule } from "./foreign-rule";
import { doubtOf, isNamedBy, matches, mayMatch, type Patterns, type Subject } from "./matches";
import { named, onChanges, type ChangeFinding, type Rule, type Said, type Source } from "./rule";
import type { ReviewPolicy, Rules } from "./rules";

/** The rules of one policy file and of the options, in the order in which a verdict has their judgements. */
export function rulesOf(
  { operation }: Pick<Found, "operation">,
  rules: Rules,
  { file, policy }: Source,
  approved?: StackAnswer,
): Rule[] {
  const { noChange } = rules;
  const isCompared = approved !== undefined || noChange === true;
  const all: Rule[] = [
    ...(isCompared ? expectation(operation, approved !== undefined) : lossLimits(rules, policy)),
    protection(policy),
    ...(isCompared ? [] : gainLimits(rules, policy)),
    ...roleRules(policy, rules.now),
    REFUSED,
    ...unmanagedRule(policy),
    ...foreignRule(policy),
    ...(policy?.unknown === "allow" ? [] : [UNKNOWN]),
  ];
  if (approved === undefined) return all;
  const hasFact = factsOf(approved);
  // What violates a rule was approved with the review that shows it.
  return all.map((rule) => ({
    ...rule,
    says: (finding) => {
      const said = rule.says(finding);
      const { change, fact } = finding;
      // A rule about types allows each step of a type. Nobody approved those that the approved review does not have.
      if (rule.effect === "allows" && fact && !hasFact(fact)) return undefined;
      if (said === undefined || rule.question === "expectation" || change?.approval === "not comparable") return said;
      return change?.approval === "approved" || wasShown(approved, finding, said, file) ? undefined : said;
    },
  }));
}

type Policy = ReviewPolicy | undefined;

/** Losses need an allowance. */
function lossLimits({ allowLoss = [] }: Rules, policy: Policy): Rule[] {
  const isKnownLoss = ({ change }: ChangeFinding) => isLoss(change) && !isOfUnknownStep(change);
  return [
    allowances("loss", isKnownLoss, ["--allow-loss", allowLoss], ["allowLoss", policy?.allowLoss]),
    { question: "loss", effect: "limits", says: onChanges((finding) => isKnownLoss(finding) && { rule: "loss" }) },
  ];
}

/** Whether the review does not know what the step of another provider does: then the unknown fact decides, and not the change. */
function isOfUnknownStep({ steps, on: { otherProvider, unknown } }: ChangeFinding["change"]): boolean {
  return otherProvider !== undefined && unknown.some(({ step }) => step === undefined || steps.includes(step));
}

/** Gains need an allowance if an option or the policy file says so. */
function gainLimits({ allowGain = [], noNewAccess }: Rules, policy: Policy): Rule[] {
  const { gains, mayGain } = policy ?? {};
  if (!noNewAccess && gains !== "fail" && mayGain === undefined) return [];
  const isAnyGain = ({ change }: ChangeFinding) => isGain(change);
  return [
    allowances("gain", isAnyGain, ["--allow-gain", allowGain], ["mayGain", mayGain]),
    {
      question: "gain",
      effect: "limits",
      ...(mayGain && { isOfFile: true }),
      says: onChanges((finding) => {
        if (!isAnyGain(finding)) return undefined;
        return mayGain === undefined
          ? { rule: "gain" }
          : { rule: "mayGain", message: `${finding.sentence} No entry of mayGain allows it.` };
      }),
    },
  ];
}

/** A rule in a list of the policy file. */
type Entry = Patterns & { reason: string };

/** What an option of the command line and a list of the policy file allow. */
function allowances(
  question: Rule["question"],
  isWanted: (finding: ChangeFinding) => boolean,
  [option, values]: readonly [name: string, values: readonly string[]],
  [list, entries = []]: readonly [name: string, entries: readonly Entry[] | undefined],
): Rule {
  return {
    question,
    effect: "allows",
    isOfFile: true,
    says: onChanges((finding) => {
      if (!isWanted(finding)) return undefined;
      const value = values.find((each) => isNamedBy(each, finding.subject));
      if (value !== undefined) return { rule: `${option} ${value}` };
      const index = entries.findIndex((each) => matches(each, finding.subject));
      const found = entries[index];
      return found && named(list, index, found);
    }),
  };
}

function protection(policy: Policy): Rule {
  const entries = policy?.protectedPrincipals ?? [];
  return {
    question: "loss",
    effect: "forbids",
    isOfFile: true,
    says: onChanges(({ change, subject, sentence }) => {
      if (!isLoss(change)) return undefined;
      const sure = entries.findIndex((each) => matches(each, subject));
      const index = sure < 0 ? entries.findIndex((each) => mayMatch(each, subject)) : sure;
      const found = entries[index];
      const message = `${sentence} This principal is protected.`;
      return found && { ...named("protectedPrincipals", index, found), ...withDoubt(message, found, subject) };
    }),
  };
}

/** A message, with a sentence if it is unknown whether the rule applies. */
function withDoubt(message: string, rule: Patterns, subject: Subject): Pick<Said, "message" | "isUnsure"> {
  const doubt = doubtOf(rule, subject);
  if (doubt === undefined) return { message };
  return { message: `${message} It is unknown whether the rule applies: ${doubt.why}.`, isUnsure: !doubt.isHidden };
}

function roleRules({ forbiddenRoles = [], conditionRequired = [] }: Partial<ReviewPolicy> = {}, now = Date.now()) {
  return [
    ...forbiddenRoles.map((rule, index) =>
      roleRule(rule, named("forbiddenRoles", index, rule), () => "This role is forbidden."),
    ),
    ...conditionRequired.map((rule, index) =>
      roleRule(rule, named("conditionRequired", index, rule), (condition) =>
        rule.within === undefined ? constantSentence(condition, now) : notWithin(rule.within, condition, now),
      ),
    ),
  ];
}

/** @param problemOf the sentence about the problem of a grant with this condition; undefined if it has none */
function roleRule(
  rule: Entry & { alsoExisting?: boolean | undefined },
  name: Said,
  problemOf: (condition: Condition | undefined) => string | undefined,
): Rule {
  const isAbout = ({ kind, change }: Finding) =>
    change ? kind !== "lost" : kind === "kept" && rule.alsoExisting === true;
  return {
    question: "role",
    effect: "forbids",
    isOfFile: true,
    says: (finding) => {
      const { subject, condition, sentence } = finding;
      if (!subject || !isAbout(finding) || !mayMatch(rule, subject)) return undefined;
      const problem = problemOf(condition);
      return problem === undefined ? undefined : { ...name, ...withDoubt(`${sentence} ${problem}`, rule, subject) };
    },
  };
}

/** The sentence about a grant whose condition is missing or constant. What a condition refuses is not decided. */
function constantSentence(condition: Condition | undefined, now: number): string | undefined {
  if (!isConditional(condition)) return "This role needs a condition.";
  const why = whyConstant(condition?.expression ?? "", now);
  return why && `This role needs a condition that is not constant. ${why}`;
}

/** The sentence about a grant that does not end in time. */
function notWithin(within: string, condition: Condition | undefined, now: number): string | undefined {
  const needed = `This role needs a condition that ends within ${periodInWords(within)}.`;
  if (!isConditional(condition)) return needed;
  const { state, at, unread } = expiryOf(condition, now, period(within) ?? 0);
  if (state === "soon" || state === "expired") return undefined;
  if (state === "unknown") return `${needed} It is unknown when this one ends: ${unread} cannot be read.`;
  return `${needed} This one ${at === undefined ? "sets no end" : `ends on ${at}`}.`;
}

const REFUSED: Rule = {
  question: "refused step",
  effect: "forbids",
  says: ({ kind }) => (kind === "refused" ? { rule: "refused" } : undefined),
};

/** The rule about unmanaged grants that no entry of `allowUnmanaged` names. */
function unmanagedRule({ unmanaged, allowUnmanaged = [] }: Partial<ReviewPolicy> = {}): Rule[] {
  if (unmanaged === undefined) return [];
  return [
    {
      question: "unmanaged grant",
      effect: unmanaged === "fail" ? "forbids" : "warns",
      says: ({ kind, subject }) => {
        if (kind !== "unmanaged" || !subject) return undefined;
        return allowUnmanaged.some((each) => matches(each, subject)) ? undefined : { rule: "unmanaged" };
      },
    },
  ];
}

const UNKNOWN: Rule = {
  question: "unknown fact",
  effect: "limits",
  says: ({ kind }) => (kind === "unknown" ? { rule: "unknown" } : undefined),
};
