import { read } from "./api";
import { fullNameOf, splitName } from "./names";
import type {
  Config,
  EmulatorEvent,
  OperationView,
  RequestRecord,
  Resource,
  ResourceVersion,
  ShownRule,
} from "./types";

/** All kinds of events. The type of this record makes the compiler check that it is complete. */
const EVENTS = Object.keys({
  request: true,
  requestsCleared: true,
  resource: true,
  operation: true,
  operationGone: true,
  settings: true,
  reset: true,
} satisfies Record<EmulatorEvent["type"], true>);
const REQUESTS_SHOWN = 2_000;
const OPERATIONS_SHOWN = 2_000;
const CLOCK_CHECK_MS = 10_000;
const DUE_CHECK_MS = 400;

/** The state of the emulator in this page. It is loaded once and updated by the emulator's events. */
export class Store {
  /** Resources by service and name. */
  private readonly byKey = new Map<string, Resource>();
  /** The number of APIs that have a resource of a name. */
  private readonly sharing = new Map<string, number>();
  operations = new Map<string, OperationView>();
  /** Oldest first. */
  requests: RequestRecord[] = [];
  faults: ShownRule[] = [];
  config: Config | undefined;
  connection: "connecting" | "live" | "lost" = "connecting";
  isLoaded = false;
  private readonly histories = new Map<string, ResourceVersion[]>();
  /** Versions that arrived while the history of their resource is loaded: its answer may be from before them. */
  private readonly arriving = new Map<string, ResourceVersion[]>();
  private clockOffsetMs = 0;
  private waiting: EmulatorEvent[] | undefined;
  private readonly listeners = new Set<() => void>();
  private isAnnounced = false;

  start(): void {
    const events = new EventSource("/_emulator/events");
    events.onopen = () => void this.load();
    events.onerror = () => {
      this.connection = "lost";
      this.announce();
    };
    for (const type of EVENTS) {
      events.addEventListener(type, (message) => this.take(JSON.parse(message.data as string) as EmulatorEvent));
    }
    setInterval(() => void this.checkClock(), CLOCK_CHECK_MS);
    setInterval(() => void this.endDue(), DUE_CHECK_MS);
  }

