import type { Grant } from "./policy";

/** About a screen. */
const MOST_LINES = 20;

/**
 * A grant as a line of a message: `user:ada@example.com roles/viewer if until July`.
 *
 * @param member as it is to be shown.
 */
export function grantLine({ member, role, condition }: Grant, shown = member): string {
  return `${shown} ${role}${condition ? ` if ${condition.title || "a condition holds"}` : ""}`;
}

/** The kind of a member whose name must not be shown: `user:[secret]`; `allUsers` names nobody, and stays. */
export function kindOfMember(member: string): string {
  return member.replace(/^((?:deleted:)?\w+:).*/s, "$1[secret]");
}

/** The first lines, and how many more there are. */
export function firstLines(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  return [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more`];
}
