import { ConnectionError, CredentialsError, messageOf, TimeoutError } from "../../core/errors";
import { withProject } from "../../core/cloud-object";
import { silentCall } from "../../http/call";
import type { DatedApiClient } from "../../http/client";
import { readPolicy } from "../../iam/policy-api";
import { grantKindOf, type GrantKind } from "../grant-kinds";
import { mapBounded } from "../map-bounded";
import type { HiddenValues } from "./hidden-values";
import { PolicyRecord } from "./policy-record";
import type { RehearsedPolicies } from "./rehearsed-policies";
import { endpointBeside, type RehearsedProviders } from "./rehearsed-providers";
import type { Side, Task, Tasks } from "./tasks";

/** The policies that a plan is about, each with its record. */
export class PolicyRecords {
  private readonly records = new Map<string, PolicyRecord>();
  /** Why a policy could not be read, by its key. */
  private readonly problems = new Map<string, string>();
  /** Why an API cannot be asked, by its base URL: each policy more would take as long to fail. */
  private readonly unreachable = new Map<string, string>();

  constructor(
    readonly policies: RehearsedPolicies,
    private readonly providers: RehearsedProviders,
    private readonly hidden: HiddenValues,
  ) {}

  /**
   * Reads the live policies that the tasks change, and those of the same names in another spelling of their project.
   *
   * @param all also those that no task changes.
   */
  async readAhead({ inOrder, last }: Tasks, { all = false } = {}): Promise<void> {
    const isChange = ({ op }: Task) => op !== "same" && op !== "left out";
    const changing = new Set([...inOrder.filter((task) => all || isChange(task)), ...last]);
    const touched = new Set([...changing].flatMap((task) => this.targetsOf(task)).map(({ anyProject }) => anyProject));
    const targets = new Map(
      [...inOrder, ...last]
        .flatMap((task) => this.targetsOf(task))
        .filter(({ anyProject }) => touched.has(anyProject))
        .map((target) => [target.key, target]),
    );
    await mapBounded([...targets.values()], (target) => this.read(target));
  }

  /** The record of the policy that a side of a step is on; undefined where the plan does not name it. */
  of(side: Side): PolicyRecord | undefined {
    const target = this.targetOf(side);
    if (!target) return undefined;
    const { key, client, resource, kind } = target;
    const policy = this.policies.get(client.baseUrl, resource);
    // One resource under two names has one record.
    const own = policy ? policy.url + policy.resource : key;
    let record = this.records.get(own);
    if (!record) {
      const { service } = kind.definition;
      const endpoint = endpointBeside(service, client.baseUrl);
      const name = policy?.resource ?? resource;
      record = new PolicyRecord({ resource: name, kind: kind.reference.kind, api: service.api, endpoint, policy });
      const problem = this.problems.get(key);
      if (problem !== undefined) record.cannotTell({ code: "unreadable policy", message: this.hidden.scrub(problem) });
      this.records.set(own, record);
    }
    return record;
  }

  all(): PolicyRecord[] {
    return [...this.records.values()];
  }

  private async read({ key, client, resource, kind }: Target): Promise<void> {
    const unreachable = this.unreachable.get(client.baseUrl);
    if (unreachable !== undefined) {
      this.problems.set(key, `Not read, since another policy of this API could not be read: ${unreachable}`);
      return;
    }
    try {
      await readPolicy({ client, resource, kind: kind.reference.kind }, 3, silentCall(Infinity));
    } catch (error) {
      this.problems.set(key, messageOf(error));
      if (isOfApi(error)) this.unreachable.set(client.baseUrl, messageOf(error));
    }
  }

  private targetsOf({ old, wanted }: Task): Target[] {
    return [old, wanted].flatMap((side) => (side ? (this.targetOf(side) ?? []) : []));
  }

  private targetOf({ step, resource }: Side): Target | undefined {
    if (resource === undefined) return undefined;
    const kind = grantKindOf(step.token);
    const client = this.providers.of(step).client(kind.definition.service);
    const { baseUrl } = client;
    return { key: baseUrl + resource, anyProject: baseUrl + withProject(resource, ""), client, resource, kind };
  }
}

/** True for what another policy of the same API would fail with, too. */
function isOfApi(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof TimeoutError || error instanceof CredentialsError;
}

interface Target {
  key: string;
  /** The key without the project, which has two spellings. */
  anyProject: string;
  client: DatedApiClient;
  resource: string;
  kind: GrantKind;
}
