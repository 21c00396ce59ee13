import { isDeepStrictEqual } from "node:util";
import { projectOf, type CloudObject, type CloudResource } from "../../../core/reference";
import { DEFAULTS } from "../../../core/config/definition";
import {
  ApiError,
  BadAnswerError,
  ConnectionError,
  CredentialsError,
  NotFoundError,
  TimeoutError,
} from "../../../core/errors";
import { UNKNOWN, type Values } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import type { PolicyAdmins } from "../../../iam/lockout";
import { comparableMember } from "../../../iam/member";
import { bindingKey, type Grant, type Policy } from "../../../iam/policy";
import { lackingPermissions, readPolicy, type PolicyTarget } from "../../../iam/policy-api";
import type { LivePolicy } from "../../../iam/policy-store";
import type { GrantParent } from "../parent";
import type { LifecycleContext, ServiceApi } from "../resource";
import type { GrantSet } from "./forms";

/** The access policies of one kind of resource, as its grants and bindings read and change them. */
export class GrantPolicies {
  /** Whether an id and a number are one project, by both. */
  private readonly sameProjects = new Map<string, boolean>();

  constructor(
    readonly parent: GrantParent,
    private readonly context: LifecycleContext,
  ) {}

  /** Whether each grant becomes the whole policy of its resource. */
  get replaces(): boolean {
    return (this.context.configuration.grantMode ?? DEFAULTS.grantMode) === "replace";
  }

  private get api(): ServiceApi {
    return this.context.api(this.parent.service);
  }

  /** The policy of a resource, by its relative name. */
  of(resource: string): LivePolicy {
    return this.context.policies.of(this.target(resource));
  }

  private target(resource: string): PolicyTarget {
    const { client, policyWritesPerMinute: writesPerMinute } = this.api;
    return { ...this.parent, client, resource, api: this.parent.service.api, writesPerMinute };
  }

  /** The resource of a set, as `claims` identifies it; in `replace` mode, a grant owns all of it. */
  resourceOf({ name }: Pick<GrantSet, "name">): CloudResource {
    return { url: this.api.client.baseUrl, name };
  }

  /** A role with its condition, as `claims` identifies it. A binding owns all of it. */
  roleOf({ name, role, condition }: Omit<GrantSet, "members">): CloudObject {
    return { ...this.resourceOf({ name }), within: [bindingKey({ role, ...(condition ? { condition } : {}) })] };
  }

  /** The grants of a set, as `claims` identifies them: each is in its role. */
  grantsOf(set: GrantSet): CloudObject[] {
    const role = this.roleOf(set);
    return set.members.map((member) => ({ ...role, within: [...(role.within ?? []), comparableMember(member)] }));
  }

  /** The state of a grant or a binding that is in this policy. */
  stateOf<I extends { name: string }>(inputs: I, policy: Policy): I & { etag: string; project: string } {
    return { ...inputs, etag: policy.etag ?? "", project: this.projectOf(inputs.name) };
  }

  /** The expected state at preview. */
  plan(inputs: Values): Values {
    const { name } = inputs;
    return { ...inputs, etag: UNKNOWN, project: typeof name === "string" ? this.projectOf(name) : UNKNOWN };
  }

  /** The project in a resource's name. */
  private projectOf(resource: string): string {
    return this.parent.names.parse(resource)?.project ?? "";
  }

  /**
   * Returns a recent policy. The engine runs hundreds of previews and refreshes, and those of one resource share a read.
   *
   * @throws NotFoundError when the resource does not exist; ApiError and the transport's other errors.
   */
  readRecent(resource: string, call: Call): Promise<Policy> {
    return this.of(resource).read(3, call);
  }

  /**
   * As `readRecent`, for a refresh or an import. After a failure, no unmanaged grants are reported.
   *
   * @throws as `readRecent`.
   */
  readForRefresh(resource: string, call: Call): Promise<Policy> {
    return this.readRecent(resource, call).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) this.context.stackGrants.missed();
      throw error;
    });
  }

  /**
   * Whether two names with different spellings of the project belong to one resource. Then both reads return the same policy with
   * the same etag. It tries twice, because somebody may change the policy between the two reads.
   *
   * @returns undefined when it is unknown, because the etags of all policies that were never set are equal.
   * @throws the errors of a read, except NotFoundError.
   */
  async isOne(left: string, right: string, call: Call): Promise<boolean | undefined> {
    const projects = [projectOf(left), projectOf(right)].sort().join(" ");
    const known = this.sameProjects.get(projects);
    if (known !== undefined) return known;
    const look = async () => {
      const one = await undefinedIfNotFound(readPolicy(this.target(left), 3, call));
      const other = await undefinedIfNotFound(readPolicy(this.target(right), 3, call));
      if (!one || !other) return false;
      if (!one.bindings?.length && !other.bindings?.length) return undefined;
      return one.etag !== undefined && one.etag === other.etag && isDeepStrictEqual(one.bindings, other.bindings);
    };
    const isOne = (await look()) || (await look());
    if (isOne !== undefined) this.sameProjects.set(projects, isOne);
    return isOne;
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
    return { roles: this.parent.adminRoles, caller: await this.api.caller() };
  }

  /** The administrators that must keep their access when a change removes grants of others. */
  async adminsBeforeLoss(set: Pick<GrantSet, "name">, advice?: string): Promise<PolicyAdmins | undefined> {
    const admins = await this.admins();
    const on = this.resourceOf(set);
    const isOwn = (grant: Grant) => this.context.stackGrants.has(on, grant);
    return admins && { ...admins, replaces: { isOwn, ...(advice === undefined ? {} : { advice }) } };
  }
}

/** Failed reads of a policy that must not make a preview or a check of other resources fail. */
export function isReadFailure(error: unknown): boolean {
  return (
    error instanceof ApiError ||
    error instanceof BadAnswerError ||
    error instanceof ConnectionError ||
    error instanceof CredentialsError ||
    error instanceof TimeoutError
  );
}
