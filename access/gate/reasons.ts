import { wasShown } from "../changes/approved";
import { whyConstant } from "../condition/constant";
import { expiryOf } from "../condition/expiry";
import { period, periodInWords } from "../condition/period";
import {
  isConditional,
  isGain,
  isLoss,
  type AccessChanged,
  type Found,
  type StackAnswer,
  type Uncertainty,
  type Violation,
} from "../result/result";
import { isOfOtherProvider } from "../result/packages";
import { typeIn } from "../result/urn";
import { matchesGlob } from "./glob";
import { doubtOf, isNamedBy, matches, mayMatch, type Patterns, type Subject } from "./matches";
import { placeOf, unexpectedSentence, type ChangeMatter, type Matter } from "./matters";
import type { ReviewPolicy, Rules } from "./rules";

/**
 * A reason to allow or to forbid what a review found. Each option, each rule of a policy file, an approved review and an
 * expectation become reasons.
 */
export interface Reason {
  /** What the reason decides. Reasons with different questions do not override each other. */
  question: "loss" | "gain" | "expectation" | "role" | "refused step" | "unmanaged grant" | "unknown fact";
  /** `limits` forbids what no reason allows; `forbids` forbids it even then. `warns` only adds a warning. */
  effect: "allows" | "limits" | "forbids" | "warns";
  /** Whether the reason is a rule of a policy file that the verdict names beside the rule. */
  isOfFile?: true;
  /** What the reason says about a matter; undefined if it does not apply to the matter. */
  says(matter: Matter): Said | undefined;
}

/** What a reason says about a matter. */
export interface Said {
  /** The name of the reason: `loss`, `--allow-loss user:ada@example.com`, or the rule of the policy file: `allowLoss[0]`. */
  rule: string;
  /** The sentence of a violation. @default the sentence of the matter */
  message?: string;
  /** The reason for the rule of a policy file. */
  reason?: string;
  /** Whether it is unknown if the rule applies at all. */
  isUnsure?: boolean;
}

/** One policy file, or none: then only the options of the command line apply. */
export interface Source {
  file?: string;
  policy?: ReviewPolicy;
}

/** The policy files; one empty source if there are none. */
export function sourcesOf({ policy, files = [] }: Rules): Source[] {
  const sources = [...(policy ? [{ policy }] : []), ...files];
  return sources.length > 0 ? sources : [{}];
}

/** The reasons of one policy file and of the options, in the order in which a verdict shows violations. */
export function reasonsOf(
  { operation }: Pick<Found, "operation">,
  rules: Rules,
  { file, policy }: Source,
  approved?: StackAnswer,
): Reason[] {
  const { noChange } = rules;
  const isCompared = approved !== undefined || noChange === true;
  const reasons: Reason[] = [
    ...(isCompared ? expectation(operation, approved !== undefined) : lossLimits(rules, policy)),
    protection(policy),
    ...(isCompared ? [] : gainLimits(rules, policy)),
    ...roleRules(policy, rules.now),
    REFUSED,
    ...unmanagedRule(policy),
    ...foreignRule(policy),
    ...(policy?.unknown === "allow" ? [] : [UNKNOWN]),
  ];
  if (approved === undefined) return reasons;
  // What violates a rule was approved with the review that shows it.
  return reasons.map((reason) => ({
    ...reason,
    says: (matter) => {
      const said = reason.says(matter);
      if (said === undefined || reason.question === "expectation") return said;
      if (matter.kind === "change" && !matter.isComparable) return said;
      const isApproved = matter.kind === "change" && matter.isApproved;
      return isApproved || wasShown(approved, violationOf(matter, said), file) ? undefined : said;
    },
  }));
}

type Policy = ReviewPolicy | undefined;

/** What a reason says about a matter, as a violation has it. */
function violationOf(matter: Matter, { rule, isUnsure }: Said): Omit<Violation, "message"> {
  return { rule, ...placeOf(matter), ...(isUnsure && { unsure: true }) };
}

/**
 * Every change is unexpected that the approved review does not have.
 *
 * @param isOfPlan whether the review of a plan is compared. Then an unknown fact decides about a change that is not comparable.
 */
