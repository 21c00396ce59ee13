import type { Policy } from "./messages";

const EMAIL = String.raw`[^\s@:]+@[^\s@:]+`;

/** The forms of principals in a policy (docs/wire.md section 9). Their prefixes are case-sensitive. */
const FORMS = [
  /^allUsers$/,
  /^allAuthenticatedUsers$/,
  new RegExp(`^(user|serviceAccount|group):${EMAIL}$`),
  /^serviceAccount:[a-z0-9.:-]+\.svc\.id\.goog\[[^\s/[\]]+\/[^\s/[\]]+\]$/,
  /^domain:[^\s@:/]+\.[^\s@:/]+$/,
  new RegExp(`^deleted:(user|serviceAccount|group):${EMAIL}\\?uid=[0-9A-Za-z]+$`),
  /^(deleted:)?principal:\/\/\S+$/,
  /^principalSet:\/\/\S+$/,
  /^(projectOwner|projectEditor|projectViewer):([^\s:]+\.[^\s:]+:)?[^\s:]+$/,
];

/** Longer than any real principal. The limit keeps the regular expressions fast for malicious input. */
const MAX_LENGTH = 2048;

export function isMember(member: string): boolean {
  return member.length <= MAX_LENGTH && FORMS.some((form) => form.test(member));
}

export function isGroup(member: string): boolean {
  return /^(deleted:)?group:/.test(member);
}

/** `serviceAccount:a@b` -> `Service account a@b`, as in the error for an identity that does not exist. */
export function describeIdentity(member: string): string {
  const colon = member.indexOf(":");
  const kind = { user: "User", group: "Group", serviceAccount: "Service account", domain: "Domain" }[
    member.slice(0, colon)
  ];
  return kind === undefined ? `Principal ${member}` : `${kind} ${member.slice(colon + 1)}`;
}

/** The member with its e-mail address or domain in lower case. Other forms are case-sensitive and stay unchanged. */
export function lowercaseMember(member: string): string {
  const email = /^((?:deleted:)?(?:user|serviceAccount|group|domain):)(.*)$/.exec(member);
  return email === null || member.includes(".svc.id.goog[") ? member : `${email[1]}${email[2]?.toLowerCase()}`;
}

/** All principals of a policy as IAM counts them: every occurrence, including the exempted members of audit configs. */
export function principalsIn(policy: Policy): string[] {
  return [
    ...(policy.bindings ?? []).flatMap((binding) => binding.members ?? []),
    ...(policy.auditConfigs ?? []).flatMap((audit) =>
      (audit.auditLogConfigs ?? []).flatMap((log) => log.exemptedMembers ?? []),
    ),
  ];
}
