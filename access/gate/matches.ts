import { hostIn, normalName } from "../../provider/core/reference";
import { policyResource } from "../../provider/iam/kinds/kinds";
import { caseMatters, comparableMember, sameMember } from "../../provider/iam/member";
import { datasetRolesOf } from "../result/dataset-roles";
import type { NamedGrant } from "../result/sentences";
import { isHidden, partsAroundHidden } from "../result/texts";
import { canMatchGlob, GOOGLE_SERVICE_AGENTS, matchesGlob, matchesMember } from "../result/glob";
import type { ResourceNames } from "./resource-names";

/** The patterns of a rule. An absent list matches everything. */
export interface Patterns {
  principals?: readonly string[];
  roles?: readonly string[];
  resources?: readonly string[];
}

/** What rules compare: a grant, and all names of its resource. */
export interface Subject extends NamedGrant, ResourceNames {}

/** Whether all given patterns match, for a rule that allows. A hidden value matches `*` only. */
export function matches({ principals, roles, resources }: Patterns, subject: Subject): boolean {
  const { principal, resource, names } = subject;
  return (
    any(principals, [principal], matchesMember) &&
    any(roles, rolesOf(subject), matchesGlob) &&
    any(resources, isHidden(resource) ? [resource] : names, matchesGlob)
  );
}

function any(patterns: readonly string[] | undefined, texts: readonly string[], test: typeof matchesGlob): boolean {
  return someOf(patterns, (pattern) =>
    texts.some((text) => (isHidden(text) ? TAKES_ALL.test(pattern) : test(pattern, text))),
  );
}

/**
 * Whether all given patterns match or may match, for a rule that refuses. Hidden values may match, and so does the other name of a
 * project that the review did not read.
 */
export function mayMatch({ principals, roles, resources }: Patterns, subject: Subject): boolean {
  const { principal, names, possible } = subject;
  const mayBe = (pattern: string, texts: readonly string[]) =>
    texts.some((text) => matchesGlob(pattern, text) || mayMatchHidden(pattern, text));
  const all = rolesOf(subject);
  return (
    someOf(principals, (pattern) => mayMatchMember(pattern, principal)) &&
    someOf(roles, (pattern) => mayBe(pattern, all)) &&
    someOf(resources, (pattern) => mayBe(pattern, names) || possible.some(({ parts }) => canMatchGlob(pattern, parts)))
  );
}

function someOf(patterns: readonly string[] | undefined, test: (pattern: string) => boolean): boolean {
  return patterns === undefined || patterns.some(test);
}

/** All names of a role. In the access list of a dataset, three roles have two. */
function rolesOf({ role, names }: Subject): readonly string[] {
  const isOfDataset = names.some((name) => /(^|\/)datasets\/[^/]+$/.test(name));
  return isOfDataset ? datasetRolesOf(role) : [role];
}

/**
 * Why it is unknown whether a rule applies that may match, as a clause; undefined if it does match.
 *
 * @returns `isHidden`: whether a value is hidden. Then the rule is applied; otherwise, the doubt itself is the verdict.
 */
export function doubtOf(rule: Patterns, subject: Subject): { why: string; isHidden: boolean } | undefined {
  const { principal, role, resource, possible } = subject;
  if (matches(rule, subject)) return undefined;
  if ([principal, role, resource].some(isHidden)) {
    return { why: "the plan does not show a value that the rule compares", isHidden: true };
  }
  const found = possible.find(({ parts }) => rule.resources?.some((pattern) => canMatchGlob(pattern, parts)));
  return { why: found?.why ?? `${resource} may have another name`, isHidden: false };
}

function mayMatchMember(pattern: string, member: string): boolean {
  if (matchesMember(pattern, member)) return true;
  if (pattern === GOOGLE_SERVICE_AGENTS) return isHidden(member);
  return mayMatchHidden(caseMatters(member) ? pattern : comparableMember(pattern), member);
}

function mayMatchHidden(pattern: string, text: string): boolean {
  if (!isHidden(text)) return false;
  return canMatchGlob(
    pattern,
    partsAroundHidden(text).flatMap((part, at) => (at === 0 ? [part] : [/./s, part])),
  );
}

/** Whether a value of `--allow-loss` equals the principal, the role or a name of the resource. */
export function isNamedBy(value: string, subject: Subject): boolean {
  const { principal, resource, names } = subject;
  if (isHidden(value)) return false;
  if (rolesOf(subject).includes(value) || sameMember(principal, value)) return true;
  if (isHidden(resource)) return false;
  // The host of a full name or of a URL says which API the resource is of.
  const named = hostIn(value) === undefined ? value : fullNameOf(value);
  return names.includes(value) || names.includes(named) || resource === normalName(value);
}

function fullNameOf(text: string): string {
  const found = policyResource(text);
  return typeof found === "string" ? text : found.fullName;
}

/** The only patterns that match a hidden value. */
const TAKES_ALL = /^\*+$/;
