import { partIdentity, whoWantsItIsUnknown, type Claimant } from "../../../core/claims";
import type { CloudObject } from "../../../core/cloud-object";
import { changesOf, type Diff } from "../../../core/diff";
import {
  effectOf,
  InputError,
  isForeseen,
  messageOf,
  NotFoundError,
  NotReadyError,
  RefusedError,
} from "../../../core/errors";
import type { CurrentOf, PriorOf, ResourceLifecycle } from "../../../core/lifecycle";
import type { Problem } from "../../../core/problem";
import { isKnown, type WithUnknowns } from "../../../core/typed";
import { isUnknown, UNKNOWN } from "../../../core/unknown";
import { pause, type Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { bindingId, bindingsWithId, resourceOfGrantId } from "../../../iam/grant-id";
import { limitRefusal } from "../../../iam/limits";
import { lockOutRefusal, type PolicyAdmins } from "../../../iam/lockout";
import {
  accessChange,
  bindingKey,
  grantKey,
  grantOfKey,
  grantsOfBinding,
  membersOf,
  sameMembers,
  setMembers,
  type Grant,
  type Policy,
  type RoleBinding,
} from "../../../iam/policy";
import { previewAccessChange, previewLossByReplacement } from "../../../iam/preview-access-change";
import { waitUntilVisible } from "../../../iam/propagation";
import type { LifecycleContext } from "../lifecycle-context";
import type { BindingDefinition, BindingInputs, BindingState, GrantParent } from "./definition";
import { GrantPolicies } from "./policies";
import { isFailureToLook } from "./preview";

type BindingValues = Pick<BindingInputs, "name" | "role" | "members" | "condition">;

/** A binding in the engine's state, which names its role and members. */
interface KnownBinding extends PriorOf<BindingDefinition> {
  state: PriorOf<BindingDefinition>["state"] & BindingValues;
}

const BETWEEN_LOOKS_MS = 100;
const KEEP = "Add to `members` those that keep the role";

/**
 * The lifecycle of a role binding, for all kinds of parents. It claims the binding as a whole and each of its grants, so that a
 * member grant of the same run neither removes a grant of the binding nor loses its own.
 */
export class RoleBindingLifecycle implements ResourceLifecycle<BindingDefinition, KnownBinding, Call> {
  private readonly policies: GrantPolicies;
  /** The bindings that the last diff of each resource replaces, by the resource's identity. */
  private readonly replaced = new Map<string, BindingValues>();

  constructor(
    private readonly definition: BindingDefinition,
    private readonly parent: GrantParent,
    private readonly context: LifecycleContext,
  ) {
    this.policies = new GrantPolicies(parent, context);
  }

  check(inputs: WithUnknowns<BindingInputs>, identity?: string): Problem[] {
    if (!isKnown(inputs)) return [];
    const { claims } = this.context;
    const object = this.policies.bindingObjectOf(inputs);
    const rival = claims.wantedBy(object, identity) ?? this.memberBeside(inputs, identity);
    if (rival) return [rivalProblem(inputs, rival)];
    claims.declare(object, identity);
    for (const [part, by] of this.parts(inputs, identity)) claims.declare(part, by);
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
    return tellsBinding(state) ? bindingId(state.name, bindingOf(state)) : undefined;
  }

  /** @throws InputError when the state lacks the name, the role or the members. */
  recognize(prior: PriorOf<BindingDefinition>): KnownBinding {
    const { state } = prior;
    if (tellsBinding(state)) return { ...prior, state };
    throw new InputError("The state of this binding is incomplete", [
      { path: "members", reason: "and `name` and `role` must be in the state: import the binding again" },
    ]);
  }

  diff({ state }: KnownBinding, inputs: WithUnknowns<Partial<BindingInputs>>, identity?: string): Diff {
    this.manage(state);
    const changes = changesOf(this.definition, state, inputs);
    const isHeld = this.objects(state, identity).map(([object, by]) => this.context.claims.hold(object, by));
    // The new binding is made before the old one is deleted, so that nobody loses access in between.
    if (changes.some(({ replaces }) => replaces)) {
      if (identity !== undefined) this.replaced.set(identity, state);
      return { action: "replace", changes, deleteBeforeReplace: false };
    }
    if (changes.length > 0) return { action: "update", changes };
    if (isHeld.every(Boolean)) return { action: "none" };
    return {
      action: "update",
      changes: [{ path: ["etag"], kind: "update", replaces: false }],
      reason: "The delete of another resource removed a grant of this binding in this run: it is made again",
    };
  }

  plan(inputs: WithUnknowns<BindingInputs>): WithUnknowns<BindingState> {
    const { name } = inputs;
    return { ...inputs, etag: UNKNOWN, project: isUnknown(name) ? UNKNOWN : this.policies.projectOf(name) };
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
    { state }: KnownBinding,
    inputs: WithUnknowns<BindingInputs>,
    secret: readonly string[],
    call: Call,
  ): Promise<void> {
    if (isKnown(inputs)) await this.preview(inputs, secret, state.members, call);
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
    const id = bindingId(inputs.name, bindingOf(inputs));
    return { id, state: await this.set(id, inputs, "", call) };
  }

  update({ id, state }: KnownBinding, inputs: BindingInputs, call: Call): Promise<BindingState> {
    return this.set(id, inputs, state.etag ?? "", call);
  }

  private async set(id: string, inputs: BindingInputs, etag: string, call: Call): Promise<BindingState> {
    const { claims, configuration } = this.context;
    const { name } = inputs;
    const wanted = bindingOf(inputs);
    const target = this.policies.target(name);
    const admins: PolicyAdmins | undefined = await this.policies.adminsBeforeLoss(inputs, KEEP);
    const apply = (policy: Policy) => setMembers(policy, wanted);
    let made: Policy | undefined;
    const make = async () => (made = await this.policies.change(name, { apply, admins }, call));
    const wait = () => pause(call, target.client.clock, BETWEEN_LOOKS_MS, `make the binding on ${name}`);
    const parts = this.parts(inputs, call.identity);
    for (const [part, by] of parts) claims.making(part, by);
    const isMade = () => this.objects(inputs, call.identity).forEach(([object, by]) => claims.made(object, by));
    try {
      const policy = await claims.make(this.policies.bindingObjectOf(inputs), call.identity, make, wait);
      isMade();
      if (configuration.waitForPropagation)
        for (const grant of grantsOfBinding(wanted)) await waitUntilVisible(target, grant, call);
      return this.stateOf(inputs, policy);
    } catch (error) {
      if (!isForeseen(error) || (!made && effectOf(error) === "none")) throw error;
      isMade();
      const next = "The binding may be in the access policy: the next pulumi up reads the policy, and sets it again";
      throw new NotReadyError(id, this.stateOf(inputs, made ?? { etag }), [`${error.message}. ${next}`], {
        cause: error,
      });
    }
  }

  preflight(inputs: BindingInputs, call: Call): Promise<string[]> {
    return this.policies.preflight(inputs.name, call);
  }

  async read({ state }: KnownBinding, call: Call): Promise<CurrentOf<BindingDefinition> | undefined> {
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
    const bad = (reason: string) => new InputError(`Cannot import ${JSON.stringify(id)}`, [{ path: "id", reason }]);
    if (resource === undefined) throw bad(`must look like ${this.definition.importIds.join(" or ")}`);
    const policy = await this.policies.readRecent(resource, call);
    const [binding, other] = bindingsWithId(resource, policy, id);
    if (other) throw bad("names several conditions: give the condition as /{title}/{description}/{expression}");
    return binding && this.currentOf(resource, binding, policy);
  }

  /** Removes the binding, except for the grants that other resources of the program have or want. */
  async delete({ state }: KnownBinding, call: Call): Promise<void> {
    const { claims } = this.context;
    const { name } = state;
    const binding = bindingOf(state);
    const on = this.policies.resourceOf(state);
    const isKept = (grant: Grant) => claims.others({ ...on, part: grantKey(grant) }, call.identity).length > 0;
    const apply = (policy: Policy) => {
      const live = grantsOfBinding({ ...binding, members: membersOf(policy, binding) });
      return setMembers(policy, { ...binding, members: live.filter(isKept).map(({ member }) => member) });
    };
    const admins = await this.policies.admins();
    const decision = await claims.remove(this.policies.bindingObjectOf(state), call.identity, {
      isSame: (other) => this.isOne(name, other, binding, call),
      isTakenOver: true,
      remove: async () => {
        for (const [part, by] of this.parts(state, call.identity)) claims.leaves(part, by);
        await undefinedIfNotFound(this.policies.change(name, { apply, admins }, call));
      },
    });
    if (decision.kind === "declared") {
      const by = decision.by.identity ?? "another resource of this program";
      throw new RefusedError(
        `Kept this binding on ${name}: ${by} declares the same role and was not made. Nothing was changed. The next pulumi ` +
          "up that makes the other resource resolves this",
      );
    }
    if (decision.kind === "unknown") {
      throw new RefusedError(`Kept this binding on ${name}: ${whoWantsItIsUnknown("binding", decision.why)}`);
    }
  }

  private async isOne(left: string, right: string, binding: RoleBinding, call: Call): Promise<boolean> {
    const [grant] = grantsOfBinding(binding);
    return grant !== undefined && this.policies.isOne(left, right, grant, call);
  }

  private manage(values: BindingValues): void {
    const on = this.policies.resourceOf(values);
    for (const grant of grantsOfBinding(bindingOf(values))) this.context.stackGrants.add(on, grant);
  }

  /** The binding and its grants, with the identities that claim them. */
  private objects(values: BindingValues, identity: string | undefined): [CloudObject, string | undefined][] {
    return [[this.policies.bindingObjectOf(values), identity], ...this.parts(values, identity)];
  }

  private parts(values: BindingValues, identity: string | undefined): [CloudObject, string | undefined][] {
    const on = this.policies.resourceOf(values);
    return grantsOfBinding(bindingOf(values))
      .map(grantKey)
      .map((part) => [{ ...on, part }, partIdentity(identity, part)]);
  }

  private currentOf(name: string, binding: RoleBinding, policy: Policy): CurrentOf<BindingDefinition> {
    const inputs: BindingInputs = { name, ...binding, members: [...binding.members] };
    return { id: bindingId(name, binding), inputs, state: this.stateOf(inputs, policy) };
  }

  private stateOf(inputs: BindingInputs, policy: Policy): BindingState {
    return { ...inputs, etag: policy.etag ?? "", project: this.policies.projectOf(inputs.name) };
  }
}

function bindingOf({ role, members, condition }: BindingValues): RoleBinding {
  return { role, members, ...(condition ? { condition } : {}) };
}

function tellsBinding<T extends Partial<BindingValues>>(state: T): state is T & BindingValues {
  return state.name !== undefined && state.role !== undefined && state.members !== undefined;
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
