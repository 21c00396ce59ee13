import { normalName } from "../../provider/core/reference";
import { caseMatters, comparableMember, sameMember } from "../../provider/iam/member";
import { canMatchGlob, matchesGlob, matchesMember, type TextPart } from "./glob";

/** What a rule is compared with. */
export interface Subject {
  principal: string;
  role: string;
  resource: string;
}

/** The patterns of a rule. One that is not given matches everything. */
export interface Patterns {
  principals?: readonly string[];
  roles?: readonly string[];
  resources?: readonly string[];
}

/** Whether all patterns that are given match, for a rule that allows. Only `*` matches a value that is not shown. */
export function matches({ principals, roles, resources }: Patterns, { principal, role, resource }: Subject): boolean {
  return (
    any(principals, principal, matchesMember) && any(roles, role, matchesGlob) && any(resources, resource, matchesGlob)
  );
}

function any(patterns: readonly string[] | undefined, text: string, test: typeof matchesGlob): boolean {
  if (patterns === undefined) return true;
  return patterns.some((pattern) => (isHidden(text) ? TAKES_ALL.test(pattern) : test(pattern, text)));
}

/**
 * Whether all patterns that are given match or may match, for a rule that refuses: nobody passes it with a value that is
 * not shown, or with the number of a project that the rule names by its id.
 */
export function mayMatch({ principals, roles, resources }: Patterns, { principal, role, resource }: Subject): boolean {
  return (
    (principals?.some((pattern) => mayMatchMember(pattern, principal)) ?? true) &&
    (roles?.some((pattern) => matchesGlob(pattern, role) || mayMatchHidden(pattern, role)) ?? true) &&
    (resources?.some((pattern) => mayMatchResource(pattern, resource)) ?? true)
  );
}

/** Why it is unknown whether a rule matches that may match; undefined where it does. */
export function doubtOf(rule: Patterns, subject: Subject): string | undefined {
  const { principal, role, resource } = subject;
  if (matches(rule, subject)) return undefined;
  if ([principal, role, resource].some(isHidden)) return "the plan does not show all that the rule looks at";
  const project = projectIn(resource);
  const form = project && isNumber(project) ? "number" : "id";
  return `projects/${project} names its project by the ${form}, and the rule may name it by the ${form === "id" ? "number" : "id"}`;
}

function mayMatchMember(pattern: string, member: string): boolean {
  if (matchesMember(pattern, member)) return true;
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
  const shown = text.split(/\[(?:secret|known after the update)\]/);
  return canMatchGlob(
    pattern,
    shown.flatMap((part, at) => (at === 0 ? [part] : [/./s, part])),
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

/** Whether a value of `--allow-loss` is the principal, the role or the resource, as a whole. */
export function isNamedBy(value: string, { principal, role, resource }: Subject): boolean {
  if (isHidden(value)) return false;
  return role === value || resource === normalName(value) || sameMember(principal, value);
}

/**
 * Whether a text stands for a value that is secret or not known yet, such as `user:[secret]`. A principal or a role may have
 * the same letters in it; a resource's name has none of them, and may be secret in part.
 */
function isHidden(text: string): boolean {
  return PLACEHOLDER.test(text) || (text.startsWith(PROJECTS) && /\[(secret|known after the update)\]/.test(text));
}

const PLACEHOLDER = /^((deleted:)?\w+:)?\[(secret|known after the update)\]$/;
/** Only such a pattern matches a value that is not shown. */
const TAKES_ALL = /^\*+$/;
