import { factsOf, wasShown } from "../changes/approved";
import { whyConstant } from "../condition/constant";
import { expiryOf } from "../condition/expiry";
import { period, periodInWords } from "../condition/period";
import { isConditional, isGain, isLoss, type Condition, type Found, type StackAnswer } from "../result/result";
import { keyOfGrant } from "../result/grants";
import { isOwn } from "../result/packages";
import { principalText } from "../result/sentences";
import { typeIn } from "../result/urn";
import type { Finding } from "./findings";
import { matchesGlob } from "../result/glob";
import { doubtOf, isNamedBy, matches, mayMatch, type Patterns, type Subject } from "./matches";
import type { ReviewPolicy, Rules } from "./rules";

/**
 * What a rule says about findings. Each option, each rule of a policy file, an approved review and an expectation is a rule.
 */
export interface Rule {
  /** What the rule decides. Rules with different questions do not override each other. */
  question: "loss" | "gain" | "expectation" | "role" | "refused step" | "unmanaged grant" | "unknown fact";
  /** `limits` forbids what no rule allows; `forbids` forbids it even then. `warns` only adds a warning. */
  effect: "allows" | "limits" | "forbids" | "warns";
  /** Whether a judgement names the policy file of the rule, if several apply. */
  isOfFile?: true;
  /** What the rule says about a finding; undefined if it does not apply. */
  says(finding: Finding): Said | undefined;
}

/** What a rule says about a finding. */
export interface Said {
  /** The name of the rule: `loss`, `--allow-loss user:ada@example.com`, or its place in the policy file: `allowLoss[0]`. */
  rule: string;
  /** The sentence of a judgement that refuses. @default the sentence of the finding */
  message?: string;
  /** The reason for the rule, from the policy file. */
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

/**
 * Every change is unexpected that the approved review does not have.
 *
 * @param isOfPlan whether the review of a plan is compared. Then an unknown fact decides about a change that is not comparable.
 */
function expectation(operation: Found["operation"], isOfPlan: boolean): Rule[] {
  return [
    {
      question: "expectation",
      effect: "allows",
      says: onChanges(({ change }) => change.approval === "approved" && APPROVED),
    },
    {
      question: "expectation",
      effect: "limits",
      says: onChanges((finding) => {
        if (isOfPlan && finding.change.approval === "not comparable") return undefined;
        const message =
          operation === "access"
            ? unexpectedSentence(finding)
            : `${finding.sentence} The approved review does not have this change.`;
        return { rule: "expected", message };
      }),
    },
  ];
}

/** The sentence about a difference from what a review expected, with who may have made it. */
function unexpectedSentence({ subject, change }: ChangeFinding): string {
  const { principal, role, resource } = subject;
  if (change.change === "lost") {
    return (
      `${principalText(principal)} does not have ${role} on ${resource}, and the review expected it. The update did not make this grant, ` +
      "or somebody removed it after the review."
    );
  }
  const what = change.change === "gained" ? "" : " under another condition";
  const key = keyOfGrant(change);
  const by = change.on.unmanaged.some((each) => keyOfGrant(each) === key)
    ? "The stack does not manage this grant: somebody else made it after the review, or the update did not remove it."
    : "The stack manages this grant: the program made it where no preview shows it, such as in `apply` or behind " +
      "`isDryRun()`, or it has changed since the review.";
  return `${principalText(principal)} has ${role} on ${resource}${what}, and the review did not expect it. ${by}`;
}

const APPROVED: Said = { rule: "the approved review" };

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

/** The name of an entry of a list, and its reason, as the verdict shows them. */
function named(list: string, index: number, { reason }: { reason: string }): Required<Pick<Said, "rule" | "reason">> {
  return { rule: `${list}[${index}]`, reason };
}

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

/**
 * The rule `otherProviders`: it forbids the steps of other providers, and allows those that are unknown. Where a review knows who
 * loses access, an allowance must name the loss.
 */
function foreignRule(policy: Policy): Rule[] {
  const decided = (verdict: "fail" | "allow") => (finding: Finding) => {
    const types = finding.fact || verdict === "fail" ? typesOf(finding) : [];
    const decisions = types.flatMap((type) => decisionOn(type, policy?.otherProviders) ?? []);
    return decisions.find((each) => each.verdict === verdict)?.said;
  };
  return [
    { question: "unknown fact", effect: "forbids", isOfFile: true, says: decided("fail") },
    { question: "unknown fact", effect: "allows", isOfFile: true, says: decided("allow") },
  ];
}

/**
 * What the lists of `otherProviders` say about a type: `fail` if the list of one file says so, otherwise `unknown` if one says that. Undefined
 * if no list names the type, or all that do allow it.
 */
export function verdictOnNamed(rules: Rules): (type: string) => "unknown" | "fail" | undefined {
  const lists = sourcesOf(rules).flatMap(({ policy }) =>
    typeof policy?.otherProviders === "object" ? [policy.otherProviders] : [],
  );
  return (type) => {
    const verdicts = lists.map((list) => decisionOn(type, list)?.verdict);
    return (["fail", "unknown"] as const).find((each) => verdicts.includes(each));
  };
}

/** The types of other providers' steps that make a change, or that an unknown fact is about. */
function typesOf({ change, fact }: Finding): string[] {
  if (fact) return fact.code === "other provider" && fact.type !== undefined ? [fact.type] : [];
  return (change?.steps ?? []).map(typeIn).filter((type) => !isOwn(type));
}

function decisionOn(type: string, rule: ReviewPolicy["otherProviders"]) {
  const list = "otherProviders";
  if (rule === undefined) return undefined;
  if (typeof rule === "string") return { verdict: rule, said: { rule: list } };
  const index = rule.findIndex(({ types }) => types.some((pattern) => matchesGlob(pattern, type)));
  const found = rule[index];
  return found && { verdict: found.verdict, said: named(list, index, found) };
}

const UNKNOWN: Rule = {
  question: "unknown fact",
  effect: "limits",
  says: ({ kind }) => (kind === "unknown" ? { rule: "unknown" } : undefined),
};

type ChangeFinding = Finding & Required<Pick<Finding, "subject" | "change">>;

/** What a rule says about changes. It says nothing about other findings. */
function onChanges(says: (finding: ChangeFinding) => Said | false | undefined): Rule["says"] {
  return (finding) => (isChange(finding) && says(finding)) || undefined;
}

function isChange(finding: Finding): finding is ChangeFinding {
  return finding.subject !== undefined && finding.change !== undefined;
}
