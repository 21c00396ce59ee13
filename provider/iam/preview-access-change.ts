import type { Reporter } from "../http/call";
import { comparableMember } from "./member";
import type { Grant } from "./policy";

/** About a screen. */
const MOST_LINES = 20;

/** Who gains and who loses what when a policy becomes another. */
export interface AccessChange {
  gained: readonly Grant[];
  lost: readonly Grant[];
}

/**
 * Tells at preview who gains and who loses access: a warning when anybody loses, else for information; nothing when
 * nothing changes.
 *
 * @param show how to write a member; a secret one must not be shown.
 */
export function previewAccessChange(
  resource: string,
  { gained, lost }: AccessChange,
  reporter: Reporter,
  show: (grant: Grant) => string = (grant) => grant.member,
): void {
  if (gained.length + lost.length === 0) return;
  const lines = [...lost.map((grant) => `- ${line(grant, show)}`), ...gained.map((grant) => `+ ${line(grant, show)}`)];
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown.push(`… and ${lines.length - MOST_LINES} more`);
  const counts = `${principals(lost)} will lose and ${principals(gained)} gain`;
  if (lost.length === 0) {
    reporter.info(`Access to ${resource}: ${principals(gained)} will gain a role\n${shown.join("\n")}`);
    return;
  }
  reporter.warning(
    `This replaces the access policy of ${resource}: ${counts} a role\n${shown.join("\n")}\n` +
      "Set perimeter:grantMode to merge to keep what is there.",
  );
}

function line(grant: Grant, show: (grant: Grant) => string): string {
  const condition = grant.condition ? ` if ${grant.condition.title || "a condition holds"}` : "";
  return `${show(grant)} ${grant.role}${condition}`;
}

function principals(grants: readonly Grant[]): string {
  const { size } = new Set(grants.map((grant) => comparableMember(grant.member)));
  return size === 1 ? "1 principal" : `${size} principals`;
}
