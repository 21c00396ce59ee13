import type { Uncertainty, Unjudged, Violation } from "../result/result";
import { matchesGlob } from "./glob";
import type { ReviewPolicy } from "./rules";
import type { Allowance } from "./strictest";

/** An unknown fact of a result, with the resource that it is about. */
export interface UnknownFact {
  fact: Uncertainty;
  resource?: string;
}

export function unknownFacts({ resources, unknown }: Pick<Unjudged, "resources" | "unknown">): UnknownFact[] {
  return [
    ...resources.flatMap(({ resource, unknown: own }) => own.map((fact) => ({ fact, resource }))),
    ...unknown.map((fact) => ({ fact })),
  ];
}

/** What the rule `otherProviders` decides about the steps of other providers. */
export interface ForeignVerdict {
  violations: Violation[];
  allowed: Allowance[];
  /** The facts that the rule decides. All others stay unknown. */
  decided: ReadonlySet<Uncertainty>;
}

export function judgeForeign(result: Unjudged, policy: ReviewPolicy | undefined): ForeignVerdict {
  const violations: Violation[] = [];
  const allowed: Allowance[] = [];
  const decided = new Set<Uncertainty>();
  for (const { fact, resource } of unknownFacts(result)) {
    const { verdict, rule, reason } = verdictOn(fact, policy?.otherProviders);
    if (verdict === "unknown") continue;
    decided.add(fact);
    if (verdict === "allow")
      allowed.push({ rule: "otherProviders", sentence: fact.message, by: rule, ...(reason && { reason }) });
    else violations.push({ rule, message: fact.message, ...(reason && { reason }), ...(resource && { resource }) });
  }
  return { violations, allowed, decided };
}

interface Decision {
  verdict: "unknown" | "fail" | "allow";
  rule: string;
  reason?: string;
}

function verdictOn({ code, type }: Uncertainty, rules: ReviewPolicy["otherProviders"] = "unknown"): Decision {
  const rule = "otherProviders";
  if (code !== "other provider" || type === undefined) return { verdict: "unknown", rule };
  if (typeof rules === "string") return { verdict: rules, rule };
  const index = rules.findIndex(({ types }) => types.some((pattern) => matchesGlob(pattern, type)));
  const found = rules[index];
  return found
    ? { verdict: found.verdict, rule: `${rule}[${index}]`, reason: found.reason }
    : { verdict: "unknown", rule };
}
