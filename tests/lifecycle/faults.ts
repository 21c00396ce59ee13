import { isDeepStrictEqual } from "node:util";
import { startEmulator, type Emulator, type FaultRule } from "../../emulator";
import type { Prior } from "../../provider/core/lifecycle";
import type { Values } from "../../provider/core/unknown";
import type { Clock } from "../../provider/http/clock";
import type { Send } from "../../provider/http/send";
import { Provider } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";
import type { DoomedProcess } from "./faults-kill";
import { limits } from "../support/provider";
import { providerFront } from "../support/provider-front";
import { DEFAULT, NotReady, SimulatedStack, type Program, type StackCall } from "../support/simulated-stack";

/** Secrets: no message, no line of output and no state may hold them. */
export const CANARY = "canary-7f3a91c2";

const SERVICES = [
  "networkSecurity",
  "databaseMigrationService",
  "healthcare",
  "gkeHub",
  "eventarc",
  "apiGateway",
] as const;

/** An emulator that wants a token, and providers with one; all on one clock that only moves when somebody sleeps. */
export class FaultyCloud {
  readonly clock = new FakeClock();
  emulator!: Emulator;
  private readonly timers = new Set<() => void>();

  /**
   * Ends the time for a request exactly when the emulator keeps its answer back, however slow the machine is. All
   * requests that are under way at that moment count as not answered in time.
   */
  private readonly startTimer: Clock["alarm"] = (_ms, late) => {
    this.timers.add(late);
    return () => this.timers.delete(late);
  };

  /** Operations are polled twice: one time while they go on, and one time when they are over. */
  static async start(seed: readonly { service: string; name: string }[], operationMs = 50): Promise<FaultyCloud> {
    const cloud = new FaultyCloud();
    const clock = () => cloud.clock.now();
    const onStall = () => cloud.timers.forEach((late) => late());
    cloud.emulator = await startEmulator({ clock, onStall, requireAuth: true, operationMs, seed });
    return cloud;
  }

  provider(configuration: Values = {}, send?: Send): Provider {
    const endpoints = SERVICES.map((each) => [`${each}CustomEndpoint`, `${this.emulator.url}/v1/`]);
    const given = {
      ...Object.fromEntries(endpoints),
      project: "p",
      accessToken: CANARY,
      sendCredentialsToLoopback: true,
      ...configuration,
    };
    return new Provider(given, {}, { clock: this.clock, startTimer: this.startTimer, ...(send ? { send } : {}) });
  }

  /** The emulator's names of the methods that were called, in order, and forgets them. */
  calls(): string[] {
    const calls = this.emulator.requests().map((each) => `${each.method} ${each.id?.split(".").slice(-2).join(".")}`);
    this.emulator.clearRequests();
    return calls;
  }
}

/** In the time of the fake clock: enough for every wait, and not much more. */
const LIMITS = limits({ timeout: 60_000 });

/** A stack of one resource. Its runs throw the errors of the provider as they are. */
export class FaultyStack {
  private readonly stack = new SimulatedStack();

  constructor(private readonly type: string) {}

  /** What the state has of the resource. */
  get resource(): (Prior & { inputs: Values; unfinished: boolean }) | undefined {
    const [held] = this.stack.resources;
    return held && { id: held.id, inputs: held.inputs, state: held.outputs, unfinished: held.isNotReady === true };
  }

  /** `pulumi up` with a program that declares the resource so, or does not declare it. */
  async up(provider: Provider, wanted: Values | undefined): Promise<void> {
    const program: Program = wanted === undefined ? {} : { [NAME]: { type: this.type, inputs: wanted } };
    const before = ({ method }: StackCall) => {
      if (wanted && this.resource && method !== "update") throw new Error("nobody asked for a replacement");
    };
    const { causes } = await this.stack.run(program, { fronts: frontsOf(provider), before });
    for (const error of causes) throw ofProvider(error);
  }

  /** Runs the engine until it ends, or until its process is killed. */
  untilKilled({ ended }: DoomedProcess, engine: () => Promise<void>): Promise<void> {
    return Promise.race([engine(), ended.then(() => this.stack.kill())]);
  }

  /** `pulumi refresh`. */
  async refresh(provider: Provider): Promise<void> {
    await this.stack.refresh(frontsOf(provider)).catch((error: unknown) => {
      throw ofProvider(error);
    });
  }
}

/** The identity of the resource in all calls, also in those that a test makes itself. */
const NAME = LIMITS.identity ?? "";
const frontsOf = (provider: Provider) => ({ [DEFAULT]: providerFront(provider, LIMITS) });
const ofProvider = (error: unknown) => (error instanceof NotReady ? error.cause : error);

