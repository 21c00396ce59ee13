import { changesOf, type Diff } from "../../../core/diff";
import type { Claimant } from "../../../core/claims";
import type { PriorOf, ResourceLifecycle } from "../../../core/lifecycle";
import type { Problem } from "../../../core/problem";
import { isKnown, type WithUnknowns } from "../../../core/typed";
import type { Call } from "../../../http/call";
import { grantId } from "../../../iam/grant-id";
import { addGrant, removeGrant, replaceGrants, type Policy } from "../../../iam/policy";
import type { LifecycleContext } from "../resource";
import {
  grantOf,
  identifiesGrant,
  type Definition,
  type GrantParent,
  type GrantValues,
  type Inputs,
  type PartialState,
  type State,
} from "./definition";
import { notDeletable, recognizeGrants, refuseOtherResource, type KnownGrant } from "./incomplete";
import { GrantPolicies } from "./policies";
import { MemberGrantPreview } from "./preview";
import { MemberGrantReader } from "./read";
import { GrantWrites, type GrantSet } from "./writes";

/** The lifecycle of a member grant, for all kinds of parents. */
export class MemberGrantLifecycle implements ResourceLifecycle<Definition, KnownGrant, Call> {
  private readonly policies: GrantPolicies;
  private readonly previews: MemberGrantPreview;
  private readonly reader: MemberGrantReader;
  private readonly writes: GrantWrites;
  /** The grants that the last diff of each resource replaces, by the resource's identity. */
  private readonly replaced = new Map<string, GrantValues>();

  constructor(
    private readonly definition: Definition,
    private readonly parent: GrantParent,
    private readonly context: LifecycleContext,
  ) {
    this.policies = new GrantPolicies(parent, context);
    this.previews = new MemberGrantPreview(this.policies, context);
    this.reader = new MemberGrantReader(definition, this.policies, context);
    this.writes = new GrantWrites("grant", this.policies, context);
  }

  check(inputs: WithUnknowns<Inputs>, identity?: string): Problem[] {
    if (!isKnown(inputs)) return [];
    const { claims, stackGrants } = this.context;
    const object = this.policies.objectOf(inputs);
    const rival = this.policies.replaces ? claims.rival(object, identity) : undefined;
    if (rival) return [rivalProblem(inputs.name, rival)];
    const binding = claims.wantedBy(this.policies.bindingObjectOf(inputs), identity);
    if (binding) return [ownedRoleProblem(inputs, binding)];
    claims.declare(object, identity);
    stackGrants.add(this.policies.resourceOf(inputs), grantOf(inputs));
    return [];
  }

  idOf(state: PartialState): string | undefined {
    return identifiesGrant(state) ? idOf(state) : undefined;
  }

  recognize(prior: PriorOf<Definition>): KnownGrant {
    return recognizeGrants(prior, this.parent.name, { identifies: identifiesGrant, idOf });
  }

  diff(prior: KnownGrant, inputs: WithUnknowns<Partial<Inputs>>, identity?: string): Diff {
    if (prior.kind === "incomplete") {
      refuseOtherResource(prior, inputs);
      // `pulumi up` writes the program's values to the state.
      return isKnown(inputs) && identifiesGrant(inputs)
        ? this.writes.hold(this.setOf(inputs), identity)
        : { action: "none" };
    }
    const { state } = prior;
    this.context.stackGrants.add(this.policies.resourceOf(state), grantOf(state));
    const changes = changesOf(this.definition, state, inputs);
    // The new grant is created before the old one is deleted, so that nobody loses access in between.
    if (changes.length > 0) {
      if (identity !== undefined) this.replaced.set(identity, state);
      return { action: "replace", changes, deleteBeforeReplace: false };
    }
    return this.writes.hold(this.setOf(state), identity);
  }

  plan(inputs: WithUnknowns<Inputs>): WithUnknowns<State> {
    return this.policies.plan(inputs);
  }