  /** @returns ends the subscription */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** The time of the emulator's clock, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.clockOffsetMs;
  }

  get resources(): Resource[] {
    return [...this.byKey.values()];
  }

  /** The name that means only this resource: its full resource name if another API has a resource of the same name. */
  nameOf({ service, name }: Pick<Resource, "service" | "name">): string {
    return (this.sharing.get(name) ?? 0) > 1 ? fullNameOf({ service, name }) : name;
  }

  /** The resources that a name means: several if APIs share it, and it is not a full resource name. */
  named(given: string): Resource[] {
    const { service, name } = splitName(given);
    return this.resources.filter((each) => each.name === name && (service === undefined || each.service === service));
  }

  /** The versions of a resource, oldest first; undefined until they are loaded. */
  history(name: string): ResourceVersion[] | undefined {
    return this.histories.get(name);
  }

  async loadHistory(name: string): Promise<void> {
    const arrived = this.arriving.get(name) ?? [];
    this.arriving.set(name, arrived);
    const { versions } = await read<{ versions: ResourceVersion[] }>(
      `history?name=${encodeURIComponent(name)}`,
    ).finally(() => this.arriving.delete(name));
    this.histories.set(name, merged(versions, [...arrived, ...(this.histories.get(name) ?? [])]));
    this.announce();
  }

  forgetRequests(): void {
    this.requests = [];
    this.announce();
  }

  async loadSettings(): Promise<void> {
    const [{ faults }, config] = await Promise.all([
      read<{ faults: ShownRule[] }>("faults"),
      read<Config>("config"),
      this.checkClock(),
    ]);
    this.faults = faults;
    this.config = config;
    this.announce();
  }

  /** Loads the whole state. Events that arrive during the load are applied in order. */
  private async load(): Promise<void> {
    const waiting: EmulatorEvent[] = [];
    this.waiting = waiting;
    try {
      const [{ resources }, { operations }, { requests }] = await Promise.all([
        read<{ resources: Resource[] }>("resources"),
        read<{ operations: OperationView[] }>("operations"),
        read<{ requests: RequestRecord[] }>(`requests?last=${REQUESTS_SHOWN}`),
        this.loadSettings(),
      ]);
      if (this.waiting !== waiting) {
        return;
      }
      this.byKey.clear();
      this.sharing.clear();
      resources.forEach((resource) => this.put(resource));
      this.operations = new Map(operations.slice(-OPERATIONS_SHOWN).map((each) => [each.name, each]));
      this.requests = requests;
      const known = [...this.histories.keys()];
      this.histories.clear();
      this.waiting = undefined;
      waiting.forEach((event) => this.apply(event));
      this.connection = "live";
      this.isLoaded = true;
      this.announce();
      await Promise.all(known.map((name) => this.loadHistory(name)));
    } catch {
      // The event stream reconnects by itself, and then everything is loaded again.
      this.connection = "lost";
      this.announce();
    }
  }

  private take(event: EmulatorEvent): void {
    if (event.type === "reset") {
      void this.load();
    } else if (this.waiting !== undefined) {
      this.waiting.push(event);
    } else {
      this.apply(event);
      this.announce();
    }
  }

  private apply(event: EmulatorEvent): void {
    switch (event.type) {
      case "request":
        this.requests = withRecord(this.requests, event.record).slice(-REQUESTS_SHOWN);
        if (event.record.fault !== undefined) {
          void this.loadSettings();
        }
        return;
      case "resource":
        this.applyVersion(event.name, event.version);
        return;
      case "operation":
        this.operations.set(event.operation.name, event.operation);
        return;
      case "operationGone":
        this.operations.delete(event.name);
        return;
      case "requestsCleared":
        this.requests = [];
        return;
      case "settings":
        void this.loadSettings();
        return;
      case "reset":
        return;
    }
  }

  private applyVersion(name: string, version: ResourceVersion): void {
    const { service, body, policy } = version;
    if (body === null) {
      this.remove({ service, name });
    } else {
      this.put({ service, name, body, ...(policy && { policy }) });
    }
    for (const each of [name, fullNameOf({ service, name })]) {
      this.arriving.get(each)?.push(version);
      const versions = this.histories.get(each);
      if (versions !== undefined) {
        this.histories.set(each, merged(versions, [version]));
      }
    }
  }

  private put(resource: Resource): void {
    const key = keyOf(resource);
    if (!this.byKey.has(key)) {
      this.sharing.set(resource.name, (this.sharing.get(resource.name) ?? 0) + 1);
    }
    this.byKey.set(key, resource);
  }

  private remove(resource: Pick<Resource, "service" | "name">): void {
    if (!this.byKey.delete(keyOf(resource))) {
      return;
    }
    const left = (this.sharing.get(resource.name) ?? 1) - 1;
    if (left === 0) {
      this.sharing.delete(resource.name);
    } else {
      this.sharing.set(resource.name, left);
    }
  }

  private async checkClock(): Promise<void> {
    const asked = Date.now();
    const { now } = await read<{ now: string }>("now").catch(() => ({ now: undefined }));
    if (now !== undefined) {
      const offset = Date.parse(now) - (asked + Date.now()) / 2;
      // The time of the request makes small differences. A clock that was moved has larger differences.
      if (Math.abs(offset - this.clockOffsetMs) > 250) {
        this.clockOffsetMs = offset;
        this.announce();
      }
    }
  }

  /**
   * The emulator ends a due operation when the next request arrives. The page sends a request so that it need not wait for
   * one.
   */
  private async endDue(): Promise<void> {
    const due = [...this.operations.values()].find(
      ({ state, dueTime }) => state === "running" && Date.parse(dueTime) <= this.now(),
    );
    if (due !== undefined && this.connection === "live") {
      await read(`history?name=${encodeURIComponent(due.target)}`).catch(() => undefined);
    }
  }

  /** Notifies the listeners once for all changes before the next frame. */
  private announce(): void {
    if (this.isAnnounced) {
      return;
    }
    this.isAnnounced = true;
    setTimeout(() => {
      this.isAnnounced = false;
      this.listeners.forEach((listener) => listener());
    }, 16);
  }
}

function keyOf({ service, name }: Pick<Resource, "service" | "name">): string {
  return `${service}/${name}`;
}

function merged(versions: readonly ResourceVersion[], more: readonly ResourceVersion[]): ResourceVersion[] {
  const bySeq = new Map([...versions, ...more].map((version) => [version.seq, version]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

/** Adds a record, or replaces a known one. Numbers that start again mean that the log was cleared. */
function withRecord(records: readonly RequestRecord[], record: RequestRecord): RequestRecord[] {
  const later = records.findLastIndex(({ seq }) => seq <= record.seq);
  if (later < 0 && record.seq === 1) {
    return [record];
  }
  const isKnown = records[later]?.seq === record.seq;
  return [...records.slice(0, isKnown ? later : later + 1), record, ...records.slice(later + 1)];
}

export const store = new Store();
