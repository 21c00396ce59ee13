import "../require-node.cjs";
import type { Service } from "./base/api";
import type { UsedPermission } from "./auth/permissions";
import { configure, DEFAULT_CONFIG, type Config, type ConfigPatch } from "./base/config";
import { Core } from "./control/core";
import type { Mutation } from "./control/mutation";
import type { FaultRule } from "./http/faults";
import type { RequestRecord } from "./state/request-log";
import { readSeeds, type Seed } from "./control/seed";
import { Clock } from "./state/clock";
import { resourceTypes } from "./services";
import { serve } from "./server";
import type { EmulatorEvent } from "./state/events";
import type { ResourceVersion } from "./state/history";
import type { OperationView } from "./state/operation-view";
import type { StoredResource } from "./state/store";

export type { Service } from "./base/api";
export type { UsedPermission } from "./auth/permissions";
export type { Config, ConfigPatch } from "./base/config";
export { InputError } from "./base/input";
export type { Mutation } from "./control/mutation";
export { demoSeed } from "./control/demo-seed";
export type { Fault, FaultRule } from "./http/faults";
export type { RequestRecord } from "./state/request-log";
export { parseText } from "./control/parse-text";
export { listAsYaml } from "./control/export";
export { seedJsonSchema, type Seed } from "./control/seed";
export type { EmulatorEvent } from "./state/events";
export type { Author, ResourceVersion } from "./state/history";
export type { OperationView } from "./state/operation-view";
export type { StoredResource } from "./state/store";

export interface EmulatorOptions extends ConfigPatch {
  /** @default "127.0.0.1" */
  host?: string;
  /** @default 0, a free port */
  port?: number;
  /**
   * Further host names that clients may use, besides `localhost`, the listening address and Google's hosts. Other names are
   * refused, so that no web page can make its own host name resolve to the emulator. @default []
   */
  allowedHosts?: readonly string[];
  /** The resources at the start and after each reset: a list of `Seed`. It is validated. */
  seed?: unknown;
  /** The folder that keeps the state between runs. Without it, the state is in memory only. */
  data?: string;
  /** The fault plan at the start and after each reset: a list of `FaultRule`. It is validated. */
  faults?: unknown;
  /** Milliseconds since the epoch. @default Date.now */
  clock?: () => number;
  /** Largest accepted request body, in bytes. @default 10485760 */
  maxBodyBytes?: number;
  /** Called for every finished request that is not a control request. */
  onRequest?: (record: RequestRecord) => void;
  /** Called for every request that the fault `stall` leaves unanswered, after the effect of the request. */
  onStall?: (record: RequestRecord) => void;
}

/** A running emulator. For invalid input, methods throw an InputError that lists all mistakes. */
export interface Emulator {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The token that writes from the emulator's own page must send in the header `x-perimeter-page-token`. */
  readonly pageToken: string;
  /** The environment variable that directs a program to this emulator: `PERIMETER_EMULATOR_HOST`. */
  readonly env: Readonly<Record<string, string>>;
  /** Restores the seed, switches, faults and clock of the start; `{seed: false}` leaves it without resources. */
  reset(options?: { seed?: boolean }): void;
  /** Adds resources or replaces them. @param list of `Seed` */
  seed(list: unknown): void;
  /** The requests so far except control requests, oldest first; at most the last 20,000. */
  requests(): RequestRecord[];
  /** Empties the list of requests, and that of the permissions that they needed. */
  clearRequests(): void;
  /** The permissions that the requests needed, by permission and resource, sorted. `testIamPermissions` does not count. */
  permissionsUsed(): UsedPermission[];
  /** Replaces the fault plan; `[]` ends all faults. @param plan a list of `FaultRule` */
  setFaults(plan: unknown): void;
  /** Adds rules at the end of the fault plan; the others keep their counts. @param rules a list of `FaultRule` */
  addFaults(rules: unknown): void;
  /** Removes the rule at `index`, from 0; the others keep their counts. @returns whether the rule existed */
  removeFault(index: number): boolean;
  /** The fault plan with the number of matching requests for each rule. */
  faults(): Array<FaultRule & { seen: number }>;
  config(): Config;
  /** Changes switches. Omitted switches keep their values. */
  configure(patch: ConfigPatch): Config;
  /** The time of the emulator's clock, in milliseconds since the epoch. */
  now(): number;
  /** Advances the emulator's clock and ends the operations that become due. */
  advance(ms: number): void;
  resources(): StoredResource[];
  /** @param service needed only if two APIs have a resource with this name, as in the methods below */
  resource(name: string, service?: Service): StoredResource | undefined;
  /** The resources as a seed that restores them. Resources are sorted by name, and fields alphabetically. */
  export(): Seed[];
  /** Changes a resource out of band. */
  mutate(name: string, mutation: Mutation, service?: Service): StoredResource;
  /** Removes a resource out of band. @returns whether it existed */
  remove(name: string, service?: Service): boolean;
  /**
   * The versions of a resource in this run, oldest first: body, policy, time and author of the change. The newest 100 versions
   * of a resource are kept, even after the resource is deleted.
   */
  history(name: string, service?: Service): ResourceVersion[];
  /** The operations of all APIs, in the order of creation. */
  operations(): OperationView[];
  /** Calls the listener for every event. @returns a function that ends the subscription */
  subscribe(listener: (event: EmulatorEvent) => void): () => void;
  /** Closes all connections and waits until they are closed. */
  stop(): Promise<void>;
}

