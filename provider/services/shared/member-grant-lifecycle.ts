import type { ResourceDefinition } from "../../core/definition";
import { changesOf, type Diff } from "../../core/diff";
import {
  ApiError,
  BadAnswerError,
  CredentialsError,
  ConnectionError,
  InputError,
  NotFoundError,
  TimeoutError,
} from "../../core/errors";
import type { Current, Prior, ResourceLifecycle } from "../../core/lifecycle";
import { isPolicyPath } from "../../core/reference";
import { containsUnknown, isUnknown, UNKNOWN, type Values } from "../../core/unknown";
import type { Call } from "../../http/call";
import { orGone } from "../../http/client";
import { rivalProblem } from "../../iam/claims";
import { grantId, grantsWithId, resourceOfGrantId } from "../../iam/grant-id";
import { reportAccessChange } from "../../iam/foresight";
import { overLimit } from "../../iam/limits";
import { canChangePolicy, lockOut, type PolicyAdmins } from "../../iam/lockout";
import { sameMember } from "../../iam/member";
import {
  addGrant,
  grantsOf,
  hasGrant,
  removeGrant,
  replaceGrants,
  sameGrant,
  type Grant,
  type Policy,
} from "../../iam/policy";
import { lackingPermissions, type PolicyTarget } from "../../iam/policy-api";
import { waitUntilVisible } from "../../iam/propagation";
import type { Environment } from "./environment";
import { completionAdvice, diffOfIncomplete, isIncomplete, notDeletable, withResourceOfId } from "./incomplete-grant";
import type { GrantParent } from "./member-grant";
import type { Resource } from "./resource";

/** The resource that grants a member a role on one kind of parent: one implementation for all of them. */
export function memberGrantResource(definition: ResourceDefinition, parent: GrantParent): Resource {
  return { definition, connect: (environment) => new MemberGrantLifecycle(definition, parent, environment) };
}

class MemberGrantLifecycle implements ResourceLifecycle<Call> {
  constructor(
    private readonly definition: ResourceDefinition,
    private readonly parent: GrantParent,
    private readonly environment: Environment,
  ) {}

  check(inputs: Values) {
    if (containsUnknown(inputs)) return [];
    const resource = inputs.name as string;
    const grant = grantOf(inputs);
    const rival = this.replaces ? this.environment.claims.rival(resource, grant) : undefined;
    if (rival) return [rivalProblem(resource)];
    this.environment.claims.claim(resource, grant);
    return [];
  }

  idOf(state: Values): string | undefined {
    return typeof state.name === "string" ? grantId(state.name, grantOf(state)) : undefined;
  }

  recognize(prior: Prior): Prior {
    const state = withResourceOfId(prior, this.parent.name);
    const known = isPolicyPath(prior.id) && !isIncomplete(this.definition, state) ? this.idOf(state) : undefined;
    return { ...prior, id: known ?? prior.id, state };
  }

  diff(prior: Prior, inputs: Values): Diff {
    if (isIncomplete(this.definition, prior.state)) return diffOfIncomplete(prior.state, inputs);
    const changes = changesOf(this.definition, prior.state, inputs);
    // The new grant is made before the old one goes: nobody is without access in between.
    if (changes.length > 0) return { action: "replace", changes, deleteBeforeReplace: false };
    return { action: "none" };
  }

  plan(inputs: Values): Values {
    return {
      ...inputs,
      etag: UNKNOWN,
      project: isUnknown(inputs.name) ? UNKNOWN : this.projectOf(inputs.name as string),
    };
  }

  async foresee(inputs: Values, secret: readonly string[], call: Call): Promise<void> {
    if (containsUnknown(inputs)) return;
    const resource = inputs.name as string;
    const grant = grantOf(inputs);
    let live: Policy;
    try {
      live = await this.policyOfAMomentAgo(resource, call);
    } catch (error) {
      if (!isFailureToLook(error)) throw error;
      call.reporter.info(`Who gains and who loses access cannot be told: ${(error as Error).message}`);
      return;
    }
    const planned = this.replaces ? replaceGrants(live, grant) : addGrant(live, grant);
    if (secret.some((input) => input !== "member")) {
      call.reporter.info("Who gains and who loses access is not shown: it would show a secret of this grant");
    } else {
      const hidden = (each: Grant) => secret.includes("member") && sameMember(each.member, grant.member);
      reportAccessChange(resource, live, planned, call.reporter, (each) => (hidden(each) ? "[secret]" : each.member));
    }
    const all = this.replaces ? planned : this.environment.claims.addTo(resource, planned);
    const admins = await this.admins();
    const refusal = overLimit(resource, live, all) ?? (admins && lockOut(resource, live, planned, admins));
    if (refusal) throw refusal;
  }

