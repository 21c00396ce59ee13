import { partIdentity, type Claimant } from "../../../core/claims";
import { changesOf, type Diff } from "../../../core/diff";
import { InputError, messageOf, NotFoundError } from "../../../core/errors";
import type { CurrentOf, PriorOf, ResourceLifecycle } from "../../../core/lifecycle";
import type { Problem } from "../../../core/problem";
import { isKnown, type WithUnknowns } from "../../../core/typed";
import type { Call } from "../../../http/call";
import { bindingId, bindingsWithId, resourceOfGrantId } from "../../../iam/grant-id";
import { limitRefusal } from "../../../iam/limits";
import { lockOutRefusal } from "../../../iam/lockout";
import {
  accessChange,
  addGrants,
  bindingKey,
  grantKey,
  grantOfKey,
  grantsOfBinding,
  hasGrant,
  membersOf,
  sameMembers,
  setMembers,
  type Grant,
  type Policy,
  type RoleBinding,
} from "../../../iam/policy";
import { previewAccessChange, previewLossByReplacement } from "../../../iam/preview-access-change";
import type { LifecycleContext } from "../resource";
import {
  bindingOf,
  identifiesBinding,
  type BindingDefinition,
  type BindingInputs,
  type BindingState,
  type BindingValues,
  type GrantParent,
} from "./definition";
import {
  badId,
  notDeletable,
  readIncomplete,
  recognizeGrants,
  refuseOtherResource,
  type KnownBinding,
} from "./incomplete";
import { GrantPolicies } from "./policies";
import { isFailureToLook } from "./preview";
import { GrantWrites, type GrantSet } from "./writes";

const KEEP = "Add to `members` those that keep the role";

/**
 * The lifecycle of a role binding, for all kinds of parents. It claims the binding as a whole and each of its grants, so that a
 * member grant of the same run neither removes a grant of the binding nor loses its own.
 */
export class RoleBindingLifecycle implements ResourceLifecycle<BindingDefinition, KnownBinding, Call> {
  private readonly policies: GrantPolicies;
  private readonly writes: GrantWrites;
  /** The bindings that the last diff of each resource replaces, by the resource's identity. */
  private readonly replaced = new Map<string, BindingValues>();

  constructor(
    private readonly definition: BindingDefinition,
    private readonly parent: GrantParent,
    private readonly context: LifecycleContext,
  ) {
    this.policies = new GrantPolicies(parent, context);
    this.writes = new GrantWrites("binding", this.policies, context);
  }

  check(inputs: WithUnknowns<BindingInputs>, identity?: string): Problem[] {
    if (!isKnown(inputs)) return [];
    const { claims } = this.context;
    const object = this.policies.bindingObjectOf(inputs);
    const rival = claims.wantedBy(object, identity) ?? this.memberBeside(inputs, identity);
    if (rival) return [rivalProblem(inputs, rival)];
    claims.declare(object, identity);
    for (const [part, by] of this.setOf(inputs, identity).parts) claims.declare(part, by);
    this.manage(inputs);
    return [];
  }

  /** Finds a member grant of the program that conflicts: it has the same role and condition, or it replaces the whole policy. */
  private memberBeside(inputs: BindingValues, identity: string | undefined): Claimant | undefined {
    const { claims } = this.context;
    const on = this.policies.resourceOf(inputs);
    const key = bindingKey(inputs);
    for (const { part } of claims.declaredOn(on)) {
      const grant = grantOfKey(part);
      const whole = this.policies.bindingObjectOf({ name: inputs.name, role: grant.role, condition: grant.condition });
      const isOfBinding = claims.wantedBy(whole, "") !== undefined;
      if (bindingKey(grant) !== key && !(this.policies.replaces && !isOfBinding)) continue;
      const other = claims.wantedBy({ ...on, part }, identity);
      if (other) return other;
    }
    return undefined;
  }

  idOf(state: PriorOf<BindingDefinition>["state"]): string | undefined {
    return identifiesBinding(state) ? idOf(state) : undefined;
  }

  recognize(prior: PriorOf<BindingDefinition>): KnownBinding {
    return recognizeGrants(prior, this.parent.name, { identifies: identifiesBinding, idOf });
  }