/** One run of a user's program, with the cloud and the stack that it begins from. */
export interface Journey {
  name: string;
  /** The resource that messages must name. */
  subject: string;
  /** Brings cloud and stack to where the journey begins. */
  prepare(cloud: FaultyCloud): Promise<FaultyStack>;
  run(stack: FaultyStack, provider: Provider): Promise<void>;
  /** What the program wants when the run is over. */
  wanted?: Values;
  /** What is wrong with how it ended; undefined for nothing. */
  wrong(cloud: FaultyCloud, stack: FaultyStack): string | undefined;
  /** After a failure: what is in the cloud and should be in the engine's state, and is not. */
  forgotten?(cloud: FaultyCloud, stack: FaultyStack): string | undefined;
  configuration?: Values;
}

export interface NamedFault {
  name: string;
  fault: FaultRule["fault"];
  /** The requests that it can happen to. Default: all. */
  on?: (call: string) => boolean;
  /** Only for a single request, where more of it would be another fault. */
  once?: true;
  /** The answer looks right and is wrong: only the next run can find out. */
  lie?: true;
}

/** Configuration with few and short retries, so that a lasting fault ends the run soon. */
export const FEW_ATTEMPTS = { retry: { maxAttempts: 3 } };

const isPoll = (call: string) => call === "GET operations.get";
const isRead = (call: string) => call.startsWith("GET");
const begins = (call: string) => call.endsWith("firewallEndpointAssociations.create") || /^(PATCH|DELETE)/.test(call);
const WRONG = {
  name: 7,
  bindings: "none",
  state: {},
  labels: [1],
  done: "yes",
  metadata: [],
  etag: {},
  createTime: {},
};
const info = { domain: "googleapis.com" };
/** The format of BigQuery, Compute Engine and FaultyCloud Storage: https://cloud.google.com/bigquery/docs/troubleshoot-quotas. */
const OLDER_RATE = {
  error: {
    code: 403,
    message: "Exceeded rate limits",
    errors: [{ message: "Exceeded rate limits", domain: "usageLimits", reason: "rateLimitExceeded" }],
  },
};

export const FAULTS: readonly NamedFault[] = [
  { name: "429, RetryInfo", fault: { status: 429, retryInfo: "3s", reason: "RATE_LIMIT_EXCEEDED", ...info } },
  { name: "429, Retry-After", fault: { status: 429, retryAfter: 2 } },
  { name: "403, quota", fault: { status: 403, reason: "RATE_LIMIT_EXCEEDED", ...info } },
  { name: "403, rate of an older API", fault: { status: 403, body: OLDER_RATE } },
  {
    name: "403, denied",
    fault: { status: 403, reason: "IAM_PERMISSION_DENIED", ...info, metadata: { permission: "x" } },
  },
  { name: "401", fault: { status: 401 } },
  { name: "400", fault: { status: 400 } },
  { name: "503", fault: { status: 503 } },
  { name: "500", fault: { status: 500 } },
  { name: "500, after the effect", fault: { status: 500, when: "after" } },
  { name: "502, HTML", fault: { html: true } },
  { name: "504", fault: { status: 504 } },
  { name: "409 ABORTED", fault: { status: "ABORTED" } },
  { name: "412", fault: { status: 412 } },
  { name: "reset before", fault: { reset: "before" } },
  { name: "reset after", fault: { reset: "after" } },
  { name: "truncated", fault: { truncate: 20 } },
  { name: "truncated, as if whole", fault: { truncate: { bytes: 20, clean: true } } },
  { name: "empty", fault: { empty: true, when: "after" } },
  { name: "empty, 204", fault: { empty: true, status: 204 } },
  { name: "HTML under 200", fault: { body: "<html>login</html>", contentType: "text/html", status: 200 } },
  { name: "JSON of nothing", fault: { body: {} }, lie: true },
  { name: "JSON of another shape", fault: { body: WRONG } },
  { name: "JSON of another shape, after", fault: { body: WRONG, when: "after" } },
  { name: "a JSON list", fault: { body: "[]" } },
  { name: "slow body", fault: { slowBody: { chunkBytes: 200, delayMs: 1 } } },
  { name: "stall", fault: { stall: true } },
  { name: "stall after the effect", fault: { stall: true, when: "after" } },
  { name: "the operation fails", fault: { operationError: { code: 8, message: "No room." } }, on: begins, once: true },
  {
    name: "the operation fails half way",
    fault: { operationError: { code: 13, message: "Half.", keepResource: true } },
    on: begins,
    once: true,
  },
  { name: "stale read", fault: { staleRead: true }, on: isRead, lie: true },
  { name: "404, HTML", fault: { status: 404, body: "<html>404 Not Found</html>", contentType: "text/html" } },
  { name: "404, JSON of others", fault: { status: 404, body: { message: "no Route matched" } } },
  { name: "404 of the operation", fault: { status: 404 }, on: isPoll },
  { name: "404", fault: { status: 404 }, on: (call) => isRead(call) && !isPoll(call), once: true, lie: true },
];

/** The differences between the actual and the expected, in one line. */
export function unequal(what: string, actual: unknown, wanted: unknown): string | undefined {
  if (isDeepStrictEqual(plain(actual), plain(wanted))) return undefined;
  return `${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`;
}

/** A copy with prototypes of this realm: jest's own ones differ, and `toEqual` would see that. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