  async preflight(inputs: Values, call: Call): Promise<string[]> {
    const target = this.target(inputs.name as string);
    const { permissions } = this.parent;
    const lacking = await lackingPermissions(target, permissions, call);
    // A missing resource grants nothing to anybody; reading its policy tells the two apart.
    if (lacking.length === permissions.length) {
      const missing = await this.policyOfAMomentAgo(target.resource, call).then(
        () => false,
        (error: unknown) => error instanceof NotFoundError,
      );
      if (missing) return [`${target.resource} does not exist`];
    }
    return lacking.map((permission) => `the permission ${permission} on ${target.resource} is missing`);
  }

  async create(inputs: Values, call: Call) {
    const resource = inputs.name as string;
    const grant = grantOf(inputs);
    const target = this.target(resource);
    const admins = await this.admins();
    // Whether nobody could change the policy before: then deleting this grant later takes nothing from anybody.
    let first = false;
    const apply = (policy: Policy) => {
      // Where the grant is there already, an earlier attempt of ours made it, and found out.
      if (!hasGrant(policy, grant)) first = this.isFirstAdmin(policy, grant);
      return this.replaces ? replaceGrants(policy, grant) : addGrant(policy, grant);
    };
    const policy = await this.environment.policies.change(target, { apply, keeps: admins }, call);
    if (this.environment.configuration.waitForPropagation) await waitUntilVisible(target, grant, call);
    const state = this.stateOf(inputs, policy);
    return { id: grantId(resource, grant), state: first ? { ...state, [FIRST_ADMIN]: true } : state };
  }

  async read(id: string, prior: Omit<Prior, "id"> | undefined, call: Call): Promise<Current | undefined> {
    const incomplete = prior && isPolicyPath(id) && isIncomplete(this.definition, prior.state);
    if (incomplete) return this.readIncomplete(id, prior, call);
    const known = prior && !isIncomplete(this.definition, prior.state) ? prior.state : undefined;
    const resource = known ? (known.name as string) : resourceOfGrantId(this.parent.name, id);
    if (resource === undefined) throw this.badId(id);
    const { unmanaged, configuration } = this.environment;
    let policy: Policy;
    try {
      policy = await unmanaged.watch(this.policyOfAMomentAgo(resource, call));
    } catch (error) {
      if (error instanceof NotFoundError && known) return undefined;
      throw error;
    }
    const grant = known
      ? grantsOf(policy).find((each) => sameGrant(each, grantOf(known)))
      : this.theOne(id, grantsWithId(resource, policy, id));
    if (configuration.reportUnmanaged && known) await unmanaged.note(resource, policy, grant, call);
    if (!grant) return undefined;
    const inputs = known ? inputsOf(resource, grantOf(known)) : inputsOf(resource, grant);
    const state = this.stateOf(inputs, policy);
    if (known?.[FIRST_ADMIN]) state[FIRST_ADMIN] = true;
    return { id: grantId(resource, grantOf(inputs)), inputs, state };
  }

  /** The state as it is: which of the policy's grants it means, nothing says. Without the resource, there is none. */
  private async readIncomplete(id: string, prior: Omit<Prior, "id">, call: Call): Promise<Current | undefined> {
    const { name } = prior.state;
    if (typeof name !== "string") throw this.badId(id);
    const policy = await orGone(this.policyOfAMomentAgo(name, call));
    if (!policy) return undefined;
    call.reporter.warning(completionAdvice(prior.state));
    return { id, inputs: prior.inputs ?? {}, state: prior.state };
  }