  diff(prior: KnownBinding, inputs: WithUnknowns<Partial<BindingInputs>>, identity?: string): Diff {
    if (prior.kind === "incomplete") {
      refuseOtherResource(prior, inputs);
      // `pulumi up` writes the program's values to the state.
      const isComplete = isKnown(inputs) && identifiesBinding(inputs);
      return isComplete ? this.writes.hold(this.setOf(inputs, identity), identity) : { action: "none" };
    }
    const { state } = prior;
    this.manage(state);
    const changes = changesOf(this.definition, state, inputs);
    const held = this.writes.hold(this.setOf(state, identity), identity);
    // The new binding is made before the old one is deleted, so that nobody loses access in between.
    if (changes.some(({ replaces }) => replaces)) {
      if (identity !== undefined) this.replaced.set(identity, state);
      return { action: "replace", changes, deleteBeforeReplace: false };
    }
    if (changes.length > 0) return { action: "update", changes };
    return held;
  }

  plan(inputs: WithUnknowns<BindingInputs>): WithUnknowns<BindingState> {
    return this.policies.plan(inputs);
  }

  async previewCreate(inputs: WithUnknowns<BindingInputs>, secret: readonly string[], call: Call): Promise<void> {
    const replaced = this.replaced.get(call.identity ?? "");
    if (replaced) await this.previewDelete(replaced, secret, call);
    if (isKnown(inputs)) await this.preview(inputs, secret, [], call);
  }

  /** Reports who loses the role of the binding that a replacement deletes. */
  private async previewDelete(replaced: BindingValues, secret: readonly string[], call: Call): Promise<void> {
    const { claims } = this.context;
    if (claims.others(this.policies.bindingObjectOf(replaced), call.identity).length > 0) return;
    const binding = bindingOf(replaced);
    const read = this.policies.readRecent(replaced.name, call).then((policy) => membersOf(policy, binding));
    // The preview of the new binding reports why the policy could not be read.
    const members = await read.catch(() => replaced.members);
    const on = this.policies.resourceOf(replaced);
    const lost = grantsOfBinding({ ...binding, members }).filter(
      (grant) => claims.others({ ...on, part: grantKey(grant) }, call.identity).length === 0,
    );
    const hidden = secret.length > 0 ? { members: replaced.members, others: true } : undefined;
    previewLossByReplacement(replaced.name, "binding", lost, call.reporter, hidden);
  }

  async previewUpdate(
    prior: KnownBinding,
    inputs: WithUnknowns<BindingInputs>,
    secret: readonly string[],
    call: Call,
  ): Promise<void> {
    if (prior.kind === "complete" && isKnown(inputs)) await this.preview(inputs, secret, prior.state.members, call);
  }

  /** Reports who joins and who leaves. @param old the members of the state. */
  private async preview(
    inputs: BindingInputs,
    secret: readonly string[],
    old: readonly string[],
    call: Call,
  ): Promise<void> {
    const { reporter } = call;
    let live: Policy;
    try {
      live = await this.policies.readRecent(inputs.name, call);
    } catch (error) {
      if (!isFailureToLook(error)) throw error;
      reporter.info(`It is unknown who gains and who loses access: ${messageOf(error)}`);
      return;
    }
    const planned = setMembers(live, bindingOf(inputs));
    if (secret.some((input) => input !== "members")) {
      reporter.info("Who gains and who loses access is not shown, because it would reveal a secret of this binding");
    } else {
      const hidden = secret.includes("members") ? { members: [...inputs.members, ...old], others: true } : undefined;
      previewAccessChange(inputs.name, accessChange(live, planned), reporter, hidden, inputs.role);
    }
    const admins = await this.policies.adminsBeforeLoss(inputs, KEEP);
    const refusal =
      limitRefusal(inputs.name, live, planned) ?? (admins && lockOutRefusal(inputs.name, live, planned, admins));
    if (refusal) throw refusal;
  }

  async create(inputs: BindingInputs, call: Call): Promise<{ id: string; state: BindingState }> {
    const id = idOf(inputs);
    return { id, state: await this.set(id, inputs, { removes: true, etag: "" }, call) };
  }

  update({ id, kind, state }: KnownBinding, inputs: BindingInputs, call: Call): Promise<BindingState> {
    // When the state does not identify the binding, it is unknown who had the role by it. So nobody loses it.
    return this.set(id, inputs, { removes: kind === "complete", etag: state.etag ?? "" }, call);
  }

