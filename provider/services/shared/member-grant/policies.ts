import { isDeepStrictEqual } from "node:util";
import type { CloudObject, CloudResource } from "../../../core/cloud-object";
import { DEFAULTS } from "../../../core/config/definition";
import { NotFoundError } from "../../../core/errors";
import { UNKNOWN, type Unknown } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { leavesNoAdministrator, type PolicyAdmins } from "../../../iam/lockout";
import { bindingKey, grantKey, hasGrant, type Grant, type Policy } from "../../../iam/policy";
import { lackingPermissions, readPolicy, type PolicyTarget } from "../../../iam/policy-api";
import type { PolicyChange } from "../../../iam/policy-store";
import type { LifecycleContext } from "../resource";
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

  /** The resource of a grant, as `claims` identifies it. */
  resourceOf({ name }: Pick<GrantValues, "name">): CloudResource {
    return { url: this.context.client(this.parent.service).baseUrl, name };
  }

  /** The grant itself, as `claims` identifies it. */
  objectOf(values: GrantValues): CloudObject {
    return { ...this.resourceOf(values), part: grantKey(grantOf(values)) };
  }

  /** A role with its condition as a whole, as `claims` identifies it: apart from the grants of single members. */
  bindingObjectOf({ name, role, condition }: Pick<GrantValues, "name" | "role" | "condition">): CloudObject {
    const { url } = this.resourceOf({ name });
    return { url: `${url}#bindings`, name, part: bindingKey({ role, ...(condition ? { condition } : {}) }) };
  }

  /** The state of a grant or a binding that is in this policy. */
  stateOf<I extends { name: string }>(inputs: I, policy: Policy): I & { etag: string; project: string } {
    return { ...inputs, etag: policy.etag ?? "", project: this.projectOf(inputs.name) };
  }

  /** The expected state at preview. */
  plan<I extends { name: unknown }>(inputs: I): I & { etag: Unknown; project: string | Unknown } {
    const { name } = inputs;
    return { ...inputs, etag: UNKNOWN, project: typeof name === "string" ? this.projectOf(name) : UNKNOWN };
  }

  /** The project in a resource's name. */
  private projectOf(resource: string): string {
    return this.parent.name.parse(resource)?.project ?? "";
  }

  /**
   * Returns a recent policy. The engine runs hundreds of previews and refreshes, and those of one resource share a read.
   *
   * @throws NotFoundError when the resource does not exist; ApiError and the transport's other errors.
   */
  readRecent(resource: string, call: Call): Promise<Policy> {
    return this.context.policies.read(this.target(resource), { version: 3, freshness: "recent" }, call);
  }

  /**
   * Changes a policy, and warns when the change removes the last administrator on the resource.
   *
   * @throws the errors of `PolicyStore.change`.
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
        `No identity has a role any more on ${resource} that can change its access policy: the last grant of one is ` +
          "gone. Administrators of the project, the folder or the organization above it can still change it",
      );
    }
    return policy;
  }

  /**
   * Whether two names with different spellings of the project belong to one resource. Then both reads return a policy with the
   * grant and the same etag. It tries twice, because somebody may change the policy between the two reads.
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

  /** The reasons why a create would fail, one line each: missing permissions, or a missing resource. */
  async preflight(resource: string, call: Call): Promise<string[]> {
    const { permissions } = this.parent;
    const lacking = await lackingPermissions(this.target(resource), permissions, call);
    // On a missing resource, all permissions are missing. Reading the policy shows whether the resource exists.
    if (lacking.length === permissions.length) {
      const missing = await this.readRecent(resource, call).then(
        () => false,
        (error: unknown) => error instanceof NotFoundError,
      );
      if (missing) return [`${resource} does not exist`];
    }
    return lacking.map((permission) => `the permission ${permission} on ${resource} is missing`);
  }

  /** The administrators that a delete must keep; undefined when the configuration allows all changes. */
  async admins(): Promise<PolicyAdmins | undefined> {
    if (this.context.configuration.allowLockout) return undefined;
    return { roles: this.parent.policyAdminRoles, caller: await this.context.caller(this.parent.service) };
  }

  /** The administrators that a create must keep. A create that adds to the policy removes nobody's access. */
  async adminsBeforeCreate(inputs: GrantValues): Promise<PolicyAdmins | undefined> {
    return this.replaces ? this.adminsBeforeLoss(inputs) : undefined;
  }

  /** The administrators that must keep their access when a change removes grants of others. */
  async adminsBeforeLoss(values: Pick<GrantValues, "name">, advice?: string): Promise<PolicyAdmins | undefined> {
    const admins = await this.admins();
    const on = this.resourceOf(values);
    const isOwn = (grant: Grant) => this.context.stackGrants.has(on, grant);
    return admins && { ...admins, replaces: { isOwn, ...(advice === undefined ? {} : { advice }) } };
  }
}