  /** Everything that tells one grant from another replaces it; all that is left is to see that it is there. */
  async update(prior: Prior, inputs: Values, call: Call): Promise<Values> {
    if (isIncomplete(this.definition, prior.state)) return this.complete(inputs, call);
    const { state } = await this.create(inputs, call);
    return prior.state[FIRST_ADMIN] ? { ...state, [FIRST_ADMIN]: true } : state;
  }

  /** Makes sure that the grant is there, and removes nothing in either grant mode: who else has access is not known. */
  private async complete(inputs: Values, call: Call): Promise<Values> {
    const target = this.target(inputs.name as string);
    const apply = (policy: Policy) => addGrant(policy, grantOf(inputs));
    return this.stateOf(inputs, await this.environment.policies.change(target, { apply }, call));
  }

  async delete(prior: Prior, call: Call): Promise<void> {
    if (isIncomplete(this.definition, prior.state)) throw notDeletable(prior.state, call);
    const resource = prior.state.name as string;
    const grant = grantOf(prior.state);
    // Another resource of the program, or this one's replacement, still wants it.
    if (this.environment.claims.isClaimed(resource, grant)) return;
    const keeps = prior.state[FIRST_ADMIN] ? undefined : await this.admins();
    const apply = (policy: Policy) => removeGrant(policy, grant);
    await orGone(this.environment.policies.change(this.target(resource), { apply, keeps }, call));
  }

  private get replaces(): boolean {
    return (this.environment.configuration.grantMode ?? "replace") === "replace";
  }

  /** Previews and refreshes come by the hundred: those of one resource share a read. */
  private policyOfAMomentAgo(resource: string, call: Call): Promise<Policy> {
    return this.environment.policies.read(this.target(resource), { version: 3, freshness: "recent" }, call);
  }

  private target(resource: string): PolicyTarget {
    return {
      client: this.environment.client(this.parent.service),
      resource,
      kind: this.parent.kind,
      api: this.parent.service.api,
      writesPerMinute: this.parent.policyWritesPerMinute,
    };
  }

  private isFirstAdmin(policy: Policy, grant: Grant): boolean {
    const admins = this.adminRoles;
    return canChangePolicy(grant, admins) && !grantsOf(policy).some((each) => canChangePolicy(each, admins));
  }

  private get adminRoles(): PolicyAdmins {
    return { roles: this.parent.policyAdminRoles };
  }

  /** Who must not be locked out; undefined where the configuration allows it. */
  private async admins(): Promise<PolicyAdmins | undefined> {
    if (this.environment.configuration.allowLockout) return undefined;
    return { ...this.adminRoles, caller: await this.environment.caller(this.parent.service) };
  }

  private projectOf(resource: string): string {
    return this.parent.name.parse(resource)?.project ?? "";
  }

  private stateOf(inputs: Values, policy: Policy): Values {
    return { ...inputs, etag: policy.etag ?? "", project: this.projectOf(inputs.name as string) };
  }

  private theOne(id: string, grants: Grant[]): Grant | undefined {
    const [first, second] = grants;
    if (first && second && !sameGrant(first, second)) {
      throw new InputError(`Cannot import ${id}`, [
        {
          path: "id",
          reason:
            "names several conditional grants: give the condition in full, as /{title}/{description}/{expression}",
        },
      ]);
    }
    return first;
  }

  private badId(id: string): InputError {
    return new InputError(`Cannot import ${JSON.stringify(id)}`, [
      { path: "id", reason: `must look like ${this.definition.importIds.join(" or ")}` },
    ]);
  }
}

/** Kept in the state, under a name that engines treat as internal: this grant made the policy changeable at all. */
const FIRST_ADMIN = "__firstAdmin";

/** Failures of a look at the policy that must not keep a preview from succeeding. */
function isFailureToLook(error: unknown): boolean {
  return (
    error instanceof ApiError ||
    error instanceof BadAnswerError ||
    error instanceof CredentialsError ||
    error instanceof ConnectionError ||
    error instanceof TimeoutError
  );
}

/** The grant in a resource's inputs or state. */
function grantOf(values: Values): Grant {
  const condition = values.condition as Grant["condition"];
  return {
    role: values.role as string,
    member: values.member as string,
    ...(condition ? { condition } : {}),
  };
}

function inputsOf(resource: string, grant: Grant): Values {
  return { name: resource, ...grant };
}
