/** The roles that belong to no service; every other predefined role is named `roles/{service}.{role}`. */
const BASIC = new Set(["owner", "editor", "viewer", "browser", "admin", "writer", "reader"]);

const PREDEFINED = /^roles\/([A-Za-z0-9_.]+)$/;
const CUSTOM = /^(projects|organizations)\/[^/\s]+\/roles\/[A-Za-z0-9_.]+$/;
/** A role as reads below version 3 rename it. Written back, it would turn a conditional grant into one of no use. */
const RENAMED = /_withcond_[0-9a-f]{20}$/;

/**
 * Whether there can be a role of this name. Which roles a service has is not known here, so `roles/{service}.{anything}` can.
 *
 * @param anyName also `roles/{anything}` can (the switch `anyRole`)
 */
export function canExist(role: string, anyName: boolean): boolean {
  if (RENAMED.test(role)) {
    return false;
  }
  const name = PREDEFINED.exec(role)?.[1];
  return name === undefined ? CUSTOM.test(role) : anyName || BASIC.has(name) || /^[a-z0-9]+\.\w+/i.test(name);
}
