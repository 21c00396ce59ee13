import type { Values } from "../core/unknown";
import { endOf, type Call } from "../http/call";
import type { Clock } from "../http/clock";
import { SharedCall } from "../iam/shared-call";

interface Running {
  call: SharedCall;
  result: Promise<Values>;
}

/**
 * Shares lookups that are under way: a program that looks up one thing for each of a hundred resources makes one request.
 *
 * No answer and no failure is kept. A lookup that comes after an answer asks the API, and so does one that comes after a
 * change by this provider, whatever is under way. A change by anybody else reaches the program by a longer way than the
 * answer of a lookup that was served before it.
 */
export class SharedLookups {
  private readonly running = new Map<string, Running>();

  constructor(private readonly clock: Clock) {}

  /** @param ask makes the requests, under a call that lasts as long as anybody waits for the answer. */
  async run(token: string, args: Values, call: Call, ask: (call: Call) => Promise<Values>): Promise<Values> {
    const key = JSON.stringify([token, Object.entries(args).sort(([left], [right]) => (left < right ? -1 : 1))]);
    const { call: shared, result } = this.running.get(key) ?? this.begin(key, ask);
    // A copy for each: programs may change what they get.
    return structuredClone(await shared.wait(call, result, () => endOf(call, `look up ${token}`)));
  }

  /** Lets every later lookup ask the API. Those under way still answer those who wait for them now. */
  changed(): void {
    this.running.clear();
  }

  private begin(key: string, ask: (call: Call) => Promise<Values>): Running {
    const call = new SharedCall(this.clock);
    // Begins a step later: the caller has joined by then, and the requests see that somebody waits for them.
    const running: Running = { call, result: Promise.resolve().then(() => ask(call)) };
    this.running.set(key, running);
    const forget = () => {
      if (this.running.get(key) === running) this.running.delete(key);
    };
    call.signal.addEventListener("abort", forget, { once: true });
    running.result.then(forget, forget);
    return running;
  }
}
