import { ApiError, ConnectionError, CredentialsError, TimeoutError } from "../../provider/core/errors";
import { withProject } from "../../provider/core/reference";
import { asCall } from "../../provider/http/call";
import { systemClock } from "../../provider/http/clock";
import type { ApiClient } from "../../provider/http/client";
import { readPolicy } from "../../provider/iam/policy-api";
import type { GrantSettings } from "../../provider/services/shared/grant-settings";
import { grantKindOf, type GrantKind } from "../plan/grant-kinds";
import { mapBounded, readFailure } from "../reads";
import { PolicyRecord } from "./policy-record";
import type { RehearsedPolicies } from "./rehearsed-policies";
import { endpointBeside, type RehearsedProviders } from "./rehearsed-providers";
import type { PlannedGrant } from "./planned-grant";
import type { Task, Tasks } from "./tasks";

/** Fewer failures may concern single resources only. */
const MOST_SERVER_FAILURES = 3;

/** The policies of a plan, each with its record. */
export class PolicyRecords {
  private readonly records = new Map<string, PolicyRecord>();
  /** The reasons of failed reads, by the key of the policy. */
  private readonly problems = new Map<string, string>();
  /** The reasons why an API does not work, by its base URL. Reading more of its policies would take as long to fail. */
  private readonly unreachable = new Map<string, string>();
  /** The number of reads that failed with an HTTP status of 500 or above, by the base URL of the API. */
  private readonly serverFailures = new Map<string, number>();

  constructor(
    readonly policies: RehearsedPolicies,
    private readonly providers: RehearsedProviders,
  ) {}

  /**
   * Reads the live policies that the tasks change, and those of the same names with the other spelling of the project.
   *
   * @param isWanted selects other tasks whose policies are also read.
   * @param others whose policies are also read.
   */
  async readAhead(
    { inOrder, last }: Tasks,
    isWanted: (task: Task) => boolean,
    others: readonly PlannedGrant[],
  ): Promise<void> {
    const isChange = ({ op }: Task) => op !== "same" && op !== "left out" && op !== "import";
    const changing = new Set([...inOrder.filter((task) => isChange(task) || isWanted(task)), ...last]);
    const more = others.flatMap((each) => this.targetOf(each) ?? []);
    const changed = [...[...changing].flatMap((task) => this.targetsOf(task)), ...more];
    const touched = new Set(changed.map(({ anyProject }) => anyProject));
    const targets = new Map(
      [...[...inOrder, ...last].flatMap((task) => this.targetsOf(task)), ...more]
        .filter(({ anyProject, isKnown }) => touched.has(anyProject) && isKnown)
        .map((target) => [target.key, target]),
    );
    await mapBounded([...targets.values()], (target) => this.read(target));
  }

  /** The record of the policy of a grant; undefined when the plan does not name it. */
  of(grant: PlannedGrant): PolicyRecord | undefined {
    const target = this.targetOf(grant);
    if (!target) return undefined;
    const { key, client, resource, kind, isKnown, settings } = target;
    const policy = isKnown ? this.policies.get(client.baseUrl, resource) : undefined;
    // A resource with two names has one record.
    const own = policy ? policy.url + policy.resource : key;
    let record = this.records.get(own);
    if (!record) {
      const { service } = kind.definition;
      const endpoint = isKnown ? endpointBeside(service, client.baseUrl) : undefined;
      const name = policy?.resource ?? resource;
      const endpointVariable = endpoint === undefined ? undefined : settings.endpoint.variable;
      const place = { resource: name, kind: kind.reference.kind, api: service.api, endpoint, endpointVariable };
      const { live } = this.providers.of(grant.step);
      const below = isKnown ? { name, reference: kind.reference, service, client: live } : undefined;
      record = new PolicyRecord({ ...place, below, policy });
      const problem = this.problems.get(key);
      if (problem !== undefined) record.noteUnknown({ code: "unreadable policy", message: problem });
      this.records.set(own, record);
    }
    const { value, variable } = settings.grantMode;
    if (isKnown && grant.step.nativeKind === undefined) {
      record.isReviewedIn({ mode: value, ...(variable !== undefined && { variable }) });
    }
    return record;
  }

  all(): PolicyRecord[] {
    return [...this.records.values()];
  }

  private async read({ key, client, resource, kind }: Target): Promise<void> {
    const unreachable = this.unreachable.get(client.baseUrl);
    if (unreachable !== undefined) {
      this.problems.set(key, `Not read, because another policy of this API could not be read: ${unreachable}`);
      return;
    }
    const begun = systemClock.now();
    try {
      const target = { client, resource, kind: kind.reference.kind };
      await asCall(client.clock, Infinity, (call) => readPolicy(target, 3, call));
    } catch (error) {
      const problem = readFailure(error, systemClock.now() - begun);
      this.problems.set(key, problem);
      if (this.isOfApi(error, client.baseUrl)) this.unreachable.set(client.baseUrl, problem);
    }
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

  private targetsOf({ old, wanted }: Task): Target[] {
    return [old, wanted].flatMap((grant) => (grant ? (this.targetOf(grant) ?? []) : []));
  }

  private targetOf({ step, resource }: PlannedGrant): Target | undefined {
    if (resource === undefined) return undefined;
    const kind = grantKindOf(step.token);
    const provider = this.providers.of(step);
    const client = provider.client(kind.definition.service);
    const { isKnown, key } = provider.settings;
    const cloud = isKnown ? client.baseUrl : `${key} `;
    const settings = provider.grantSettings(kind.definition.service);
    return {
      key: cloud + resource,
      anyProject: cloud + withProject(resource, ""),
      client,
      resource,
      kind,
      isKnown,
      settings,
    };
  }
}

interface Target {
  key: string;
  /** The key without the project, because the project has two spellings. */
  anyProject: string;
  client: ApiClient;
  resource: string;
  kind: GrantKind;
  /** False when the endpoint of the provider is unknown. Then no policy is read. */
  isKnown: boolean;
  settings: GrantSettings;
}
