import { projectOf, withProject } from "../../provider/core/reference";
import { getOrCompute } from "../../provider/core/once";
import { policyOf } from "../../provider/iam/policy-api";
import type { Policy } from "../../provider/iam/policy";
import type { Values } from "../../provider/core/unknown";

/** An access policy: the live one, and its copy with the changes of the rehearsal so far. */
export interface PolicyCopy {
  /** The base URL of the API, with its version. */
  readonly url: string;
  /** The name of its first read. */
  readonly resource: string;
  readonly live: Policy;
  current: Policy;
}

/** Reads the live policy. */
export type ReadLive = () => Promise<Values>;

/** The live policies that were read, by API and name, for several rehearsals. */
export type LivePolicies = Map<string, Promise<Values>>;

/**
 * The access policies of a rehearsal. Each is read from the cloud once, and changed in memory only. Providers with the same
 * endpoint share them. A name with the number of a project is that with its id, as soon as the id is known.
 */
export class PolicyCopies {
  /** By API and name. A failed read is not repeated. */
  private readonly loads = new Map<string, Promise<PolicyCopy>>();
  private readonly loaded = new Map<string, PolicyCopy>();
  /** The ids of projects, by API and number. */
  private readonly ids: Map<string, string>;
  /** The copies of the policies of another rehearsal. A policy with two names has one. */
  private readonly fromOrigin = new Map<PolicyCopy, PolicyCopy>();
  private writes = 0;

  /**
   * @param live for several stacks: what one of them read is not read again.
   * @param origin the policies of another rehearsal, which have been read.
   */
  constructor(
    private readonly live: LivePolicies = new Map(),
    private readonly origin?: PolicyCopies,
  ) {
    this.ids = origin?.ids ?? new Map<string, string>();
  }

  /** From now on, names with this number of a project are those with its id. */
  hasId(url: string, number: string, id: string): void {
    this.ids.set(`${url} ${number}`, id);
  }

  /** The name of a resource in its only spelling, as far as the ids of projects are known. */
  nameOf(url: string, resource: string): string {
    const id = this.ids.get(`${url} ${projectOf(resource)}`);
    return id === undefined ? resource : withProject(resource, id);
  }

  private keyOf(url: string, resource: string): string {
    return url + this.nameOf(url, resource);
  }

  /** @throws the error of the read, at each call; WireShapeError when the answer is not a policy. */
  load(url: string, resource: string, read: ReadLive): Promise<PolicyCopy> {
    const key = this.keyOf(url, resource);
    const known = this.get(url, resource);
    if (known) return Promise.resolve(known);
    // What the other rehearsal could not read is not read again.
    let load = this.loads.get(key) ?? this.origin?.loads.get(key);
    if (!load) {
      load = this.readOnce(key, read).then((answer) => this.add(url, resource, policyOf(answer)));
      // An early read may fail before a caller waits for it.
      load.catch(() => {});
      this.loads.set(key, load);
    }
    return load;
  }

  /** A read that failed with the credentials of one stack may work with those of another. */
  private readOnce(key: string, read: ReadLive): Promise<Values> {
    const reading = this.live.get(key)?.catch(read) ?? read();
    this.live.set(key, reading);
    return reading;
  }

  /** A policy that was read; undefined when it was not read or the read failed. */
  get(url: string, resource: string): PolicyCopy | undefined {
    const key = this.keyOf(url, resource);
    const known = this.loaded.get(key);
    if (known || !this.origin) return known;
    const original = this.origin.get(url, resource);
    if (!original) return undefined;
    const own = getOrCompute(this.fromOrigin, original, () => ({ ...original, current: original.live }));
    this.loaded.set(key, own);
    return own;
  }

  /** The same policies as they were read, for another rehearsal. Only those that it asks for are copied. */
  fresh(): PolicyCopies {
    return new PolicyCopies(this.live, this);
  }

  /** Writes a policy with a new etag, as the API does. */
  write(policy: PolicyCopy, changed: Policy): Policy {
    this.writes += 1;
    policy.current = { ...changed, etag: `rehearsal-${this.writes}` };
    return policy.current;
  }

  private add(url: string, resource: string, live: Policy): PolicyCopy {
    const policy = { url, resource, live, current: live };
    this.loaded.set(this.keyOf(url, resource), policy);
    return policy;
  }
}
