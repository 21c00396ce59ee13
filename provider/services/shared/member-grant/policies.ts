import { isDeepStrictEqual } from "node:util";
import { projectOf, type CloudObject, type CloudResource } from "../../../core/reference";
import { DEFAULTS } from "../../../core/config/definition";
import {
  ApiError,
  BadAnswerError,
  BugError,
  ConnectionError,
  CredentialsError,
  NotFoundError,
  TimeoutError,
} from "../../../core/errors";
import { UNKNOWN, type Values } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { fullNameIn } from "../../../iam/kinds/kinds";
import type { PolicyAdmins } from "../../../iam/lockout";
import { comparableMember } from "../../../iam/member";
import { bindingKey, type Grant, type Policy } from "../../../iam/policy";
import { lackingPermissions, readPolicy, type PolicyTarget } from "../../../iam/policy-api";
import type { LivePolicy } from "../../../iam/policy-store";
import type { GrantTargets, PolicyPlace } from "../parent";
import type { LifecycleContext, ServiceApi } from "../resource";
import type { GrantSet } from "./forms";

/** The access policies of the resources of one type of grant, as its grants and bindings read and change them. */
export class GrantPolicies {
  /** Whether an id and a number are one project, by both. */
  private readonly sameProjects = new Map<string, boolean>();

  constructor(
    readonly targets: GrantTargets,
    private readonly context: LifecycleContext,
  ) {}

  /** Whether each grant becomes the whole policy of its resource. */
  get replaces(): boolean {
    if (this.targets.alwaysMerges) return false;
    return (this.context.configuration.grantMode ?? DEFAULTS.grantMode) === "replace";
  }

  /** @throws BugError for a name that is not of a set. */
  private place(name: string): PolicyPlace {
    const found = this.targets.find(name);
    if (!found) throw new BugError(`${name} is the name of no resource of these grants`);
    return found;
  }

  private api(name: string): ServiceApi {
    return this.context.api(this.place(name).parent.service);
  }

  /** The policy of a resource. */
  of(name: string): LivePolicy {
    return this.context.policies.of(this.target(name));
  }

  private target(name: string): PolicyTarget {
    const { parent, path } = this.place(name);
    const { service, kind, form, permissionsIn, permissions } = parent;
    const { client, policyWritesPerMinute: writesPerMinute } = this.context.api(service);
    const changePermission = permissions.find((each) => each.endsWith(".setIamPolicy"));
    return {
      ...{ client, resource: path, kind, form, permissionsIn },
      ...(changePermission === undefined ? {} : { changePermission }),
      ...{ api: service.api, writesPerMinute },
    };
  }

  /** The resource of a set, as `claims` identifies it; in `replace` mode, a grant owns all of it. */
  resourceOf({ name }: Pick<GrantSet, "name">): CloudResource {
    return { url: this.api(name).client.baseUrl, name: this.place(name).path };
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
  stateOf<I extends Values>(inputs: I, set: GrantSet, policy: Policy): I & { etag: string; project: string } {
    return { ...inputs, etag: policy.etag ?? "", project: projectOf(this.place(set.name).path) };
  }

  /** The expected state at preview. */
  plan(inputs: Values): Values {
    const name = inputs[this.targets.input];
    const place = typeof name === "string" ? this.targets.find(name) : undefined;
    return { ...inputs, etag: UNKNOWN, project: place ? projectOf(place.path) : UNKNOWN };
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
   * @param other the name in the API, as `claims` has it.
   * @returns undefined when it is unknown, because the etags of all policies that were never set are equal.
   * @throws the errors of a read, except NotFoundError.
   */
  async isOne({ name }: Pick<GrantSet, "name">, other: string, call: Call): Promise<boolean | undefined> {
    const target = this.target(name);
    const projects = [projectOf(target.resource), projectOf(other)].sort().join(" ");
    const known = this.sameProjects.get(projects);
    if (known !== undefined) return known;
    const look = async () => {
      const left = await undefinedIfNotFound(readPolicy(target, 3, call));
      const right = await undefinedIfNotFound(readPolicy({ ...target, resource: other }, 3, call));
      if (!left || !right) return false;
      if (!left.bindings?.length && !right.bindings?.length) return undefined;
      return left.etag !== undefined && left.etag === right.etag && isDeepStrictEqual(left.bindings, right.bindings);
    };
    const isOne = (await look()) || (await look());
    if (isOne !== undefined) this.sameProjects.set(projects, isOne);
    return isOne;
  }

  /** The reasons why a create would fail, one line each: missing permissions, or a missing resource. */
  async preflight(resource: string, call: Call): Promise<string[]> {
    const { permissions } = this.place(resource).parent;
    if (permissions.length === 0) return [];
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

  /**
   * The problem of a role that no grant of the policy has yet: it may not exist, or may not be for this kind of resource.
   *
   * @returns undefined if the role can be granted, and if the API does not say whether it can.
   */
  async roleProblem({ name, role }: GrantSet, live: Policy, call: Call): Promise<string | undefined> {
    if (live.bindings?.some((binding) => binding.role === role)) return undefined;
    const { parent, path } = this.place(name);
    const fullName = parent.isNamedInFull ? name : fullNameIn(parent.service.api, path);
    return this.context.grantableRoles.problem(role, { fullName, kind: parent.kind, service: parent.service }, call);
  }

  /** The administrators that a delete must keep; undefined when the configuration allows all changes. */
  async admins({ name }: Pick<GrantSet, "name">): Promise<PolicyAdmins | undefined> {
    if (this.context.configuration.allowLockout) return undefined;
    return { roles: this.place(name).parent.adminRoles, caller: await this.api(name).caller() };
  }

  /** The administrators that must keep their access when a change removes grants of others. */
  async adminsBeforeLoss(set: Pick<GrantSet, "name">, advice?: string): Promise<PolicyAdmins | undefined> {
    const admins = await this.admins(set);
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
