import { setImmediate } from "node:timers/promises";
import type { Values } from "../core/unknown";
import { endOf, type Call } from "../http/call";
import { SharedCall } from "../iam/shared-call";
import type { Lookup } from "../services/shared/lookups";

interface Running {
  call: SharedCall;
  result: Promise<Values>;
}

/** The request of a lookup. */
export interface LookupRequest extends Pick<Lookup, "doing" | "joinUntil"> {
  token: string;
  args: Values;
  /** Sends the requests, under a call that lasts as long as any caller waits for the result. */
  run(call: Call): Promise<Values>;
}

/**
 * Shares the requests of equal lookups: a program that looks up one object for each of a hundred resources sends one
 * request. Results and failures are not cached. A lookup after a result, or after a change by this provider, sends a new
 * request. Concurrent changes by others may be missed. Lookups of policies, which others write at any time, share a request
 * only until it is sent: that covers all lookups that a program starts together.
 */
export class SharedLookups {
  private readonly running = new Map<string, Running>();

  async run(request: LookupRequest, call: Call): Promise<Values> {
    const { token, args, doing } = request;
    const key = JSON.stringify([token, Object.entries(args).sort(([left], [right]) => (left < right ? -1 : 1))]);
    const { call: shared, result } = this.running.get(key) ?? this.begin(key, request, call);
    // A copy for each caller, because programs may modify the result.
    return structuredClone(await shared.wait(call, result, () => endOf(call, doing)));
  }

  /** Makes every later lookup send a new request. Running requests still serve their current callers. */
  changed(): void {
    this.running.clear();
  }

  private begin(key: string, { run, joinUntil }: LookupRequest, { clock }: Call): Running {
    const call = new SharedCall(clock);
    const forget = () => {
      if (this.running.get(key) === running) this.running.delete(key);
    };
    // Runs in a later task, so that all lookups of the current task can join.
    const result = setImmediate().then(() => {
      if (joinUntil === "sent") forget();
      return run(call);
    });
    const running: Running = { call, result };
    this.running.set(key, running);
    call.signal.addEventListener("abort", forget, { once: true });
    result.then(forget, forget);
    return running;
  }
}
