import { setImmediate } from "node:timers/promises";
import type { Values } from "../core/unknown";
import { endOf, type Call } from "../http/call";
import type { Clock } from "../http/clock";
import { SharedCall } from "../iam/shared-call";
import type { Lookup } from "../services/shared/lookups";

interface Running {
  call: SharedCall;
  result: Promise<Values>;
}

/** What a lookup asks, and how. */
export interface Question extends Pick<Lookup, "doing" | "shared"> {
  token: string;
  args: Values;
  /** Makes the requests, under a call that lasts as long as anybody waits for the answer. */
  ask(call: Call): Promise<Values>;
}

/**
 * Shares the requests of equal lookups: a program that looks up one thing for each of a hundred resources makes one.
 *
 * No answer and no failure is kept. A lookup that comes after an answer asks the API, and so does one that comes after a
 * change by this provider, whatever is under way. A change by anybody else reaches the program by a longer way than the
 * answer of a lookup that was served before it. Policies, which others write at any time, are not read from a request that
 * was sent before: their lookups share it only until it is sent, which is all those that a program begins in one go.
 */
export class SharedLookups {
  private readonly running = new Map<string, Running>();

  constructor(private readonly clock: Clock) {}

  async run(question: Question, call: Call): Promise<Values> {
    const { token, args, doing } = question;
    const key = JSON.stringify([token, Object.entries(args).sort(([left], [right]) => (left < right ? -1 : 1))]);
    const { call: shared, result } = this.running.get(key) ?? this.begin(key, question);
    // A copy for each: programs may change what they get.
    return structuredClone(await shared.wait(call, result, () => endOf(call, doing)));
  }

  /** Lets every later lookup ask the API. Those under way still answer those who wait for them now. */
  changed(): void {
    this.running.clear();
  }

  private begin(key: string, { ask, shared }: Question): Running {
    const call = new SharedCall(this.clock);
    const forget = () => {
      if (this.running.get(key) === running) this.running.delete(key);
    };
    // After what is to be done now, so that all who ask now can join.
    const result = setImmediate().then(() => {
      if (shared === "unsent") forget();
      return ask(call);
    });
    const running: Running = { call, result };
    this.running.set(key, running);
    call.signal.addEventListener("abort", forget, { once: true });
    result.then(forget, forget);
    return running;
  }
}