function expectation(operation: Found["operation"], isOfPlan: boolean): Reason[] {
  return [
    { question: "expectation", effect: "allows", says: onChanges(({ isApproved }) => isApproved && APPROVED) },
    {
      question: "expectation",
      effect: "limits",
      says: onChanges((matter) => {
        if (isOfPlan && !matter.isComparable) return undefined;
        const message =
          operation === "access"
            ? unexpectedSentence(matter)
            : `${matter.sentence} The approved review does not have this change.`;
        return { rule: "expected", message };
      }),
    },
  ];
}

const APPROVED: Said = { rule: "the approved review" };

/** Losses need an allowance. */
function lossLimits({ allowLoss = [] }: Rules, policy: Policy): Reason[] {
  const isKnownLoss = (matter: ChangeMatter) => isLoss(matter.change) && !isOfUnknownStep(matter);
  return [
    allowances("loss", isKnownLoss, ["--allow-loss", allowLoss], ["allowLoss", policy?.allowLoss]),
    { question: "loss", effect: "limits", says: onChanges((matter) => isKnownLoss(matter) && { rule: "loss" }) },
  ];
}

/** Whether the review does not know what the step of another provider does: then the unknown fact decides, and not the change. */
function isOfUnknownStep({ change, resource: { otherProvider, unknown } }: ChangeMatter): boolean {
  return otherProvider !== undefined && unknown.some(({ step }) => step === undefined || change.steps.includes(step));
}

/** Gains need an allowance if an option or the policy file says so. */
function gainLimits({ allowGain = [], noNewAccess }: Rules, policy: Policy): Reason[] {
  const { gains, mayGain } = policy ?? {};
  if (!noNewAccess && gains !== "fail" && mayGain === undefined) return [];
  const isAnyGain = ({ change }: ChangeMatter) => isGain(change);
  return [
    allowances("gain", isAnyGain, ["--allow-gain", allowGain], ["mayGain", mayGain]),
    {
      question: "gain",
      effect: "limits",
      ...(mayGain && { isOfFile: true }),
      says: onChanges((matter) => {
        if (!isAnyGain(matter)) return undefined;
        return mayGain === undefined
          ? { rule: "gain" }
          : { rule: "mayGain", message: `${matter.sentence} No entry of mayGain allows it.` };
      }),
    },
  ];
}

/** A rule in a list of the policy file. */
type Entry = Patterns & { reason: string };

/** The name of an entry of a list, and its reason, as the verdict shows them. */
function named(list: string, index: number, { reason }: { reason: string }): Required<Pick<Said, "rule" | "reason">> {
  return { rule: `${list}[${index}]`, reason };
}

/** What an option of the command line and a list of the policy file allow. */
function allowances(
  question: Reason["question"],
  isWanted: (matter: ChangeMatter) => boolean,
  [option, values]: readonly [name: string, values: readonly string[]],
  [list, entries = []]: readonly [name: string, entries: readonly Entry[] | undefined],
): Reason {
  return {
    question,
    effect: "allows",
    isOfFile: true,
    says: onChanges((matter) => {
      if (!isWanted(matter)) return undefined;
      const value = values.find((each) => isNamedBy(each, matter.subject));
      if (value !== undefined) return { rule: `${option} ${value}` };
      const index = entries.findIndex((each) => matches(each, matter.subject));
      const found = entries[index];
      return found && named(list, index, found);
    }),
  };
}

function protection(policy: Policy): Reason {
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

type Condition = AccessChanged["condition"];

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
  problemOf: (condition: Condition) => string | undefined,
): Reason {
  const isAbout = (matter: Matter): matter is GrantMatter =>
    matter.kind === "change" ? matter.change.change !== "lost" : matter.kind === "kept grant" && !!rule.alsoExisting;
  return {
    question: "role",
    effect: "forbids",
    isOfFile: true,
    says: (matter) => {
      if (!isAbout(matter) || !mayMatch(rule, matter.subject)) return undefined;
      const problem = problemOf(matter.kind === "change" ? matter.change.condition : matter.condition);
      if (problem === undefined) return undefined;
      return { ...name, ...withDoubt(`${matter.sentence} ${problem}`, rule, matter.subject) };
    },
  };
}

