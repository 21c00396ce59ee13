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
import { fullNameIn } from "../../../iam/kinds/kinds";
import type { PolicyAdmins } from "../../../iam/lockout";
import { comparableMember } from "../../../iam/member";
import { bindingKey, type Grant, type Policy } from "../../../iam/policy";
import { lackingPermissions, type PolicyTarget } from "../../../iam/policy-api";
import type { LivePolicy } from "../../../iam/policy-store";
import type { GrantTargets, PolicyPlace } from "../parent";
import type { LifecycleContext, ServiceApi } from "../resource";
import type { GrantForm, GrantSet } from "./forms";

/** The access policies of the resources of one type of grant, as its grants and bindings read and change them. */
export class GrantPolicies {
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
    return this.context.policies.of(this.target(name), this.resourceOf({ name }));
  }

  /** Learns the project's id for a name that has its number: then `resourceOf` is one resource in both spellings. */
  learnProject(name: string, call: Call): Promise<void> {
    return this.context.projectIds.learn(this.named(name), this.place(name).parent.service, call);
  }

  private target(name: string): PolicyTarget {
    const { parent, path } = this.place(name);
    const { service, kind, form, permissionsIn } = parent;
    const { client, policyWritesPerMinute: writesPerMinute } = this.context.api(service);
    return { client, resource: path, kind, form, permissionsIn, api: service.api, writesPerMinute };
  }

  /** The resource of a set, as `claims` identifies it; in `replace` mode, a grant owns all of it. */
  resourceOf({ name }: Pick<GrantSet, "name">): CloudResource {
    return this.context.projectIds.canonical(this.named(name));
  }

  /** The resource under the name of the program or the state. */
  private named(name: string): CloudResource {
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

  /** The objects of a set: a binding is its role as a whole, and its grants; a grant is itself. */
  objectsOf(set: GrantSet, { ownsRole }: Pick<GrantForm, "ownsRole">): CloudObject[] {
    return [...(ownsRole ? [this.roleOf(set)] : []), ...this.grantsOf(set)];
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
    return this.context.grantableRoles.problem(role, { fullName, parent }, call);
  }

  /** The administrators that a delete must keep; undefined when the configuration allows all changes. */
  async admins({ name }: Pick<GrantSet, "name">): Promise<PolicyAdmins | undefined> {
    if (this.context.configuration.allowLockout) return undefined;
    return { roles: this.place(name).parent.adminRoles, caller: await this.api(name).caller() };
  }

  /** The administrators that must keep their access when a change removes grants of others. */
  async adminsBeforeLoss(set: Pick<GrantSet, "name">, advice?: string): Promise<PolicyAdmins | undefined> {
    const admins = await this.admins(set);
    const isOwn = ({ member, ...grant }: Grant) =>
      this.grantsOf({ ...grant, name: set.name, members: [member] }).every((each) =>
        this.context.claims.isManaged(each),
      );
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
