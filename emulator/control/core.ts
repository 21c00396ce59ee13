import { randomBytes } from "node:crypto";
import { Permissions, type UsedPermission } from "../auth/permissions";
import { TokenRegistry } from "../auth/tokens";
import { SERVICES, type Service } from "../base/api";
import { configure, DEFAULT_CONFIG, type Config } from "../base/config";
import { InputError } from "../base/input";
import { nameWithProjectId, splitFullName, storedName } from "../base/policy-kinds";
import { clone, isObject } from "../base/json";
import type { ApiParts } from "../http/api";
import { FaultPlan } from "../http/faults";
import { Router } from "../http/router";
import { WriteLimits } from "../iam/write-limits";
import { apiOf, kindRoutes, methods, resourceTypes } from "../services";
import { finisher } from "../services/finish";
import type { Context } from "../services/method";
import { findResourceType } from "../services/resource-type";
import { Clock } from "../state/clock";
import { EventFeed } from "../state/events";
import type { Author, ResourceVersion } from "../state/history";
import { Journal } from "../state/journal";
import { viewOperation, type OperationView } from "../state/operation-view";
import { Operations } from "../state/operations";
import { RequestLog } from "../state/request-log";
import { Store, type StoredResource } from "../state/store";
import { exportSeed } from "./export";
import { mutated, type Mutation } from "./mutation";
import { readSeeds, type Seed } from "./seed";

export interface CoreOptions {
  config?: unknown;
  seed?: unknown;
  faults?: unknown;
  dataDir?: string;
  clock?: () => number;
}

/** The last time of a Date is 8.64e15; the margin is for the times that are computed from the clock. */
const MAX_TIME_MS = 8e15;

/** The emulator without its HTTP server: state, switches, faults, and what the control routes do. */
export class Core implements ApiParts {
  readonly context: Context;
  readonly router = new Router(methods, kindRoutes);
  readonly faults = new FaultPlan();
  readonly log = new RequestLog();
  readonly events = new EventFeed();
  /** Known to the emulator's own page only, which writes with it. */
  readonly pageToken = randomBytes(32).toString("base64url");
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly initialConfig: Config;
  private config: Config;

  /** @throws InputError for a mistake in the options */
  constructor(private readonly options: CoreOptions) {
    const baseClock = options.clock ?? Date.now;
    // Before the journal takes its folder, which a mistake in the switches would leave taken.
    this.initialConfig = configure(DEFAULT_CONFIG, options.config);
    this.config = this.initialConfig;
    this.store = new Store({
      persistence: options.dataDir === undefined ? undefined : new Journal(options.dataDir),
      baseClock,
      feed: this.events,
    });
    this.clock = new Clock(baseClock, () => this.store.clockOffsetMs());
    const finish = finisher(resourceTypes, this.store, (ms) => this.clock.timestamp(ms));
    this.context = {
      store: this.store,
      clock: this.clock,
      operations: new Operations(this.store, this.clock, finish),
      permissions: new Permissions(() => this.config),
      tokens: new TokenRegistry(this.clock),
      writeLimits: new WriteLimits(this.clock),
      config: () => this.config,
      apiOf,
    };
    try {
      this.faults.set(options.faults);
      // A restart checks its seed and does not apply it, because that would bring back what was deleted since.
      const seed = this.readSeeds(options.seed, this.initialConfig);
      this.change(SEED, () => (this.store.restored ? [] : seed).forEach((resource) => this.store.put(resource)));
    } catch (error) {
      this.store.close();
      throw error;
    }
  }

  /** Back to the start: the seed, switches, faults and clock of the start, without requests and tokens. */
  reset({ seed = true }: { seed?: boolean } = {}): void {
    const clear = (): void => {
      this.store.clear();
      this.readSeeds(seed ? this.options.seed : [], this.initialConfig).forEach((resource) => this.store.put(resource));
    };
    this.change(SEED, clear, () => {
      this.context.permissions.clear();
      this.context.tokens.clear();
      this.context.writeLimits.clear();
      this.config = this.initialConfig;
      this.faults.set(this.options.faults);
      this.log.clear();
    });
  }

  /** Adds resources. One that exists is replaced, with its policy. @throws InputError, having added nothing */
  seed(list: unknown): void {
    const resources = this.readSeeds(list, this.config);
    this.change(SEED, () => resources.forEach((resource) => this.store.put(resource)));
  }

  /** The permissions that the requests needed since the last `clearRequests`, also requests that the log no longer keeps. */
  permissionsUsed(): UsedPermission[] {
    return this.context.permissions.used();
  }

  /** Empties the log of requests, and the list of the permissions that they needed. */
  clearRequests(): void {
    this.log.clear();
    this.context.permissions.clear();
    this.events.send({ type: "requestsCleared" });
  }

  /** Replaces the fault plan. @throws InputError */
  setFaults(plan: unknown): void {
    this.faults.set(plan);
    this.events.send({ type: "settings" });
  }

  /** Adds rules at the end of the fault plan; the others keep their counts. @throws InputError */
  addFaults(rules: unknown): void {
    this.faults.add(rules);
    this.events.send({ type: "settings" });
  }

