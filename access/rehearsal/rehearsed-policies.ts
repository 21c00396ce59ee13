import { isDeepStrictEqual } from "node:util";
import { withProject } from "../../provider/core/cloud-object";
import { sameName } from "../../provider/core/reference";
import { policyOf } from "../../provider/iam/policy-api";
import type { Policy } from "../../provider/iam/policy";
import type { Values } from "../../provider/core/unknown";

/** One access policy: as it is in the cloud, and what the rehearsal has made of it so far. */
export interface RehearsedPolicy {
  /** Where the API is, with its version. */
  readonly url: string;
  /** The name under which it was read first. */
  readonly resource: string;
  readonly live: Policy;
  current: Policy;
}

/** Reads the live policy. */
export type ReadLive = () => Promise<Values>;

/**
 * The access policies of a rehearsal. Each is read from the cloud once, and changed in memory only. Providers that call
 * one API at one address share them, as they share the cloud.
 */
export class RehearsedPolicies {
  /** By API and name. A read that failed is not tried again. */
  private readonly loads = new Map<string, Promise<RehearsedPolicy>>();
  private readonly loaded = new Map<string, RehearsedPolicy>();
  /** By API and name without its project, whose id and number name the same one. */
  private readonly byAnyProject = new Map<string, RehearsedPolicy[]>();
  private writes = 0;

  /** @throws what the read throws, at each call; WireShapeError where its answer is no policy. */
  load(url: string, resource: string, read: ReadLive): Promise<RehearsedPolicy> {
    const key = url + resource;
    let load = this.loads.get(key);
    if (!load) {
      load = read().then((answer) => this.add(url, resource, policyOf(answer)));
      // Read ahead, it may fail before anybody waits for it.
      load.catch(() => {});
      this.loads.set(key, load);
    }
    return load;
  }

  /** A policy that was read; undefined where it was not, or could not be. */
  get(url: string, resource: string): RehearsedPolicy | undefined {
    return this.loaded.get(url + resource);
  }

  /** Writes a policy as the API does, under a new etag. */
  write(policy: RehearsedPolicy, changed: Policy): Policy {
    this.writes += 1;
    policy.current = { ...changed, etag: `rehearsal-${this.writes}` };
    return policy.current;
  }

  /** Two spellings of one project name one resource where its live policy is the same, etag included. */
  private add(url: string, resource: string, live: Policy): RehearsedPolicy {
    const anyProject = url + withProject(resource, "");
    const others = this.byAnyProject.get(anyProject) ?? [];
    const same = others.find((other) => sameName(other.resource, resource) && isOnePolicy(other.live, live));
    const policy = same ?? { url, resource, live, current: live };
    if (!same) this.byAnyProject.set(anyProject, [...others, policy]);
    this.loaded.set(url + resource, policy);
    return policy;
  }
}

function isOnePolicy(left: Policy, right: Policy): boolean {
  return Boolean(left.etag) && left.etag === right.etag && isDeepStrictEqual(left.bindings, right.bindings);
}
