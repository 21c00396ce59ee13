import { isDeepStrictEqual } from "node:util";
import { ApiError, ConnectionError, CredentialsError, TimeoutError } from "../../provider/core/errors";
import { isProjectNumber, projectOf, sameName, withProject } from "../../provider/core/reference";
import type { Call } from "../../provider/http/call";
import { undefinedIfNotFound } from "../../provider/http/client";
import { readPolicy } from "../../provider/iam/policy-api";
import { hasGrantMode } from "../plan/grant-steps";
import type { PlannedGrant } from "../plan/planned-grant";
import { groupedBy } from "../result/order";
import type { Place, StackClouds } from "./clouds";
import type { PolicyCopies } from "./policy-copies";
import { PolicyRecord } from "./policy-record";
import { attempted, mapBounded, READ_TIMEOUT_MS } from "./reads";

/** Fewer failures may concern single resources only. */
const MOST_SERVER_FAILURES = 3;

/** The policies of a stack or of named resources, each with its record. */
export class PolicyRecords {
  private readonly records = new Map<string, PolicyRecord>();
  /** The reasons of failed reads, by the key of the place. */
  private readonly problems = new Map<string, string>();
  /** The reasons why an API does not work, by its base URL. Reading more of its policies would take as long to fail. */
  private readonly unreachable = new Map<string, string>();
  /** The number of reads that failed with an HTTP status of 500 or above, by the base URL of the API. */
  private readonly serverFailures = new Map<string, number>();

  /** @param timeout milliseconds for each read with its retries. */
  constructor(
    readonly policies: PolicyCopies,
    readonly clouds: StackClouds,
    private readonly timeout = READ_TIMEOUT_MS,
  ) {}

  /**
   * Reads the live policies of places, each once, a few at the same time. A failed read is noted in the record.
   *
   * @param created those that a plan may create. If one does not exist, its policy is empty.
   */
  async read(places: readonly Place[], created: readonly Place[] = []): Promise<void> {
    const known = places.filter(({ cloud }) => cloud.settings.isKnown);
    await mapBounded(known, (place) => this.learnProject(place));
    const each = new Map(known.map((place) => [this.keyOf(place), place]));
    const mayBeNew = new Set(created.map((place) => this.keyOf(place)));
    await mapBounded([...each], ([key, place]) => this.readOne(key, place, mayBeNew.has(key)));
    this.noteUnclearNames([...each.values()]);
  }

  /** Asks for the id of the project that a name has by its number: only that shows whether two names are one resource. */
  private async learnProject({ cloud, kind, path }: Place): Promise<void> {
    const number = projectOf(path);
    if (!isProjectNumber(number)) return;
    const { baseUrl: url } = cloud.client(kind.service);
    const resource = { url, name: path };
    await attempted((call) => cloud.projectIds.learn(resource, kind.service, call), this.timeout);
    const id = projectOf(cloud.projectIds.canonical(resource).name);
    if (id !== number) this.policies.hasId(url, number, id);
  }

  /** Notes the resources that may be one, because the id of the project that one of them has by its number is not known. */
  private noteUnclearNames(places: readonly Place[]): void {
    const byAnyProject = groupedBy(places, anyProjectKey);
    const isUnclear = (place: Place) => isProjectNumber(projectOf(this.nameOf(place)));
    for (const place of places.filter(isUnclear)) {
      const others = (byAnyProject.get(anyProjectKey(place)) ?? []).filter(
        (other) => other.path !== place.path && sameName(this.nameOf(other), place.path) && this.mayBeOne(place, other),
      );
      const { cloud, kind, path } = place;
      const why = cloud.projectIds.problemOf({ url: cloud.client(kind.service).baseUrl, name: path });
      for (const other of others) {
        const message =
          `It is unknown whether ${path} and ${other.path} are one resource: one name has the number of the project and the other ` +
          `an id${why === undefined ? "" : ` (${why})`}. Use the project's id everywhere, or give the review the permission ` +
          "resourcemanager.projects.get on the project";
        for (const each of [place, other]) this.at(each).noteUnknown({ code: "unreadable policy", message });
      }
    }
  }

