import type { Verdict, Violation } from "../result/result";
import type { RulesFile } from "./rules";

/** A change that something allows, and that would be a violation otherwise. */
export interface Allowance {
  rule: "loss" | "gain" | "otherProviders";
  /** About the change. */
  sentence: string;
  /** `--allow-loss user:ada@example.com`, or the rule of the policy file: `allowLoss[0]`. */
  by: string;
  /** The reason for the rule of a policy file. */
  reason?: string;
}

/** The verdict of the command line's options and of at most one policy file. */
export interface FileVerdict extends Pick<Verdict, "violations" | "warnings"> {
  allowed: readonly Allowance[];
  /** The name of the policy file. */
  file?: RulesFile["file"] | undefined;
}

/** The violations that no rule of a policy file names. Two policy files can have the same. */
const OF_NO_RULE = ["loss", "gain", "refused", "unknown", "unmanaged", "expected"];

/**
 * The verdict by all policy files. A violation of one of them is a violation, and an allowance counts if no file refuses what it
 * allows. So a further file can only make the verdict stricter.
 */
export function strictest(verdicts: readonly FileVerdict[]): Pick<Verdict, "violations" | "warnings" | "allowed"> {
  // The result has the name of the only file already.
  const named = verdicts.length > 1 ? verdicts : verdicts.map((each) => ({ ...each, file: undefined }));
  const violations = unique(named.flatMap((each) => each.violations.map((violation) => withFile(violation, each))));
  const messages = new Set(violations.map(({ message }) => message));
  const warnings = unique(named.flatMap((each) => (each.warnings ?? []).map((warning) => withFile(warning, each))));
  const allowances = named.flatMap(({ file, allowed }) =>
    allowed.map((each) => ({
      ...each,
      file,
      refusedBy: named.filter((other) => other.violations.some(refuses(each))),
    })),
  );
  const shown = [
    ...warnings.filter(({ message }) => !messages.has(message)),
    ...allowances.filter(({ reason, refusedBy }) => reason !== undefined && refusedBy.length > 0).map(overruled),
  ];
  return {
    violations: [...violations.filter((each) => !isUnknown(each)), ...violations.filter(isUnknown)],
    ...(shown.length > 0 && { warnings: shown }),
    allowed: [...new Set(allowances.filter(({ refusedBy }) => refusedBy.length === 0).map(allowedSentence))],
  };
}

/** Without this, people would not know why their allowance does not help. */
function overruled(allowance: Allowance & { file: string | undefined; refusedBy: readonly FileVerdict[] }): Violation {
  const { by, sentence, refusedBy } = allowance;
  const others = refusedBy.map(({ file = "the policy of the calling program" }) => file);
  const message = `${sentence} This rule allows it, but not ${others.join(" and ")}: an allowance must be in each policy file.`;
  return withFile({ rule: by, message }, allowance);
}

function isUnknown({ rule }: Violation): boolean {
  return rule === "unknown";
}

function withFile(violation: Violation, { file }: { file?: string | undefined }): Violation {
  return file === undefined || OF_NO_RULE.includes(violation.rule) ? violation : { ...violation, file };
}

/** Whether a violation is about the change that something else allows. */
function refuses({ rule, sentence }: Allowance) {
  const rules = {
    loss: /^(?:loss|protectedPrincipals\b.*)$/,
    gain: /^(?:gain|mayGain)$/,
    otherProviders: /^(?:unknown$|otherProviders)/,
  };
  return (violation: Violation) => rules[rule].test(violation.rule) && violation.message.startsWith(sentence);
}

function allowedSentence({ sentence, by, reason, file }: Allowance & { file: string | undefined }): string {
  if (reason === undefined) return `${sentence} Allowed by ${by}.`;
  return `${sentence} Allowed by ${by}${file === undefined ? "" : ` of ${file}`}: ${reason}`;
}

function unique(violations: readonly Violation[]): Violation[] {
  return [...new Map(violations.map((each) => [JSON.stringify(each), each])).values()];
}
