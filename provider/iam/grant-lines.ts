import type { Grant } from "./policy";

/** The largest number of lines: about a screen. */
const MOST_LINES = 20;

/**
 * A grant as a line of a message: `user:ada@example.com roles/viewer if until July`.
 *
 * @param member the member as the message shows it.
 */
export function grantLine({ member, role, condition }: Grant, shown = member): string {
  return `${shown} ${role}${condition ? ` if ${condition.title || "a condition holds"}` : ""}`;
}

/** Shows only the kind of a secret member: `user:[secret]`. `allUsers` has no name to hide, so it is unchanged. */
export function kindOfMember(member: string): string {
  return member.replace(/^((?:deleted:)?\w+:).*/s, "$1[secret]");
}

/** Returns the first lines, and a line with the number of omitted ones. */
export function firstLines(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  return [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more`];
}
