import { isDeepStrictEqual } from "node:util";
import { ApiError, ConnectionError, CredentialsError, TimeoutError } from "../../provider/core/errors";
import { getOrCompute } from "../../provider/core/once";
import { isProjectNumber, projectOf, sameName, withProject } from "../../provider/core/reference";
import type { Call } from "../../provider/http/call";
import { undefinedIfNotFound } from "../../provider/http/client";
import type { Values } from "../../provider/core/unknown";
import { policyOf, readPolicy } from "../../provider/iam/policy-api";
import { hasGrantMode } from "../plan/steps";
import type { PlannedGrant } from "../plan/planned-grant";
import { groupedBy } from "../result/order";
import { AccessPolicy } from "./access-policy";
import type { StackClouds } from "./clouds";
import { anyProjectKey, clientOf, resourceKey, type Place } from "./place";
import { attempted, mapBounded, READ_TIMEOUT_MS, type Attempted } from "./reads";

/** What the reviews of several stacks read, by what it is, the API and the name. */
export type LiveReads = Map<string, Promise<Values>>;

/** Fewer failures may concern single resources only. */
const MOST_SERVER_FAILURES = 3;

/**
 * The access policies of a stack or of named resources. Each is read once, and changed in memory only. Providers with the same
 * endpoint share them. A name with the number of a project is that with its id, as soon as the id is known.
 */
export class AccessPolicies {
  private readonly known = new Map<string, AccessPolicy>();
  /** Those that somebody asked for by a place. */
  private readonly asked = new Set<AccessPolicy>();
  private readonly reads = new Map<AccessPolicy, Promise<AccessPolicy>>();
  /** The ids of projects, by API and number. */
  private readonly ids: Map<string, string>;
  /** The reasons why an API does not work, by its base URL. Reading more of its policies would take as long to fail. */
  private readonly unreachable = new Map<string, string>();
  /** The number of reads that failed with an HTTP status of 500 or above, by the base URL of the API. */
  private readonly serverFailures = new Map<string, number>();
  private readonly live: LiveReads;
  private readonly timeout: number;

  /**
   * @param live for several stacks: what one of them read is not read again.
   * @param timeout milliseconds for each read with its retries.
   * @param origin the policies of another rehearsal, which have been read.
   */
  constructor(
    readonly clouds: StackClouds,
    { live = new Map(), timeout = READ_TIMEOUT_MS }: { live?: LiveReads | undefined; timeout?: number } = {},
    private readonly origin?: AccessPolicies,
  ) {
    this.live = live;
    this.timeout = timeout;
    this.ids = origin?.ids ?? new Map<string, string>();
  }

  /** The same policies as they were read, for another rehearsal. Only those that it asks for are copied. */
  fresh(): AccessPolicies {
    return new AccessPolicies(this.clouds, {}, this);
  }

  /**
   * Reads the live policies of places, a few at the same time. A failed read is noted in the policy.
   *
   * @param created those that a plan may create. If one does not exist, its policy is empty.
   * @returns each policy once; those in unknown clouds, too, which are not read.
   */
  async read(places: readonly Place[], created: readonly Place[] = []): Promise<AccessPolicy[]> {
    const known = places.filter(({ cloud }) => cloud.settings.isKnown);
    await mapBounded(known, (place) => this.learnProject(place));
    const each = new Map(known.map((place) => [this.keyOf(place), place]));
    const mayBeNew = new Set(created.map((place) => this.keyOf(place)));
    await mapBounded([...each], async ([key, place]) => {
      const policy = await this.load(place, mayBeNew.has(key));
      if (policy.failure !== undefined) policy.noteUnknown({ code: "unreadable policy", message: policy.failure });
    });
    this.noteUnclearNames([...each.values()]);
    return [...new Set(places.map((place) => this.policyAt(place)))];
  }

  /** Reads the live policy at a place in a known cloud. A failed read is not repeated. */
  load(place: Place, mayBeNew = false): Promise<AccessPolicy> {
    const policy = this.policyAt(place);
    return getOrCompute(this.reads, policy, () => this.readLive(policy, place, mayBeNew));
  }

  private async readLive(policy: AccessPolicy, place: Place, mayBeNew: boolean): Promise<AccessPolicy> {
    const { kind, form } = place.kind;
    const client = clientOf(place);
    const unreachable = this.unreachable.get(client.baseUrl);
    if (unreachable !== undefined) {
      policy.failure = `Not read, because another policy of this API could not be read: ${unreachable}`;
      return policy;
    }
    const read = async (call: Call): Promise<Values> => {
      const found = readPolicy({ client, resource: place.path, kind, form }, 3, call);
      return mayBeNew ? ((await undefinedIfNotFound(found)) ?? {}) : found;
    };
    const result = await this.shared(`policy ${policy.key}`, read);
    if ("failure" in result) {
      policy.failure = result.failure;
      if (this.isOfApi(result.error, client.baseUrl)) this.unreachable.set(client.baseUrl, result.failure);
    } else {
      policy.isRead(policyOf(result.value));
    }
    return policy;
  }