  /** Two policies that are not equal are those of two resources. One that could not be read is noted anyway. */
  private mayBeOne(one: Place, other: Place): boolean {
    const [left, right] = [one, other].map(({ cloud, kind, path }) =>
      this.policies.get(cloud.client(kind.service).baseUrl, path),
    );
    return left !== undefined && right !== undefined && isDeepStrictEqual(left.live, right.live);
  }

  private nameOf({ cloud, kind, path }: Place): string {
    return cloud.settings.isKnown ? this.policies.nameOf(cloud.client(kind.service).baseUrl, path) : path;
  }

  private keyOf(place: Place): string {
    return cloudKey(place) + this.nameOf(place);
  }

  /** The record of the policy that a grant is in; undefined when the plan does not name its resource. */
  of(grant: PlannedGrant): PolicyRecord | undefined {
    const place = this.clouds.placeOf(grant);
    if (!place) return undefined;
    const record = this.at(place);
    const { cloud, kind } = place;
    if (cloud.settings.isKnown && hasGrantMode(grant.step)) {
      const { value, variable } = cloud.grantSettings(kind.service).grantMode;
      record.isReviewedIn({ mode: value, ...(variable !== undefined && { variable }) });
    }
    return record;
  }

  /** The record of the policy at a place. */
  at(place: Place): PolicyRecord {
    const { cloud, kind, path } = place;
    const { isKnown } = cloud.settings;
    const { service } = kind;
    const name = this.nameOf(place);
    const key = this.keyOf(place);
    const policy = isKnown ? this.policies.get(cloud.client(service).baseUrl, path) : undefined;
    // A resource with two names has one record.
    let record = this.records.get(key);
    if (!record) {
      const endpoint = isKnown ? cloud.endpointOf(service) : undefined;
      const endpointVariable = endpoint === undefined ? undefined : cloud.grantSettings(service).endpoint.variable;
      const isRespelled = policy !== undefined && policy.resource !== path;
      const named = isRespelled ? { ...place, path: policy.resource, resource: policy.resource } : place;
      record = new PolicyRecord({ place: named, name, endpoint, endpointVariable, policy });
      const problem = this.problems.get(key);
      if (problem !== undefined) record.noteUnknown({ code: "unreadable policy", message: problem });
      this.records.set(key, record);
    }
    return record;
  }

  all(): PolicyRecord[] {
    return [...this.records.values()];
  }

  private async readOne(key: string, { cloud, kind, path }: Place, mayBeNew: boolean): Promise<void> {
    const client = cloud.client(kind.service);
    const { baseUrl } = client;
    const unreachable = this.unreachable.get(baseUrl);
    if (unreachable !== undefined) {
      this.problems.set(key, `Not read, because another policy of this API could not be read: ${unreachable}`);
      return;
    }
    const target = { client, resource: path, kind: kind.kind, form: kind.form };
    const live = async (call: Call) => {
      const found = readPolicy(target, 3, call);
      return mayBeNew ? ((await undefinedIfNotFound(found)) ?? {}) : found;
    };
    const read = await attempted((call) => this.policies.load(baseUrl, path, () => live(call)), this.timeout);
    if (!("failure" in read)) return;
    this.problems.set(key, read.failure);
    if (this.isOfApi(read.error, baseUrl)) this.unreachable.set(baseUrl, read.failure);
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
}

/** The key of a place without the project, because the project has two spellings. */
export function anyProjectKey(place: Place): string {
  return cloudKey(place) + withProject(place.path, "");
}

function cloudKey({ cloud, kind }: Place): string {
  return cloud.settings.isKnown ? cloud.client(kind.service).baseUrl : `${cloud.settings.key} `;
}
