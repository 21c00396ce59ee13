import { matchesGlob } from "../result/glob";
import { isOwn } from "../result/packages";
import { typeIn } from "../result/urn";
import type { Finding } from "./findings";
import { named, sourcesOf, type Rule } from "./rule";
import type { ReviewPolicy, Rules } from "./rules";

/**
 * The rule `otherProviders`: it forbids the steps of other providers, and allows those that are unknown. Where a review knows who
 * loses access, an allowance must name the loss.
 */
export function foreignRule(policy: ReviewPolicy | undefined): Rule[] {
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
