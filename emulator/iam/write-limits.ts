import type { Clock } from "../state/clock";
import type { Service } from "../base/api";
import type { Config } from "../base/config";
import { invalidArgument, rateLimited } from "../base/errors";
import { describeIdentity } from "./members";

const MINUTE_MS = 60_000;

/** Refusals of policy writes that depend on counts: identities that do not exist yet, and writes per minute. */
export class WriteLimits {
  private readonly refusals = new Map<string, number>();
  private readonly writes = new Map<string, number[]>();

  constructor(private readonly clock: Clock) {}

  clear(): void {
    this.refusals.clear();
    this.writes.clear();
  }

  /** Resets the counts of refusals. Called when the switch `unknownMembers` is set. */
  forgetRefusals(): void {
    this.refusals.clear();
  }

  /** @throws ApiError RESOURCE_EXHAUSTED above the writes per minute of the project; refused writes are not counted */
  countWrite(service: Service, project: string, config: Config): void {
    const limit = config.policyWritesPerMinute[service];
    if (limit === undefined) {
      return;
    }
    const key = `${service}/${project}`;
    const now = this.clock.now();
    const recent = (this.writes.get(key) ?? []).filter((at) => now - at < MINUTE_MS);
    if (recent.length >= limit) {
      this.writes.set(key, recent);
      throw rateLimited(service, project, limit);
    }
    recent.push(now);
    this.writes.set(key, recent);
  }

  /** @throws ApiError INVALID_ARGUMENT for the first member whose identity does not exist (yet) */
  refuseUnknown(members: readonly string[], config: Config): void {
    for (const entry of config.unknownMembers) {
      const { member: name, refusals } = typeof entry === "string" ? { member: entry, refusals: undefined } : entry;
      const member = members.find((candidate) => candidate === name || candidate.endsWith(`:${name}`));
      if (member === undefined) {
        continue;
      }
      const used = this.refusals.get(name) ?? 0;
      if (refusals !== undefined && used >= refusals) {
        continue;
      }
      this.refusals.set(name, used + 1);
      throw invalidArgument(`${describeIdentity(member)} does not exist.`);
    }
  }
}