  /** Takes one rule out of the fault plan; the others keep their counts. @returns whether it was there */
  removeFault(index: number): boolean {
    const wasThere = this.faults.remove(index);
    if (wasThere) {
      this.events.send({ type: "settings" });
    }
    return wasThere;
  }

  currentConfig(): Config {
    return structuredClone(this.config);
  }

  /** @throws InputError */
  configure(patch: unknown): Config {
    this.config = configure(this.config, patch);
    if (isObject(patch) && "unknownMembers" in patch) {
      this.context.writeLimits.forgetRefusals();
    }
    this.events.send({ type: "settings" });
    return this.currentConfig();
  }

  /** Moves the clock and ends the operations that are due by then. @param ms a whole number, not negative */
  advance(ms: number): void {
    if (!Number.isInteger(ms) || ms < 0 || this.clock.now() + ms > MAX_TIME_MS) {
      throw new InputError("advance", ["ms must be a whole number from 0 on that does not exceed the largest date"]);
    }
    this.change(CONTROL, () => this.store.moveClock(ms));
    this.events.send({ type: "settings" });
    this.finishDue();
  }

  resources(): StoredResource[] {
    this.finishDue();
    return clone(this.store.all());
  }

  /** The projects that hold a resource: by id, and by number where `projectNumbers` has one. */
  projects(): string[] {
    const ids = new Set(this.store.all().flatMap(({ name }) => /^projects\/([^/]+)\//.exec(name)?.[1] ?? []));
    const numbers = Object.entries(this.config.projectNumbers).filter(([, id]) => ids.has(id));
    return [...ids, ...numbers.map(([number]) => number)].sort();
  }

  /** @throws InputError if several APIs have a resource of this name and `service` names none of them */
  resource(name: string, service?: Service): StoredResource | undefined {
    this.finishDue();
    return clone(this.find(name, service));
  }

  /** The resources as a seed that brings them back. */
  export(): Seed[] {
    return exportSeed(this.resources());
  }

  /**
   * The versions that a resource has had, oldest first.
   *
   * @param given the name in the API, or a full resource name
   * @param service without it and without a full name, the versions of all APIs
   */
  history(given: string, service?: Service): ResourceVersion[] {
    this.finishDue();
    const { name, services = SERVICES } = this.named(given, service);
    return clone(services.flatMap((each) => this.store.versions(each, name)).sort((a, b) => a.seq - b.seq));
  }

  /** The operations of all APIs, in the order of their start. */
  operations(): OperationView[] {
    this.finishDue();
    return this.context.operations.all().map(viewOperation);
  }

  /** Changes a resource as somebody else would. @throws InputError if there is no such resource, or for a mistake */
  mutate(name: string, mutation: Mutation, service?: Service): StoredResource {
    this.finishDue();
    const resource = this.find(name, service);
    const type = resource && findResourceType(resourceTypes, resource.service, resource.name);
    if (resource === undefined || type === undefined) {
      throw new InputError("mutate", [`name: there is no resource '${name}'`]);
    }
    const changed = mutated(resource, type, mutation, this.config);
    this.change(CONTROL, () => this.store.put(changed));
    return clone(this.store.get(changed.service, changed.name) ?? changed);
  }

  /** Removes a resource as somebody else would. @returns whether it was there */
  remove(name: string, service?: Service): boolean {
    this.finishDue();
    const found = this.find(name, service);
    return found !== undefined && this.change(CONTROL, () => this.store.remove(found.service, found.name));
  }

  /** Writes out what is left to write and frees the data folder. */
  close(): void {
    this.store.close();
  }

  /** @param given the name in the API, or a full resource name */
  private find(given: string, service?: Service): StoredResource | undefined {
    const { name, services } = this.named(given, service);
    const found = services ?? this.store.servicesOf(name);
    if (found.length > 1) {
      throw new InputError("resource", [`service: ${found.join(" and ")} have a resource '${name}'; name one of them`]);
    }
    return found[0] && this.store.get(found[0], name);
  }

  /** The name in the API, and the APIs that are meant; undefined for all that have the name. */
  private named(given: string, service: Service | undefined): { name: string; services?: readonly Service[] } {
    const full = splitFullName(given);
    const name = nameWithProjectId(storedName(full?.name ?? given), this.config.projectNumbers);
    if (service !== undefined) return { name, services: [service] };
    return full === undefined ? { name } : { name, services: SERVICES.filter((each) => each === full.service) };
  }

  private finishDue(): void {
    this.context.operations.finishDue();
  }

  private readSeeds(list: unknown, config: Config): StoredResource[] {
    const hasResource = (service: Service, name: string): boolean => this.store.has(service, name);
    return readSeeds(list, { resourceTypes, clock: this.clock, config, hasResource });
  }

  /** Makes a change that lasts. @throws SaveError when it cannot, and then nothing has changed */
  private change<T>(author: Author, work: () => T, saved?: () => void): T {
    try {
      const result = this.store.as(author, work);
      this.store.commit(saved);
      return result;
    } catch (error) {
      this.store.rollback();
      throw error;
    }
  }
}

const SEED: Author = { by: "seed" };
const CONTROL: Author = { by: "control" };