  async previewCreate(inputs: WithUnknowns<Inputs>, secret: readonly string[], call: Call): Promise<void> {
    const replaced = this.replaced.get(call.identity ?? "");
    // A grant that replaces the whole policy also removes the old grant from it, and its own preview reports that.
    const isSaid = this.policies.replaces && isKnown(inputs) && inputs.name === replaced?.name;
    if (replaced && !isSaid) this.previews.previewDelete(replaced, call);
    if (!isKnown(inputs)) return;
    await this.previews.preview(inputs, secret, await this.policies.adminsBeforeCreate(inputs), call);
  }

  preflight(inputs: Inputs, call: Call): Promise<string[]> {
    return this.policies.preflight(inputs.name, call);
  }

  async create(inputs: Inputs, call: Call): Promise<{ id: string; state: State }> {
    const id = idOf(inputs);
    return { id, state: await this.ensure(id, inputs, { replaces: this.policies.replaces, etag: "" }, call) };
  }

  /** A change of any identifying property replaces the grant, so an update only ensures that the grant exists. */
  update(prior: KnownGrant, inputs: Inputs, call: Call): Promise<State> {
    // When the state does not identify the grant, the access of others is unknown. So nothing is removed in either mode.
    const replaces = this.policies.replaces && prior.kind === "complete";
    return this.ensure(prior.id, inputs, { replaces, etag: prior.state.etag ?? "" }, call);
  }

  /** @param before `etag`: the etag of the state, for use when no newer one is known. */
  private async ensure(
    id: string,
    inputs: Inputs,
    { replaces, etag }: { replaces: boolean; etag: string },
    call: Call,
  ): Promise<State> {
    const grant = grantOf(inputs);
    // Adding a grant removes nobody's access, so the caller's identity is not needed.
    const admins = replaces ? await this.policies.adminsBeforeCreate(inputs) : undefined;
    const apply = (policy: Policy) => (replaces ? replaceGrants(policy, grant) : addGrant(policy, grant));
    const stateOf = (policy: Policy) => this.policies.stateOf(inputs, policy);
    return this.writes.put(this.setOf(inputs), { apply, admins }, { id, stateOf, etag }, call);
  }

  read(prior: KnownGrant, call: Call) {
    return this.reader.read(prior, call);
  }

  import(id: string, call: Call) {
    return this.reader.import(id, call);
  }

  /** @throws RefusedError when the state does not identify the grant, or when another resource declares the same grant. */
  async delete(prior: KnownGrant, call: Call): Promise<void> {
    if (prior.kind === "incomplete") throw notDeletable(prior, call);
    const grant = grantOf(prior.state);
    await this.writes.remove(this.setOf(prior.state), (policy) => removeGrant(policy, grant), call);
  }

  private setOf(values: GrantValues): GrantSet {
    return { name: values.name, grants: [grantOf(values)], object: this.policies.objectOf(values), parts: [] };
  }
}

function idOf(values: GrantValues): string {
  return grantId(values.name, grantOf(values));
}

/** Says why a second grant on a resource is an error when each grant replaces the resource's whole policy. */
function rivalProblem(resource: string, { identity }: Claimant): Problem {
  return {
    path: "name",
    reason:
      `is the resource of another grant in this program too${identity === undefined ? "" : ` (${identity})`}. With ` +
      `grantMode "replace" each of them replaces the whole policy of ${resource}, so they would undo each other: set the ` +
      `provider's grantMode to "merge", or keep one grant for each resource`,
  };
}

/** Says why one role cannot be both in a binding and in a member grant of a program. */
function ownedRoleProblem({ role, name }: GrantValues, { identity }: Claimant): Problem {
  return {
    path: "role",
    reason:
      `is owned as a whole by ${identity ?? "a binding of this program"}: this grant and that binding would undo each other on ` +
      `${name}. Add the member to the binding's \`members\`, or grant ${role} to each member without the binding`,
  };
}