type GrantMatter = Extract<Matter, { kind: "change" | "kept grant" }>;

/** The sentence about a grant whose condition is missing or constant. What a condition refuses is not decided. */
function constantSentence(condition: Condition, now: number): string | undefined {
  if (!isConditional(condition)) return "This role needs a condition.";
  const why = whyConstant(condition?.expression ?? "", now);
  return why && `This role needs a condition that is not constant. ${why}`;
}

/** The sentence about a grant that does not end in time. */
function notWithin(within: string, condition: Condition, now: number): string | undefined {
  const needed = `This role needs a condition that ends within ${periodInWords(within)}.`;
  if (!isConditional(condition)) return needed;
  const { state, at, unread } = expiryOf(condition, now, period(within) ?? 0);
  if (state === "soon" || state === "expired") return undefined;
  if (state === "unknown") return `${needed} It is unknown when this one ends: ${unread} cannot be read.`;
  return `${needed} This one ${at === undefined ? "sets no end" : `ends on ${at}`}.`;
}

const REFUSED: Reason = {
  question: "refused step",
  effect: "forbids",
  says: ({ kind }) => (kind === "refused step" ? { rule: "refused" } : undefined),
};

/** The rule about unmanaged grants that no entry of `allowUnmanaged` names. */
function unmanagedRule({ unmanaged, allowUnmanaged = [] }: Partial<ReviewPolicy> = {}): Reason[] {
  if (unmanaged === undefined) return [];
  return [
    {
      question: "unmanaged grant",
      effect: unmanaged === "fail" ? "forbids" : "warns",
      says: (matter) => {
        if (matter.kind !== "unmanaged grant") return undefined;
        return allowUnmanaged.some((each) => matches(each, matter.subject)) ? undefined : { rule: "unmanaged" };
      },
    },
  ];
}

/**
 * The rule `otherProviders`: it forbids the steps of other providers, and allows those that are unknown. Where a review knows who
 * loses access, an allowance must name the loss.
 */
function foreignRule(policy: Policy): Reason[] {
  const decided = (verdict: "fail" | "allow") => (matter: Matter) => {
    const types = matter.kind === "unknown fact" ? typeOf(matter.fact) : verdict === "fail" ? typesOf(matter) : [];
    const decisions = types.flatMap((type) => decisionOn(type, policy?.otherProviders) ?? []);
    return decisions.find((each) => each.verdict === verdict)?.said;
  };
  return [
    { question: "unknown fact", effect: "forbids", isOfFile: true, says: decided("fail") },
    { question: "unknown fact", effect: "allows", isOfFile: true, says: decided("allow") },
  ];
}

function typeOf({ code, type }: Uncertainty): string[] {
  return code === "other provider" && type !== undefined ? [type] : [];
}

/** The types of other providers' steps that make a change. */
function typesOf(matter: Matter): string[] {
  const steps = matter.kind === "change" ? matter.change.steps : [];
  return steps.map(typeIn).filter(isOfOtherProvider);
}

function decisionOn(type: string, rule: ReviewPolicy["otherProviders"]) {
  const list = "otherProviders";
  if (rule === undefined) return undefined;
  if (typeof rule === "string") return { verdict: rule, said: { rule: list } };
  const index = rule.findIndex(({ types }) => types.some((pattern) => matchesGlob(pattern, type)));
  const found = rule[index];
  return found && { verdict: found.verdict, said: named(list, index, found) };
}

const UNKNOWN: Reason = {
  question: "unknown fact",
  effect: "limits",
  says: ({ kind }) => (kind === "unknown fact" ? { rule: "unknown" } : undefined),
};

/** What a reason says about changes. It says nothing about other matters. */
function onChanges(says: (matter: ChangeMatter) => Said | false | undefined): Reason["says"] {
  return (matter) => (matter.kind === "change" && says(matter)) || undefined;
}
