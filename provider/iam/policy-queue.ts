import { ApiError, BadAnswerError, ConnectionError, TimeoutError } from "../core/errors";
import { pause, type Call } from "../http/call";
import { delayAfter, isConflict, isQuotaDenial } from "../http/retry";
import { policyToSend, type Policy } from "./policy";
import { readPolicy, writePolicy, type PolicyTarget } from "./policy-api";

/** A pure change of a policy; answers the very policy it got when there is nothing to change. */
export type PolicyChange = (policy: Policy) => Policy;

interface Waiting {
  change: PolicyChange;
  call: Call;
  resolve(policy: Policy): void;
  reject(error: unknown): void;
}

/** How long the first change waits for others that the engine sends at the same time. */
const GATHER_MS = 10;

/**
 * One writer for each policy in this process. Changes that wait for the same resource become one read-modify-write
 * cycle: read with version 3, change a copy, write with the etag just read, and from the beginning after a conflict or
 * a lost answer, which reading again resolves. Wire reference section 9, "Read-modify-write that loses nothing".
 */
export class PolicyQueue {
  private readonly waiting = new Map<string, Waiting[]>();

  /**
   * The policy after the change.
   *
   * @throws ApiError and the other errors of the transport; a change that the server refuses fails alone.
   */
  change(target: PolicyTarget, change: PolicyChange, call: Call): Promise<Policy> {
    return new Promise((resolve, reject) => {
      const entry = { change, call, resolve, reject };
      const others = this.waiting.get(target.resource);
      if (others) {
        others.push(entry);
      } else {
        this.waiting.set(target.resource, [entry]);
        void this.drain(target);
      }
    });
  }

  /** Works until nobody waits for this resource any more. Never throws: each change gets its own outcome. */
  private async drain(target: PolicyTarget): Promise<void> {
    await target.client.clock.sleep(GATHER_MS).catch(() => {});
    for (;;) {
      const batch = this.waiting.get(target.resource) ?? [];
      if (batch.length === 0) {
        this.waiting.delete(target.resource);
        return;
      }
      this.waiting.set(target.resource, []);
      await this.settle(target, batch);
    }
  }

  private async settle(target: PolicyTarget, batch: readonly Waiting[]): Promise<void> {
    try {
      const policy = await cycle(target, batch);
      for (const each of batch) each.resolve(policy);
    } catch (error) {
      const [only, ...others] = batch;
      if (only && others.length === 0) {
        only.reject(error);
      } else if (error instanceof ApiError && error.status === "INVALID_ARGUMENT") {
        // One of them is bad, and the server does not say which: halve until it stands alone.
        const middle = Math.ceil(batch.length / 2);
        await this.settle(target, batch.slice(0, middle));
        await this.settle(target, batch.slice(middle));
      } else {
        for (const each of batch) each.reject(error);
      }
    }
  }
}

async function cycle(target: PolicyTarget, batch: readonly Waiting[]): Promise<Policy> {
  const call = sharedCall(batch.map((each) => each.call));
  const { clock } = target.client;
  const begun = clock.now();
  for (let attempt = 1; ; attempt++) {
    const read = await readPolicy(target, 3, call);
    const changed = batch.reduce((policy, each) => each.change(policy), read);
    if (changed === read) return read;
    try {
      return await writePolicy(target, policyToSend(read, changed), call);
    } catch (error) {
      const fresh = batch.length === 1 && isFreshIdentity(error) && clock.now() - begun < FRESH_IDENTITY_MS;
      if (!isWorthAnotherCycle(error) && !fresh) throw error;
      const delay = delayAfter(error, attempt, clock);
      if (clock.now() + delay >= call.deadline) throw error;
      const why = fresh ? "does not know the member yet" : "was being changed by somebody else";
      call.reporter.status(`The access policy ${why}; reading it again (attempt ${attempt})`);
      await pause(call, clock, delay, `change the access policy of ${target.kind}`);
    }
  }
}

/** How long a service account that was just made may be unknown to policies. */
const FRESH_IDENTITY_MS = 60_000;

/** Nothing but its text tells this refusal from a mistake (wire reference section 9). */
function isFreshIdentity(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === "INVALID_ARGUMENT" &&
    /^Service account \S+ does not exist/.test(error.cloudMessage)
  );
}

/** After these, what the policy holds is not what was read, or not known: reading again tells. */
function isWorthAnotherCycle(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof BadAnswerError) return true;
  if (!(error instanceof ApiError)) return false;
  return (
    isQuotaDenial(error) ||
    isConflict(error) ||
    ["UNAVAILABLE", "INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"].includes(error.status)
  );
}

/** One call for several: it lasts as long as the longest, and stops when all have been told to stop. */
function sharedCall(calls: readonly Call[]): Call {
  const [first] = calls;
  if (first && calls.length === 1) return first;
  const controller = new AbortController();
  const stopIfAllDid = () => {
    if (calls.every((each) => each.signal.aborted)) controller.abort(first?.signal.reason);
  };
  for (const { signal } of calls) signal.addEventListener("abort", stopIfAllDid, { once: true });
  stopIfAllDid();
  return {
    signal: controller.signal,
    deadline: Math.max(...calls.map((each) => each.deadline)),
    reporter: {
      status: (message) => calls.forEach((each) => each.reporter.status(message)),
      info: (message) => calls.forEach((each) => each.reporter.info(message)),
      warning: (message) => calls.forEach((each) => each.reporter.warning(message)),
    },
  };
}