  /** @param before `etag`: the etag of the state, for use when no newer one is known. */
  private async set(
    id: string,
    inputs: BindingInputs,
    { removes, etag }: { removes: boolean; etag: string },
    call: Call,
  ): Promise<BindingState> {
    const binding = bindingOf(inputs);
    const admins = await this.policies.adminsBeforeLoss(inputs, KEEP);
    const apply = (policy: Policy) => {
      if (removes) return setMembers(policy, binding);
      return addGrants(
        policy,
        grantsOfBinding(binding).filter((grant) => !hasGrant(policy, grant)),
      );
    };
    const stateOf = (policy: Policy) => this.policies.stateOf(inputs, policy);
    return this.writes.put(this.setOf(inputs, call.identity), { apply, admins }, { id, stateOf, etag }, call);
  }

  preflight(inputs: BindingInputs, call: Call): Promise<string[]> {
    return this.policies.preflight(inputs.name, call);
  }

  async read(prior: KnownBinding, call: Call): Promise<CurrentOf<BindingDefinition> | undefined> {
    if (prior.kind === "incomplete") {
      return readIncomplete(prior, this.policies, this.context, call, (id) => this.import(id, call));
    }
    const { state } = prior;
    const { stackGrants, configuration } = this.context;
    let policy: Policy;
    try {
      policy = await this.policies.readRecent(state.name, call);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      stackGrants.missed();
      throw error;
    }
    const binding = bindingOf(state);
    const members = membersOf(policy, binding);
    if (configuration.reportUnmanaged) {
      const on = this.policies.resourceOf(state);
      stackGrants.note(on, policy, undefined, call);
      for (const grant of grantsOfBinding({ ...binding, members })) stackGrants.add(on, grant);
    }
    if (members.length === 0) return undefined;
    // The order and letter case of members do not change the binding, so the program's spelling stays.
    return this.currentOf(state.name, sameMembers(members, state.members) ? binding : { ...binding, members }, policy);
  }

  async import(id: string, call: Call): Promise<CurrentOf<BindingDefinition> | undefined> {
    const resource = resourceOfGrantId(this.parent.name, id);
    if (resource === undefined) throw badId(id, this.definition.importIds);
    const policy = await this.policies.readRecent(resource, call);
    const [binding, other] = bindingsWithId(resource, policy, id);
    if (other) {
      const reason = "names several conditions: give the condition as /{title}/{description}/{expression}";
      throw new InputError(`Cannot import ${JSON.stringify(id)}`, [{ path: "id", reason }]);
    }
    return binding && this.currentOf(resource, binding, policy);
  }

  /** Removes the binding, except for the grants that other resources of the program have or want. */
  async delete(prior: KnownBinding, call: Call): Promise<void> {
    if (prior.kind === "incomplete") throw notDeletable(prior, call);
    const { state } = prior;
    const { claims } = this.context;
    const binding = bindingOf(state);
    const on = this.policies.resourceOf(state);
    const isKept = (grant: Grant) => claims.others({ ...on, part: grantKey(grant) }, call.identity).length > 0;
    const apply = (policy: Policy) => {
      const live = grantsOfBinding({ ...binding, members: membersOf(policy, binding) });
      return setMembers(policy, { ...binding, members: live.filter(isKept).map(({ member }) => member) });
    };
    await this.writes.remove(this.setOf(state, call.identity), apply, call);
  }

  private manage(values: BindingValues): void {
    const on = this.policies.resourceOf(values);
    for (const grant of grantsOfBinding(bindingOf(values))) this.context.stackGrants.add(on, grant);
  }

  /** The binding as a whole and its grants, each with an identity of its own. */
  private setOf(values: BindingValues, identity: string | undefined): GrantSet {
    const { name } = values;
    const on = this.policies.resourceOf(values);
    const grants = grantsOfBinding(bindingOf(values));
    const parts = grants.map(grantKey).map((part) => [{ ...on, part }, partIdentity(identity, part)] as const);
    return { name, grants, object: this.policies.bindingObjectOf(values), parts };
  }

  private currentOf(name: string, binding: RoleBinding, policy: Policy): CurrentOf<BindingDefinition> {
    const inputs: BindingInputs = { name, ...binding, members: [...binding.members] };
    return { id: idOf(inputs), inputs, state: this.policies.stateOf(inputs, policy) };
  }
}

function idOf(values: BindingValues): string {
  return bindingId(values.name, bindingOf(values));
}

function rivalProblem({ role, name }: BindingValues, { identity }: Claimant): Problem {
  return {
    path: "role",
    reason:
      `is granted on ${name} by ${identity ?? "another resource of this program"} too. A binding owns ${role} under its condition as ` +
      "a whole, so the two would undo each other: keep all members in one binding, or grant the role to each member without " +
      "a binding (with grantMode merge)",
  };
}
