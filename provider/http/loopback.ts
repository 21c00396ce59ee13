/** A host of this machine in a URL, as the source of a regular expression: what is sent there never leaves the machine. */
export const LOOPBACK = "(localhost|[^/:]+\\.localhost|127(\\.\\d{1,3}){3}|\\[::1\\])";

const ONLY_LOOPBACK = new RegExp(`^(${LOOPBACK}|::1)$`);

/** @param hostname without a port; an IPv6 address with or without its brackets. */
export function isLoopback(hostname: string): boolean {
  return ONLY_LOOPBACK.test(hostname);
}
