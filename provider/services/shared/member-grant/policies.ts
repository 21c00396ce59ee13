import { isDeepStrictEqual } from "node:util";
import type { CloudObject, CloudResource } from "../../../core/cloud-object";
import { DEFAULTS } from "../../../core/config/definition";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { leavesNoAdministrator, type PolicyAdmins } from "../../../iam/lockout";
import { grantKey, hasGrant, type Grant, type Policy } from "../../../iam/policy";
import { readPolicy, type PolicyTarget } from "../../../iam/policy-api";
import type { PolicyChange } from "../../../iam/policy-store";
import type { LifecycleContext } from "../lifecycle-context";
import { grantOf, type GrantParent, type GrantValues } from "./definition";

/** The access policies of one kind of resource, as its member grants read and change them. */
export class GrantPolicies {
  constructor(
    readonly parent: GrantParent,
    private readonly context: LifecycleContext,
  ) {}

  /** Whether each grant becomes the whole policy of its resource. */
  get replaces(): boolean {
    return (this.context.configuration.grantMode ?? DEFAULTS.grantMode) === "replace";
  }

  /** The policy of a resource, by its relative name. */
  target(resource: string): PolicyTarget {
    const { service, policyWritesPerMinute } = this.parent;
    const quota = this.context.hasQuota(service) ? policyWritesPerMinute : undefined;
    return {
      client: this.context.client(service),
      resource,
      kind: this.parent.kind,
      api: service.api,
      writesPerMinute: this.context.configuration.policyWritesPerMinute ?? quota,
    };
  }

  /** The resource that a grant is on, for the notes of who declares what. */
  resourceOf({ name }: Pick<GrantValues, "name">): CloudResource {
    return { url: this.context.client(this.parent.service).baseUrl, name };
  }

  /** The grant itself, for the same notes. */
  objectOf(values: GrantValues): CloudObject {
    return { ...this.resourceOf(values), part: grantKey(grantOf(values)) };
  }

  /** The project in a resource's name. */
  projectOf(resource: string): string {
    return this.parent.name.parse(resource)?.project ?? "";
  }

  /**
   * The policy as it was a moment ago: previews and refreshes come by the hundred, and those of one resource share a read.
   *
   * @throws NotFoundError where there is no such resource; ApiError and the transport's other errors.
   */
  readRecent(resource: string, call: Call): Promise<Policy> {
    return this.context.policies.read(this.target(resource), { version: 3, freshness: "recent" }, call);
  }

  /**
   * Changes a policy, and says so where that takes away the last administrator on the resource.
   *
   * @throws what `PolicyStore.change` does.
   */
  async change(resource: string, { apply, admins }: PolicyChange, call: Call): Promise<Policy> {
    let isLast = false;
    const watched = (policy: Policy) => {
      const changed = apply(policy);
      isLast = admins !== undefined && leavesNoAdministrator(policy, changed, admins);
      return changed;
    };
    const policy = await this.context.policies.change(this.target(resource), { apply: watched, admins }, call);
    if (isLast) {
      call.reporter.warning(
        `Nobody is left with a role on ${resource} that can change its access policy: the last grant of one is ` +
          "gone. Whoever may change policies on the project, the folder or the organization above it still can",
      );
    }
    return policy;
  }

  /**
   * Whether two names, which differ in the spelling of their project, are of one resource: then its policy, which holds
   * the grant, has one etag. Two looks, since somebody may change the policy between the reads of one.
   */
  async isOne(left: string, right: string, grant: Grant, call: Call): Promise<boolean> {
    const look = async () => {
      const one = await undefinedIfNotFound(readPolicy(this.target(left), 3, call));
      const other = await undefinedIfNotFound(readPolicy(this.target(right), 3, call));
      const hasEtag = one?.etag !== undefined && one.etag === other?.etag;
      return hasEtag && hasGrant(one, grant) && isDeepStrictEqual(one.bindings, other?.bindings);
    };
    return (await look()) || (await look());
  }

  /** Whose access a delete must leave; undefined where the configuration allows everything. */
  async admins(): Promise<PolicyAdmins | undefined> {
    if (this.context.configuration.allowLockout) return undefined;
    return { roles: this.parent.policyAdminRoles, caller: await this.context.caller(this.parent.service) };
  }

  /** The same for a create. One that adds to the policy takes nothing from anybody. */
  async adminsBeforeCreate(inputs: GrantValues): Promise<PolicyAdmins | undefined> {
    if (!this.replaces) return undefined;
    const admins = await this.admins();
    const on = this.resourceOf(inputs);
    const isOwn = (grant: Grant) => this.context.stackGrants.has(on, grant);
    return admins && { ...admins, replaces: { isOwn } };
  }
}