/**
 * Checks a seed without starting an emulator.
 *
 * @param what the name of the seed in the error
 * @param config switches; some of them accept more policies
 * @throws InputError that lists all mistakes
 */
export function checkSeed(list: unknown, what = "seed", config: ConfigPatch = {}): void {
  const clock = new Clock(Date.now, () => 0);
  readSeeds(list, { resourceTypes, clock, config: configure(DEFAULT_CONFIG, config), hasResource: () => false }, what);
}

/**
 * Checks switches without starting an emulator.
 *
 * @param what the name of the switches in the error
 * @throws InputError that lists all mistakes
 */
export function checkConfig(patch: unknown, what?: string): ConfigPatch {
  configure(DEFAULT_CONFIG, patch, what);
  return patch as ConfigPatch;
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Starts an emulator of the APIs, by default on a free port of the loopback interface. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const {
    host = "127.0.0.1",
    port = 0,
    seed,
    data,
    faults,
    clock,
    maxBodyBytes,
    allowedHosts = [],
    onRequest,
    onStall,
    ...config
  } = options;
  const core = new Core({ config, seed, faults, dataDir: data, clock });
  const guard = { listensOn: host, allowedHosts, pageToken: core.pageToken };
  const listening = { host, port, maxBodyBytes: maxBodyBytes ?? MAX_BODY_BYTES, guard };
  const server = await serve({ core, ...listening, onRequest, onStall }).catch((error: unknown) => {
    core.close();
    throw error;
  });
  const authority = `${reachable(host)}:${server.port}`;
  return {
    url: `http://${authority}`,
    host,
    port: server.port,
    pageToken: core.pageToken,
    env: { PERIMETER_EMULATOR_HOST: authority },
    reset: (how) => core.reset(how),
    seed: (list) => core.seed(list),
    requests: () => core.log.all(),
    clearRequests: () => core.clearRequests(),
    permissionsUsed: () => core.permissionsUsed(),
    setFaults: (plan) => core.setFaults(plan),
    addFaults: (rules) => core.addFaults(rules),
    removeFault: (index) => core.removeFault(index),
    faults: () => core.faults.show(),
    config: () => core.currentConfig(),
    configure: (patch) => core.configure(patch),
    now: () => core.context.clock.now(),
    advance: (ms) => core.advance(ms),
    resources: () => core.resources(),
    resource: (name, service) => core.resource(name, service),
    mutate: (name, mutation, service) => core.mutate(name, mutation, service),
    remove: (name, service) => core.remove(name, service),
    export: () => core.export(),
    history: (name, service) => core.history(name, service),
    operations: () => core.operations(),
    subscribe: (listener) => core.events.subscribe(listener),
    stop: () => server.stop(),
  };
}

/**
 * The host for the URL of a server on this machine. The address of "all interfaces" cannot be used in a URL, and IPv6 needs
 * brackets.
 */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") {
    return "127.0.0.1";
  }
  return host.includes(":") ? `[${host}]` : host;
}
