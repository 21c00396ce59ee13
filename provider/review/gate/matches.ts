import { normalName } from "../../core/reference";
import { sameMember } from "../../iam/member";
import { matchesGlob, matchesMember } from "./glob";

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

/** Whether all patterns that are given match. */
export function matches({ principals, roles, resources }: Patterns, { principal, role, resource }: Subject): boolean {
  return (
    any(principals, principal, matchesMember) && any(roles, role, matchesGlob) && any(resources, resource, matchesGlob)
  );
}

function any(patterns: readonly string[] | undefined, text: string, test: typeof matchesGlob): boolean {
  if (patterns === undefined) return true;
  return patterns.some((pattern) => (isPlaceholder(text) ? TAKES_ALL.test(pattern) : test(pattern, text)));
}

/** Whether a value of `--allow-loss` is the principal, the role or the resource, as a whole. */
export function isNamedBy(value: string, { principal, role, resource }: Subject): boolean {
  if (isPlaceholder(value)) return false;
  return role === value || resource === normalName(value) || sameMember(principal, value);
}

/** What stands for a secret or a value that is not known yet, such as `user:[secret]`: it is not the value. */
function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text);
}

const PLACEHOLDER = /\[(secret|known after the update)\]/;
/** Only such a pattern matches a value that is not shown. */
const TAKES_ALL = /^\*+$/;
