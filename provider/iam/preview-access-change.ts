import type { Reporter } from "../http/call";
import { comparableMember, kindOfMember, sameMember } from "./member";
import { membersOf, type AccessChange, type Grant, type Policy } from "./policy";

/** The facts of a preview about a policy that is replaced. */
export interface AnnouncedLoss {
  /** Relative name. */
  resource: string;
  /** The number of principals that lose a role. */
  principals: number;
}

/** Members that a message must not show. */
export interface HiddenMembers {
  /** The secret members. No part of them is shown. */
  readonly members: readonly string[];
  /** Whether all other members are hidden too. Only their kinds are shown. */
  readonly others: boolean;
}

/**
 * Reports at preview who gains and who loses access: as a warning when somebody loses access, else as information. It reports
 * nothing when nothing changes.
 *
 * @param hidden undefined when every member may be shown.
 * @param role set when the change sets the members of this role, and not the whole policy.
 */
export function previewAccessChange(
  resource: string,
  { gained, lost }: Pick<AccessChange, "gained" | "lost">,
  reporter: Reporter,
  hidden?: HiddenMembers,
  role?: string,
): void {
  if (gained.length + lost.length === 0) return;
  const line = (sign: string) => (grant: Grant) => `${sign} ${grantLine(grant, shown(grant.member, hidden))}`;
  const lines = firstLines([...lost.map(line("-")), ...gained.map(line("+"))]).join("\n");
  if (lost.length === 0) {
    reporter.info(`${CHANGES} ${resource}: ${principals(gained)} will gain a role\n${lines}`);
    return;
  }
  const counts = `${principals(lost)} will lose and ${principals(gained)} gain`;
  reporter.warning(
    role === undefined
      ? `${REPLACES} ${resource}: ${counts} a role\n${lines}\n${KEEP_OTHERS}`
      : `${SETS} ${resource}: ${counts} a role\n${lines}\nAdd a member to \`members\` to keep its access by ${role}.`,
  );
}

/**
 * Warns at preview that a replacement deletes its old grants after it creates the new ones. Engines do not tell providers whether
 * a resource has `retainOnDelete`.
 *
 * @param old `grant` for one grant, `binding` for the grants of a role binding.
 * @param lost without the grants that other resources of the program have.
 */
export function previewLossByReplacement(
  resource: string,
  old: "grant" | "binding",
  lost: readonly Grant[],
  reporter: Reporter,
  hidden?: HiddenMembers,
): void {
  if (lost.length === 0) return;
  const except =
    old === "grant"
      ? "or another resource of this program declares the same one"
      : "and except for the members to whom other resources of this program give the same role";
  const lines = firstLines(lost.map((grant) => `- ${grantLine(grant, shown(grant.member, hidden))}`)).join("\n");
  reporter.warning(
    `This replacement deletes the old ${old} on ${resource}, unless it has the option retainOnDelete ${except}: ` +
      `${principals(lost)} will lose a role\n${lines}`,
  );
}

/** Warns that the delete of a role binding leaves the members that others added. */
export function warnOfKeptMembers(
  resource: string,
  kept: readonly Grant[],
  reporter: Reporter,
  hidden?: HiddenMembers,
): void {
  if (kept.length === 0) return;
  const lines = firstLines(kept.map((grant) => `  ${grantLine(grant, shown(grant.member, hidden))}`)).join("\n");
  reporter.warning(
    `Deleting the binding on ${resource} removes only the members that it declares. Others were added outside of it and keep the ` +
      `role: ${principals(kept)}\n${lines}`,
  );
}

/**
 * Warns that a policy lacks grants of the state. Another member may be the same identity, because the API stores the primary address
 * of an identity, also when it is sent an alias or an earlier address. The warning counts them and names none: one may be a secret
 * of another resource.
 *
 * @param doing what happens to the grants: "This delete of a grant removes nothing".
 * @param missing all with one role and condition.
 */
export function warnOfMissingGrants(
  doing: string,
  resource: string,
  missing: readonly Grant[],
  policy: Policy,
  reporter: Reporter,
  hidden?: HiddenMembers,
): void {
  const [first] = missing;
  if (!first) return;
  const lines = firstLines(missing.map((grant) => `  ${grantLine(grant, shown(grant.member, hidden))}`)).join(",\n");
  const others = possiblePrimaries(missing, policy).length;
  const some = others === 1 ? "One other member of this kind has" : `${others} other members of this kind have`;
  const advice =
    others === 0
      ? ""
      : `.\n${some} the role there: if one is the same identity under its primary name, it keeps the role ` +
        "(perimeter access shows the policy)";
  reporter.warning(`${doing}: the access policy of ${resource} does not have\n${lines}${advice}`);
}

/** The members of a policy that may be the same identities as members of grants that it lacks. */
export function possiblePrimaries(missing: readonly Grant[], policy: Policy): string[] {
  const [first] = missing;
  const kinds = new Set(missing.map(({ member }) => kindOfMember(member)));
  const all = first ? membersOf(policy, first) : [];
  return all.filter((each) => HAS_ALIASES.test(each) && kinds.has(kindOfMember(each)));
}

/** The kinds of members that have aliases. */
const HAS_ALIASES = /^(user|group|domain):/;

/** A preview does not know whether its provider is an explicit one, which does not take the stack's configuration. */
const KEEP_OTHERS =
  "Set perimeter:grantMode to merge to keep the other grants. An explicit provider takes the mode from its argument grantMode.";
const CHANGES = "Access to";
const REPLACES = "This replaces the access policy of";
const SETS = "This sets the members of a role in the access policy of";
const ANNOUNCED = new RegExp(`(?:${REPLACES}|${SETS}) (\\S+): (\\d+) principals? will lose`);

/** Returns the losses in a warning of `previewAccessChange`, or undefined for any other message. */
export function announcedLoss(message: string): AnnouncedLoss | undefined {
  const [, resource, principals] = ANNOUNCED.exec(message) ?? [];
  return resource === undefined ? undefined : { resource, principals: Number(principals) };
}

/** Whether a message is one of `previewAccessChange`. */
export function isAccessChange(message: string): boolean {
  return message.startsWith(`${CHANGES} `) || ANNOUNCED.test(message);
}

function shown(member: string, hidden: HiddenMembers | undefined): string {
  if (!hidden) return member;
  if (hidden.members.some((each) => sameMember(member, each))) return "[secret]";
  return hidden.others ? kindOfMember(member) : member;
}

function principals(grants: readonly Grant[]): string {
  const count = countDistinct(grants);
  return count === 1 ? "1 principal" : `${count} principals`;
}

/** Returns the number of principals that have these grants. */
export function countDistinct(grants: readonly Grant[]): number {
  return new Set(grants.map((grant) => comparableMember(grant.member))).size;
}

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

/** Returns the first lines, and a line with the number of omitted ones. */
export function firstLines(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  return [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more`];
}
