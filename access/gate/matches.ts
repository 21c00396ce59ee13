import { normalName } from "../../provider/core/reference";
import { caseMatters, comparableMember, sameMember } from "../../provider/iam/member";
import type { NamedGrant } from "../result/sentences";
import { isHidden, partsAroundHidden } from "../result/texts";
import { canMatchGlob, GOOGLE_SERVICE_AGENTS, matchesGlob, matchesMember, type TextPart } from "./glob";

/** The patterns of a rule. An absent list matches everything. */
export interface Patterns {
  principals?: readonly string[];
  roles?: readonly string[];
  resources?: readonly string[];
}

/** Whether all given patterns match, for a rule that allows. A hidden value matches `*` only. */
export function matches(
  { principals, roles, resources }: Patterns,
  { principal, role, resource }: NamedGrant,
): boolean {
  return (
    any(principals, principal, matchesMember) && any(roles, role, matchesGlob) && any(resources, resource, matchesGlob)
  );
}

function any(patterns: readonly string[] | undefined, text: string, test: typeof matchesGlob): boolean {
  if (patterns === undefined) return true;
  return patterns.some((pattern) => (isHidden(text) ? TAKES_ALL.test(pattern) : test(pattern, text)));
}

/**
 * Whether all given patterns match or may match, for a rule that refuses. Hidden values may match, and so does the number of a
 * project that the rule names by its id.
 */
export function mayMatch(
  { principals, roles, resources }: Patterns,
  { principal, role, resource }: NamedGrant,
): boolean {
  return (
    (principals?.some((pattern) => mayMatchMember(pattern, principal)) ?? true) &&
    (roles?.some((pattern) => matchesGlob(pattern, role) || mayMatchHidden(pattern, role)) ?? true) &&
    (resources?.some((pattern) => mayMatchResource(pattern, resource)) ?? true)
  );
}

/** The reason why it is unknown whether a rule matches; undefined when it does match. */
export function doubtOf(rule: Patterns, subject: NamedGrant): string | undefined {
  const { principal, role, resource } = subject;
  if (matches(rule, subject)) return undefined;
  if ([principal, role, resource].some(isHidden)) return "the plan does not show a value that the rule compares";
  const project = projectIn(resource);
  const form = project && isNumber(project) ? "number" : "id";
  return `projects/${project} has the ${form} of the project, and the rule may have its ${form === "id" ? "number" : "id"}`;
}

function mayMatchMember(pattern: string, member: string): boolean {
  if (matchesMember(pattern, member)) return true;
  if (pattern === GOOGLE_SERVICE_AGENTS) return isHidden(member);
  return mayMatchHidden(caseMatters(member) ? pattern : comparableMember(pattern), member);
}

function mayMatchResource(pattern: string, resource: string): boolean {
  if (matchesGlob(pattern, resource) || mayMatchHidden(pattern, resource)) return true;
  const project = projectIn(resource);
  if (project === undefined) return false;
  const rest = resource.slice(PROJECTS.length + project.length);
  return canMatchGlob(pattern, [PROJECTS, ...(isNumber(project) ? PROJECT_ID : PROJECT_NUMBER), rest]);
}

function mayMatchHidden(pattern: string, text: string): boolean {
  if (!isHidden(text)) return false;
  return canMatchGlob(
    pattern,
    partsAroundHidden(text).flatMap((part, at) => (at === 0 ? [part] : [/./s, part])),
  );
}

const PROJECTS = "projects/";
/** A project's id begins with a letter: `example-prod`, `example.com:prod`. */
const PROJECT_ID: readonly TextPart[] = [/[a-z]/, /[a-z0-9.:-]/];
const PROJECT_NUMBER: readonly TextPart[] = [/\d/];

function projectIn(resource: string): string | undefined {
  return /^projects\/([^/]+)/.exec(resource)?.[1];
}

function isNumber(project: string): boolean {
  return /^\d+$/.test(project);
}

/** Whether a value of `--allow-loss` equals the principal, the role or the resource. */
export function isNamedBy(value: string, { principal, role, resource }: NamedGrant): boolean {
  if (isHidden(value)) return false;
  return role === value || resource === normalName(value) || sameMember(principal, value);
}

/** The only patterns that match a hidden value. */
const TAKES_ALL = /^\*+$/;