  /**
   * Reads what another stack may have read. A read that failed with the credentials of one stack may work with those of another.
   *
   * @param key by which the stacks share it.
   */
  shared(key: string, read: (call: Call) => Promise<Values>): Promise<Attempted<Values>> {
    return attempted((call) => {
      const reading = this.live.get(key)?.catch(() => read(call)) ?? read(call);
      this.live.set(key, reading);
      return reading;
    }, this.timeout);
  }

  /**
   * True for a failure that all policies of the same API would have: at the first failure, or after several failures of the
   * server.
   */
  private isOfApi(error: unknown, baseUrl: string): boolean {
    if (!(error instanceof ApiError)) {
      return error instanceof ConnectionError || error instanceof TimeoutError || error instanceof CredentialsError;
    }
    if ((error.httpStatus ?? 0) < 500) return false;
    const failures = (this.serverFailures.get(baseUrl) ?? 0) + 1;
    this.serverFailures.set(baseUrl, failures);
    return failures >= MOST_SERVER_FAILURES;
  }

  /** The policy that a grant is in; undefined when the plan does not name its resource. */
  of(grant: PlannedGrant): AccessPolicy | undefined {
    const place = this.clouds.placeOf(grant);
    if (!place) return undefined;
    const policy = this.at(place);
    const { cloud, kind } = place;
    if (cloud.settings.isKnown && hasGrantMode(grant.step)) {
      const { value, variable } = cloud.grantSettings(kind.service).grantMode;
      policy.isReviewedIn({ mode: value, ...(variable !== undefined && { variable }) });
    }
    return policy;
  }

  /** The policy at a place. From now on, it is one of `all`. */
  at(place: Place): AccessPolicy {
    const policy = this.policyAt(place);
    this.asked.add(policy);
    return policy;
  }

  /** The policies that were asked for by a grant or a place. */
  all(): AccessPolicy[] {
    return [...this.asked];
  }

  /** The policy of a resource with this name at the address of an API; undefined if nobody named its place. */
  named(url: string, name: string): AccessPolicy | undefined {
    return this.find(url + this.nameAt(url, name));
  }

  /** A resource with two names has one policy. */
  private policyAt(place: Place): AccessPolicy {
    const key = this.keyOf(place);
    const found = this.find(key) ?? new AccessPolicy(place, this.nameOf(place));
    this.known.set(key, found);
    return found;
  }

  private find(key: string): AccessPolicy | undefined {
    const known = this.known.get(key);
    if (known) return known;
    const own = this.origin?.find(key)?.fresh();
    if (own) this.known.set(key, own);
    return own;
  }

  private keyOf(place: Place): string {
    return resourceKey(place, this.nameOf(place));
  }

  /** The name of a resource in its only spelling, as far as the ids of projects are known. */
  private nameOf(place: Place): string {
    return place.cloud.settings.isKnown ? this.nameAt(clientOf(place).baseUrl, place.path) : place.path;
  }

  private nameAt(url: string, name: string): string {
    const id = this.ids.get(`${url} ${projectOf(name)}`);
    return id === undefined ? name : withProject(name, id);
  }

  /** Asks for the id of the project that a name has by its number: only that shows whether two names are one resource. */
  private async learnProject(place: Place): Promise<void> {
    const { cloud, kind, path: name } = place;
    const number = projectOf(name);
    if (!isProjectNumber(number)) return;
    const resource = { url: clientOf(place).baseUrl, name };
    await attempted((call) => cloud.projectIds.learn(resource, kind.service, call), this.timeout);
    const id = projectOf(cloud.projectIds.canonical(resource).name);
    if (id !== number) this.ids.set(`${resource.url} ${number}`, id);
  }

  /** Notes the resources that may be one, because the id of the project that one of them has by its number is not known. */
  private noteUnclearNames(places: readonly Place[]): void {
    const byAnyProject = groupedBy(places, anyProjectKey);
    const isUnclear = (place: Place) => isProjectNumber(projectOf(this.nameOf(place)));
    for (const place of places.filter(isUnclear)) {
      const others = (byAnyProject.get(anyProjectKey(place)) ?? []).filter(
        (other) => other.path !== place.path && sameName(this.nameOf(other), place.path) && this.mayBeOne(place, other),
      );
      const { cloud, path: name } = place;
      const why = cloud.projectIds.problemOf({ url: clientOf(place).baseUrl, name });
      for (const other of others) {
        const message =
          `It is unknown whether ${name} and ${other.path} are one resource: one name has the number of the project and the other ` +
          `an id${why === undefined ? "" : ` (${why})`}. Use the project's id everywhere, or give the review the permission ` +
          "resourcemanager.projects.get on the project";
        for (const each of [place, other]) this.at(each).noteUnknown({ code: "unreadable policy", message });
      }
    }
  }

  /** Two policies that are not equal are those of two resources. One that could not be read is noted anyway. */
  private mayBeOne(one: Place, other: Place): boolean {
    const [left, right] = [this.policyAt(one).before, this.policyAt(other).before];
    return left !== undefined && right !== undefined && isDeepStrictEqual(left, right);
  }
}
