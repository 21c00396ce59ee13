import { createHash, randomBytes } from "node:crypto";
import type { Service } from "../base/api";
import type { Config } from "../base/config";
import { ApiError, invalidArgument } from "../base/errors";
import { isGroup, isMember, lowercaseMember, principalsIn } from "./members";
import { isNotGrantable } from "./roles";
import type { AuditConfig, Binding, Condition, Policy } from "./messages";

/** The etag of a resource without a policy (observed for Cloud Run, unconfirmed for these APIs). */
const UNSET_ETAG = "ACAB";

const MAX_PRINCIPALS = 1500;
const MAX_GROUPS = 250;

/** A new etag, different from all earlier ones. */
export function newEtag(): string {
  return Buffer.concat([Buffer.from([0x07]), randomBytes(7)]).toString("base64");
}

function sameEtag(a: string, b: string): boolean {
  return Buffer.from(a, "base64").equals(Buffer.from(b, "base64"));
}

/** The bytes of an etag as shown in conflict messages: with escapes as in C, e.g. `\\007\\005\\350x`. */
function escapedBytes(etag: string): string {
  return Array.from(Buffer.from(etag, "base64"), (byte) => {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte > 0x7e) {
      return `\\${byte.toString(8).padStart(3, "0")}`;
    }
    return /['"\\]/.test(character) ? `\\${character}` : character;
  }).join("");
}

function hasConditions(policy: Policy): boolean {
  return (policy.bindings ?? []).some((binding) => binding.condition !== undefined);
}

/** @throws ApiError INVALID_ARGUMENT for a version other than 0, 1 and 3 */
export function checkVersion(version: number, what: string): void {
  if (![0, 1, 3].includes(version)) {
    throw invalidArgument(`${what} (${version}) is not valid; it must be 0, 1 or 3.`);
  }
}

/**
 * The response of getIamPolicy for a requested version, which is a maximum (docs/wire.md section 9). Below 3, a conditional
 * binding has another role and no condition, or the read is refused.
 */
export function readView(stored: Policy | undefined, requested: number, config: Config): Policy {
  if (stored === undefined) {
    return { etag: UNSET_ETAG };
  }
  if (!hasConditions(stored) || requested === 3) {
    return stored;
  }
  if (config.conditionalReads === "refused") {
    throw invalidArgument(
      `Requested policy version (${requested || 1}) cannot be less than the existing policy version (3) ` +
        "because the policy has conditional role bindings.",
    );
  }
  return { ...stored, version: 1, bindings: (stored.bindings ?? []).map(withoutCondition) };
}

function withoutCondition({ condition, ...binding }: Binding): Binding {
  if (condition === undefined) {
    return binding;
  }
  const hash = createHash("sha256").update(conditionKey(condition)).digest("hex").slice(0, 20);
  return { ...binding, role: `${binding.role}_withcond_${hash}` };
}

export interface PolicyWrite {
  service: Service;
  current: Policy | undefined;
  sent: Policy;
  /** The fields that the update mask names. */
  mask: ReadonlySet<string>;
  config: Config;
}

/** The policy after a write, with a new etag. @throws ApiError by the rules of docs/wire.md section 9 */
export function writePolicy({ service, current, sent: given, mask, config }: PolicyWrite): Policy {
  const sent = withoutEmpty(given);
  checkVersion(sent.version ?? 0, "Specified policy version");
  checkConcurrency(current, sent);
  const next: Policy = {
    // Keeps top-level fields of a newer API, because no mask can name them.
    ...current,
    bindings: mask.has("bindings") ? sent.bindings : current?.bindings,
    auditConfigs: mask.has("auditConfigs") ? sent.auditConfigs : current?.auditConfigs,
  };
  if (mask.has("bindings") && hasConditions(sent) && sent.version !== 3) {
    throw invalidArgument(
      `Specified policy version (${sent.version ?? 0}) is too low: a policy with conditional role bindings must ` +
        "specify version 3.",
    );
  }
  checkPolicy(next, config);
  checkNewRoles(next, current, service, config);
  return asStored(next, config);
}

