import { Clock } from "./state/clock";
import { configure, DEFAULT_CONFIG, InputError, type Config } from "./control/config";
import type { Context } from "./context";
import { FaultPlan } from "./control/faults";
import { WriteLimits } from "./iam/write-limits";
import { newerFields, policyMessage } from "./iam/messages";
import { storable } from "./iam/policy";
import { isObject, type JsonObject } from "./messages/json";
import { Operations } from "./state/operations";
import { filePersistence } from "./state/persistence";
import { RequestLog } from "./http/request-log";
import { Router } from "./http/router";
import { decode } from "./messages/schema";
import { readSeeds } from "./control/seed";
import { finishAssociation } from "./services/associations";
import { kinds, methods } from "./services";
import { noPersistence, Store, type StoredResource } from "./state/store";
import { TokenRegistry } from "./auth/tokens";

export interface CoreOptions {
  config?: unknown;
  seed?: unknown;
  faults?: unknown;
  dataDir?: string;
  clock?: () => number;
}

/** The last time that a Date can hold, less a margin for what is reckoned from it. */
const MAX_TIME_MS = 8e15;

/** A change by somebody else: a JSON merge patch (RFC 7396) of the body, and/or a whole new policy (null: none). */
export interface Mutation {
  patch?: object;
  policy?: object | null;
}

/** The emulator without its HTTP server: state, switches, faults, and what the control routes do. */
export class Core {
  readonly context: Context;
  readonly router = new Router(methods.values());
  readonly faults = new FaultPlan();
  readonly log = new RequestLog();
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly initialConfig: Config;
  private config: Config;

  /** @throws InputError for a mistake in the options */
  constructor(private readonly options: CoreOptions) {
    this.clock = new Clock(options.clock);
    this.store = new Store(options.dataDir === undefined ? noPersistence : filePersistence(options.dataDir));
    this.initialConfig = configure(DEFAULT_CONFIG, options.config);
    this.config = this.initialConfig;
    const finish = finishAssociation(this.store, (ms) => this.clock.timestamp(ms));
    this.context = {
      store: this.store,
      clock: this.clock,
      operations: new Operations(this.store, this.clock, finish),
      tokens: new TokenRegistry(this.clock),
      guards: new WriteLimits(this.clock),
      config: () => this.config,
    };
    this.faults.set(options.faults);
    // The seed of a restart is checked and left alone: it would bring back what has been deleted since.
    this.plant(options.seed, !this.store.restored);
  }

  /** Back to the start: its seed, switches and faults; the requests so far, tokens and a moved clock are forgotten. */
  reset({ seed = true }: { seed?: boolean } = {}): void {
    this.store.clear();
    this.clock.reset();
    this.context.tokens.clear();
    this.context.guards.clear();
    this.config = this.initialConfig;
    this.faults.set(this.options.faults);
    this.log.clear();
    this.plant(seed ? this.options.seed : []);
  }

  /** Adds resources; one that exists is replaced, its policy too. @throws InputError, and then nothing is added */
  seed(list: unknown): void {
    this.plant(list);
  }

  currentConfig(): Config {
    return structuredClone(this.config);
  }

  /** @throws InputError */
  configure(patch: unknown): Config {
    this.config = configure(this.config, patch);
    if (isObject(patch) && "unknownMembers" in patch) {
      this.context.guards.forgetRefusals();
    }
    return this.currentConfig();
  }

  /** Moves the clock and carries out what has become due. @param ms not negative */
  advance(ms: number): void {
    if (!(ms >= 0) || this.clock.now() + ms > MAX_TIME_MS) {
      throw new InputError("advance", ["ms must not be negative, nor lead past the last date that there is"]);
    }
    this.clock.advance(ms);
    this.settle();
  }

  resources(): StoredResource[] {
    this.settle();
    return this.store.all();
  }

  resource(name: string): StoredResource | undefined {
    this.settle();
    return this.store.get(name);
  }

  /** @throws InputError if there is no such resource or the policy is not one */
  mutate(name: string, { patch, policy }: Mutation): StoredResource {
    this.settle();
    const resource = this.store.get(name);
    if (resource === undefined) {
      throw new InputError("mutate", [`name: there is no resource '${name}'`]);
    }
    const changed: StoredResource = { ...resource };
    if (patch !== undefined) {
      changed.body = mergePatch(resource.body, patch as JsonObject);
    }
    if (policy === null) {
      delete changed.policy;
    } else if (policy !== undefined) {
      changed.policy = this.outsidePolicy(policy as JsonObject);
    }
    this.store.put(changed);
    this.store.flush();
    return this.store.get(name) ?? changed;
  }

  /** Removes a resource as somebody else would. @returns whether it was there */
  remove(name: string): boolean {
    this.settle();
    const existed = this.store.has(name) && this.store.remove(name);
    this.store.flush();
    return existed;
  }

  private outsidePolicy(policy: JsonObject): JsonObject {
    const { value, violations } = decode(policyMessage, policy, { newer: newerFields(this.config.newerPolicyFields) });
    if (violations.length > 0) {
      throw new InputError(
        "mutate",
        violations.map(({ description }) => `policy: ${description}`),
      );
    }
    return storable(value, this.config) as JsonObject;
  }

  private plant(list: unknown, wanted = true): void {
    const resources = readSeeds(list, kinds, this.clock);
    if (wanted) {
      resources.forEach((resource) => this.store.put(resource));
    }
    this.store.flush();
  }

  private settle(): void {
    this.context.operations.settle();
    this.store.flush();
  }
}

function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = Object.assign(Object.create(null) as JsonObject, target);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
    } else if (isObject(value)) {
      const inner = result[key];
      result[key] = mergePatch(isObject(inner) ? inner : {}, value);
    } else {
      result[key] = value;
    }
  }
  return result;
}
