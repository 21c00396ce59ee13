import type { Finding } from "./findings";
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

/** The name of an entry of a list, and its reason, as the verdict shows them. */
export function named(
  list: string,
  index: number,
  { reason }: { reason: string },
): Required<Pick<Said, "rule" | "reason">> {
  return { rule: `${list}[${index}]`, reason };
}

export type ChangeFinding = Finding & Required<Pick<Finding, "subject" | "change">>;

/** Applies a rule to changes only. */
export function onChanges(says: (finding: ChangeFinding) => Said | false | undefined): Rule["says"] {
  return (finding) => (isChange(finding) && says(finding)) || undefined;
}

function isChange(finding: Finding): finding is ChangeFinding {
  return finding.subject !== undefined && finding.change !== undefined;
}
