import type { Policy } from "./messages";

const EMAIL = String.raw`[^\s@:]+@[^\s@:]+`;

/** Every form of a principal that a policy may hold (wire reference, section 9; type prefixes are case-sensitive). */
const FORMS = [
  /^allUsers$/,
  /^allAuthenticatedUsers$/,
  new RegExp(`^(user|serviceAccount|group):${EMAIL}$`),
  /^serviceAccount:[a-z0-9.:-]+\.svc\.id\.goog\[[^\s/[\]]+\/[^\s/[\]]+\]$/,
  /^domain:[^\s@:/]+\.[^\s@:/]+$/,
  new RegExp(`^deleted:(user|serviceAccount|group):${EMAIL}\\?uid=[0-9A-Za-z]+$`),
  /^(deleted:)?principal:\/\/\S+$/,
  /^principalSet:\/\/\S+$/,
  /^(projectOwner|projectEditor|projectViewer):[^\s:]+$/,
];

/** Far above any real principal; keeps the checks below cheap on hostile input. */
const MAX_LENGTH = 2048;

export function isMember(member: string): boolean {
  return member.length <= MAX_LENGTH && FORMS.some((form) => form.test(member));
}

export function isGroup(member: string): boolean {
  return /^(deleted:)?group:/.test(member);
}

/** `serviceAccount:a@b` -> `Service account a@b`, the words of the refusal of an identity that does not exist. */
export function describeIdentity(member: string): string {
  const colon = member.indexOf(":");
  const kind = { user: "User", group: "Group", serviceAccount: "Service account", domain: "Domain" }[
    member.slice(0, colon)
  ];
  return kind === undefined ? `Principal ${member}` : `${kind} ${member.slice(colon + 1)}`;
}

/** E-mails in lower case; the forms whose case carries meaning stay as they are. */
export function lowercaseMember(member: string): string {
  const email = /^((?:deleted:)?(?:user|serviceAccount|group|domain):)(.*)$/.exec(member);
  return email === null || member.includes(".svc.id.goog[") ? member : `${email[1]}${email[2]?.toLowerCase()}`;
}

/** Every appearance of a principal, exempted ones of audit configs included: the documented way of counting. */
export function occurrences(policy: Policy): string[] {
  return [
    ...(policy.bindings ?? []).flatMap((binding) => binding.members ?? []),
    ...(policy.auditConfigs ?? []).flatMap((audit) =>
      (audit.auditLogConfigs ?? []).flatMap((log) => log.exemptedMembers ?? []),
    ),
  ];
}
