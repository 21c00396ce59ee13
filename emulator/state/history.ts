import type { Service } from "../base/api";
import type { JsonObject } from "../base/json";

/** Who changed a resource. */
export interface Author {
  /**
   * `request`: an API call, also for the later effects of its operation. `control`: a control request or a method of
   * `startEmulator`. `seed`: a seed. `restart`: the state from the data folder.
   */
  by: "request" | "control" | "seed" | "restart";
  /** The `seq` of the request in the request log. */
  request?: number;
  /** The API method id of the request. */
  method?: string;
  userAgent?: string;
}

/** The version of a resource between two changes. */
export interface ResourceVersion {
  /** Numbers all changes of all resources, so that versions of different resources can be ordered. */
  seq: number;
  /** The time of the emulator's clock, in RFC 3339. */
  time: string;
  service: Service;
  author: Author;
  /** The parts that the change affected. */
  changed: Array<"body" | "policy">;
  /** null when the resource was removed. */
  body: JsonObject | null;
  /** null when there is no policy. */
  policy: JsonObject | null;
}

const MAX_PER_RESOURCE = 100;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** The assumed size of a version besides its JSON text. */
const OVERHEAD_CHARACTERS = 500;
/** The number of versions that each recording examines. A limit keeps recordings fast with a large state. */
const MAX_SWEEP = 4;

interface Held extends ResourceVersion {
  name: string;
  characters: number;
}

/**
 * The versions of all resources. They are kept in memory only: the newest 100 of a resource, and 16 million characters in
 * total. Older versions are forgotten, except the last two of an existing resource.
 */
export class History {
  private readonly byName = new Map<string, Held[]>();
  /** All versions, oldest first. */
  private readonly all = new Set<Held>();
  /** Where the next sweep goes on. A new iterator would pass all places of forgotten versions again. */
  private hand = this.all.values();
  private characters = 0;
  private seq = 0;

  /** @returns a function that removes the version */
  record(name: string, version: Omit<ResourceVersion, "seq">): () => void {
    const { body, policy, changed } = version;
    const added = [changed.includes("body") && body, changed.includes("policy") && policy];
    this.seq += 1;
    const characters = OVERHEAD_CHARACTERS + JSON.stringify(added).length;
    const versions = this.byName.get(name) ?? [];
    const held: Held = { ...version, seq: this.seq, name, characters };
    this.byName.set(name, versions);
    versions.push(held);
    this.all.add(held);
    this.characters += characters;
    if (versions.length > MAX_PER_RESOURCE && versions[0] !== undefined) {
      this.forget(versions[0]);
    }
    this.sweep();
    return () => this.forget(held);
  }

  /** Oldest first. */
  of(name: string): ResourceVersion[] {
    return (this.byName.get(name) ?? []).map(({ seq, time, service, author, changed, body, policy }) => {
      return { seq, time, service, author, changed, body, policy };
    });
  }

  latest(name: string): ResourceVersion | undefined {
    return this.byName.get(name)?.at(-1);
  }

  /** The version before the latest one. */
  previous(name: string): ResourceVersion | undefined {
    return this.byName.get(name)?.at(-2);
  }

  private forget(version: Held): void {
    const versions = this.byName.get(version.name);
    if (versions === undefined || !this.all.delete(version)) {
      return;
    }
    versions.splice(versions.indexOf(version), 1);
    this.characters -= version.characters;
    if (versions.length === 0) {
      this.byName.delete(version.name);
    }
  }

  private sweep(): void {
    for (let looked = 0; this.characters > MAX_CHARACTERS && looked < MAX_SWEEP; looked++) {
      const { value, done } = this.hand.next();
      if (done) {
        this.hand = this.all.values();
      } else if (!this.isNeeded(value)) {
        this.forget(value);
      }
    }
  }

  private isNeeded(version: Held): boolean {
    const versions = this.byName.get(version.name) ?? [];
    return versions.at(-1)?.body !== null && versions.slice(-2).includes(version);
  }
}
