import { sameMember } from "../../iam/member";
import { normalName } from "../../core/reference";
import { matchesGlob, matchesMember } from "./glob";

/** What a rule is compared with. */
export interface Subject {
  principal: string;
  role: string;
  resource: string;
  /** Set where the principal or the role is not shown by the plan: which of the two, the review does not say. */
  hidden?: string;
}

/** The patterns of a rule. One that is not given matches everything. */
export interface Patterns {
  principals?: readonly string[];
  roles?: readonly string[];
  resources?: readonly string[];
}

/** Whether all patterns that are given match. */
export function matches({ principals, roles, resources }: Patterns, subject: Subject): boolean {
  const { principal, role, resource, hidden } = subject;
  // A placeholder such as `[secret]` is not the value: only a pattern that takes every value takes it.
  const isPlaceholder = (text: string) => hidden !== undefined && text.startsWith("[");
  const any = (given: readonly string[] | undefined, text: string, test: typeof matchesGlob) =>
    given === undefined || given.some((pattern) => (isPlaceholder(text) ? /^\*+$/.test(pattern) : test(pattern, text)));
  return (
    any(principals, principal, matchesMember) && any(roles, role, matchesGlob) && any(resources, resource, matchesGlob)
  );
}

/** Whether a value of `--allow-loss` is the principal, the role or the resource, as a whole. */
export function isNamedBy(value: string, { principal, role, resource, hidden }: Subject): boolean {
  if (role === value || resource === normalName(value)) return true;
  return (hidden === undefined || !principal.startsWith("[")) && sameMember(principal, value);
}
