import { ApiError, ConnectionError, CredentialsError, TimeoutError } from "../../provider/core/errors";
import { withProject } from "../../provider/core/reference";
import type { Call } from "../../provider/http/call";
import { undefinedIfNotFound } from "../../provider/http/client";
import { readPolicy } from "../../provider/iam/policy-api";
import { hasGrantMode } from "../plan/grant-steps";
import type { PlannedGrant } from "../plan/planned-grant";
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
    const each = new Map(known.map((place) => [keyOf(place), place]));
    const mayBeNew = new Set(created.map(keyOf));
    await mapBounded([...each], ([key, place]) => this.readOne(key, place, mayBeNew.has(key)));
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
    const key = keyOf(place);
    const policy = isKnown ? this.policies.get(cloud.client(service).baseUrl, path) : undefined;
    // A resource with two names has one record.
    const own = policy ? policy.url + policy.resource : key;
    let record = this.records.get(own);
    if (!record) {
      const endpoint = isKnown ? cloud.endpointOf(service) : undefined;
      const endpointVariable = endpoint === undefined ? undefined : cloud.grantSettings(service).endpoint.variable;
      const isRespelled = policy !== undefined && policy.resource !== path;
      const named = isRespelled ? { ...place, path: policy.resource, resource: policy.resource } : place;
      record = new PolicyRecord({ place: named, endpoint, endpointVariable, policy });
      const problem = this.problems.get(key);
      if (problem !== undefined) record.noteUnknown({ code: "unreadable policy", message: problem });
      this.records.set(own, record);
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

function keyOf(place: Place): string {
  return cloudKey(place) + place.path;
}

/** The key of a place without the project, because the project has two spellings. */
export function anyProjectKey(place: Place): string {
  return cloudKey(place) + withProject(place.path, "");
}

function cloudKey({ cloud, kind }: Place): string {
  return cloud.settings.isKnown ? cloud.client(kind.service).baseUrl : `${cloud.settings.key} `;
}