/**
 * The policy without bindings that have no member: the API accepts them, and does not keep them.
 * Source: https://github.com/hashicorp/terraform-provider-google/issues/4439 (Resource Manager).
 */
function withoutEmpty(policy: Policy): Policy {
  const { bindings } = policy;
  return bindings ? { ...policy, bindings: bindings.filter(({ members = [] }) => members.length > 0) } : policy;
}

function checkConcurrency(current: Policy | undefined, sent: Policy): void {
  // A write without an etag replaces the policy without a check for conflicts or versions.
  if (sent.etag === undefined) {
    return;
  }
  const expected = current?.etag ?? UNSET_ETAG;
  if (!sameEtag(sent.etag, expected)) {
    throw new ApiError(
      "ABORTED",
      "There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff. " +
        `The request's ETag '${escapedBytes(sent.etag)}' did not match the current policy's ETag ` +
        `'${escapedBytes(expected)}'.`,
      [],
      undefined,
      "aborted",
    );
  }
  if (current !== undefined && hasConditions(current) && (sent.version ?? 0) < 3) {
    throw invalidArgument(
      `Specified policy version (${sent.version ?? 0}) cannot be less than the existing policy version (3) because ` +
        "the policy has conditional role bindings.",
    );
  }
}

/** Checks the roles that a write adds. A seed may have roles that are newer than the emulator's list. @throws ApiError INVALID_ARGUMENT */
function checkNewRoles(next: Policy, current: Policy | undefined, service: Service, { anyRole }: Config): void {
  const held = new Set(current?.bindings?.map(({ role }) => role));
  const added = (next.bindings ?? []).filter(({ role }) => !held.has(role));
  const refused = anyRole ? undefined : added.find(({ role }) => isNotGrantable(role ?? "", service))?.role;
  if (refused !== undefined) {
    throw unsupportedRole(refused);
  }
}

function unsupportedRole(role: string): ApiError {
  return invalidArgument(`Role ${role} is not supported for this resource.`);
}

/** Checks a complete policy of a write or a seed. @throws ApiError INVALID_ARGUMENT */
export function checkPolicy(policy: Policy, config: Config): void {
  (policy.bindings ?? []).forEach((binding, index) => checkBinding(binding, `policy.bindings[${index}]`, config));
  (policy.auditConfigs ?? []).forEach((audit, index) => checkAudit(audit, `policy.audit_configs[${index}]`));
  const refusedRole = policy.bindings?.find(({ role }) => config.unsupportedRoles.includes(role ?? ""))?.role;
  if (refusedRole !== undefined) {
    throw unsupportedRole(refusedRole);
  }
  const members = principalsIn(policy);
  if (members.length > MAX_PRINCIPALS) {
    throw invalidArgument(
      `The number of members in the policy (${members.length}) is larger than the maximum allowed size ${MAX_PRINCIPALS}.`,
    );
  }
  const groups = members.filter(isGroup).length;
  if (groups > MAX_GROUPS) {
    throw invalidArgument(
      `The number of Google groups in the policy (${groups}) is larger than the maximum allowed size ${MAX_GROUPS}.`,
    );
  }
}

function checkBinding({ role, members, condition }: Binding, at: string, { anyRole }: Config): void {
  if (role === undefined || !canExist(role, anyRole)) {
    const message =
      role === undefined ? "A binding must have a role." : `Role ${role} is not supported for this resource.`;
    throw invalidArgument(message, [{ field: `${at}.role`, description: message }]);
  }
  if (members === undefined || members.length === 0) {
    const message = `The binding of role ${role} must have at least one member.`;
    throw invalidArgument(message, [{ field: `${at}.members`, description: message }]);
  }
  checkMembers(members, `${at}.members`);
  if (condition !== undefined && (!condition.expression || !condition.title)) {
    const message = `The condition of role ${role} must have an expression and a title.`;
    throw invalidArgument(message, [{ field: `${at}.condition`, description: message }]);
  }
}

