import type { Service } from "../base/api";
import type { JsonObject } from "../base/json";

/** Who changed a resource. */
export interface Author {
  /**
   * `request`: an API call, also for what its operation does later. `control`: a control request or a method of
   * `startEmulator`. `seed`: a seed. `restart`: what the emulator found in its data folder.
   */
  by: "request" | "control" | "seed" | "restart";
  /** `seq` of the request in the request log. */
  request?: number;
  /** API method id of the request. */
  method?: string;
  userAgent?: string;
}

/** A resource as it was from one change to the next. */
export interface ResourceVersion {
  /** Counts all changes of all resources, so that versions of different resources can be put in order. */
  seq: number;
  /** By the emulator's clock, RFC 3339. */
  time: string;
  service: Service;
  author: Author;
  /** What this change changed. */
  changed: Array<"body" | "policy">;
  /** null: the resource is gone. */
  body: JsonObject | null;
  /** null: it has no policy. */
  policy: JsonObject | null;
}

const MAX_PER_RESOURCE = 100;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** What a version costs besides the JSON text that it added. */
const OVERHEAD_CHARACTERS = 500;
/** So many versions are looked at in each recording, so that a large state makes none of them slow. */
const MAX_SWEEP = 16;

interface Held extends ResourceVersion {
  name: string;
  characters: number;
}

/**
 * The versions of every resource over time. They are kept in memory only, the newest 100 of a resource and 16 million
 * characters in all; what is older is forgotten. The last two versions of a resource that exists always stay.
 */
export class History {
  private readonly byName = new Map<string, Held[]>();
  /** All versions, oldest first. */
  private readonly all = new Set<Held>();
  private characters = 0;
  private seq = 0;

  /** @returns what takes the version back */
  record(name: string, version: Omit<ResourceVersion, "seq">): () => void {
    const { body, policy, changed } = version;
    const added = [changed.includes("body") && body, changed.includes("policy") && policy];
    this.seq += 1;
    const characters = OVERHEAD_CHARACTERS + JSON.stringify(added).length;
    const held: Held = { ...version, seq: this.seq, name, characters };
    const versions = this.byName.get(name) ?? [];
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
    let looked = 0;
    for (const version of this.all) {
      if (this.characters <= MAX_CHARACTERS || looked === MAX_SWEEP) {
        return;
      }
      looked += 1;
      if (this.isNeeded(version)) {
        // To the end of the line: it is looked at again when all others have been.
        this.all.delete(version);
        this.all.add(version);
      } else {
        this.forget(version);
      }
    }
  }

  private isNeeded(version: Held): boolean {
    const versions = this.byName.get(version.name) ?? [];
    return versions.at(-1)?.body !== null && versions.indexOf(version) >= versions.length - 2;
  }
}
