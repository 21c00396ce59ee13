import type { Reporter } from "../http/call";
import { firstLines, grantLine, kindOfMember } from "./grant-lines";
import { comparableMember, sameMember } from "./member";
import type { Grant } from "./policy";

/** Who gains and who loses what when a policy becomes another. */
export interface AccessChange {
  gained: readonly Grant[];
  lost: readonly Grant[];
}

/** Members that a message must not show. */
export interface HiddenMembers {
  /** A secret one: nothing of it is shown. */
  readonly member: string;
  /** Whether all others are hidden, too. Of them, the kinds are shown. */
  readonly others: boolean;
}

/**
 * Tells at preview who gains and who loses access: a warning when anybody loses, else for information; nothing when
 * nothing changes.
 *
 * @param hidden undefined: every member may be shown.
 */
export function previewAccessChange(
  resource: string,
  { gained, lost }: AccessChange,
  reporter: Reporter,
  hidden?: HiddenMembers,
): void {
  if (gained.length + lost.length === 0) return;
  const line = (sign: string) => (grant: Grant) => `${sign} ${grantLine(grant, shown(grant.member, hidden))}`;
  const lines = firstLines([...lost.map(line("-")), ...gained.map(line("+"))]).join("\n");
  if (lost.length === 0) {
    reporter.info(`Access to ${resource}: ${principals(gained)} will gain a role\n${lines}`);
    return;
  }
  const counts = `${principals(lost)} will lose and ${principals(gained)} gain`;
  reporter.warning(
    `This replaces the access policy of ${resource}: ${counts} a role\n${lines}\n` +
      "Set perimeter:grantMode to merge to keep what is there.",
  );
}

function shown(member: string, hidden: HiddenMembers | undefined): string {
  if (!hidden) return member;
  if (sameMember(member, hidden.member)) return "[secret]";
  return hidden.others ? kindOfMember(member) : member;
}

function principals(grants: readonly Grant[]): string {
  const { size } = new Set(grants.map((grant) => comparableMember(grant.member)));
  return size === 1 ? "1 principal" : `${size} principals`;
}