function checkAudit(audit: AuditConfig, at: string): void {
  if (audit.service === undefined) {
    const message = "An audit config must name a service.";
    throw invalidArgument(message, [{ field: `${at}.service`, description: message }]);
  }
  (audit.auditLogConfigs ?? []).forEach((log, index) => {
    const inner = `${at}.audit_log_configs[${index}]`;
    if (log.logType === undefined) {
      const message = `The audit config of ${audit.service} must name a log type.`;
      throw invalidArgument(message, [{ field: `${inner}.log_type`, description: message }]);
    }
    checkMembers(log.exemptedMembers ?? [], `${inner}.exempted_members`);
  });
}

function checkMembers(members: readonly string[], at: string): void {
  const index = members.findIndex((member) => !isMember(member));
  if (index >= 0) {
    const message = `Invalid member '${members[index]}': the type prefix or the form of the identity is not valid.`;
    throw invalidArgument(message, [{ field: `${at}[${index}]`, description: message }]);
  }
}

/**
 * Normalizes a policy for storage: it merges bindings with the same role and condition, removes repeated members, sets version
 * 3 exactly if there is a condition, and sets a new etag. Bindings and members keep their order unless the switch
 * `sortPolicies` is on.
 */
export function asStored(policy: Policy, config: Config): Policy {
  const merged = new Map<string, Binding>();
  for (const binding of policy.bindings ?? []) {
    const rest = { ...binding, members: undefined, condition: undefined };
    const key = JSON.stringify([rest, binding.condition ? conditionKey(binding.condition) : null]);
    const held = merged.get(key);
    const added = (binding.members ?? [])
      .map((member) => primaryMember(member, config.memberAliases))
      .map((member) => (config.lowercaseMembers ? lowercaseMember(member) : member));
    merged.set(key, { ...(held ?? binding), members: [...new Set([...(held?.members ?? []), ...added])] });
  }
  const bindings = [...merged.values()];
  if (config.sortPolicies) {
    bindings.forEach((binding) => binding.members?.sort());
    bindings.sort((a, b) => (JSON.stringify([a.role, a.condition]) < JSON.stringify([b.role, b.condition]) ? -1 : 1));
  }
  const { auditConfigs } = policy;
  return {
    ...policy,
    version: hasConditions({ bindings }) ? 3 : 1,
    // JSON omits undefined.
    bindings: bindings.length > 0 ? bindings : undefined,
    auditConfigs: auditConfigs && auditConfigs.length > 0 ? auditConfigs : undefined,
    etag: newEtag(),
  };
}

/** The member under the primary address of its identity, as the cloud stores it. */
function primaryMember(member: string, aliases: Config["memberAliases"]): string {
  const address = member.slice(member.indexOf(":") + 1);
  const primary = Object.hasOwn(aliases, address) ? aliases[address] : undefined;
  return primary === undefined ? member : member.slice(0, -address.length) + primary;
}

function conditionKey({ expression, title, description, location }: Condition): string {
  return JSON.stringify([expression, title, description, location].map((part) => part ?? ""));
}

/** The predefined roles without a service. All others have the form `roles/{service}.{role}`. */
const BASIC = new Set(["owner", "editor", "viewer", "browser", "admin", "writer", "reader"]);

const PREDEFINED = /^roles\/([A-Za-z0-9_.]+)$/;
const CUSTOM = /^(projects|organizations)\/[^/\s]+\/roles\/[A-Za-z0-9_.]+$/;
/** Matches a role that a read below version 3 renamed. Writing it back would make a conditional grant useless. */
const RENAMED = /_withcond_[0-9a-f]{20}$/;

/**
 * Whether a role with this name can exist. The roles of most services are unknown here, so `roles/{service}.{anything}` is
 * accepted.
 *
 * @param anyName accept `roles/{anything}`, too (the switch `anyRole`)
 */
function canExist(role: string, anyName: boolean): boolean {
  if (RENAMED.test(role)) {
    return false;
  }
  const name = PREDEFINED.exec(role)?.[1];
  return name === undefined ? CUSTOM.test(role) : anyName || BASIC.has(name) || /^[a-z0-9]+\.\w+/i.test(name);
}
