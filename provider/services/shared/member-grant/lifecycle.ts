import { changesOf, type Diff } from "../../../core/diff";
import { effectOf, isForeseen, NotReadyError, RefusedError } from "../../../core/errors";
import { whoWantsItIsUnknown, type Claimant } from "../../../core/claims";
import type { PriorOf, ResourceLifecycle } from "../../../core/lifecycle";
import type { Problem } from "../../../core/problem";
import { isKnown, type WithUnknowns } from "../../../core/typed";
import { isUnknown, UNKNOWN } from "../../../core/unknown";
import { pause, type Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { grantId } from "../../../iam/grant-id";
import { addGrant, removeGrant, replaceGrants, type Policy } from "../../../iam/policy";
import { waitUntilVisible } from "../../../iam/propagation";
import type { LifecycleContext } from "../lifecycle-context";
import {
  grantOf,
  tellsGrant,
  type Definition,
  type GrantParent,
  type GrantValues,
  type Inputs,
  type PartialState,
  type State,
} from "./definition";
import { notDeletable, recognizeGrant, refuseOtherResource, type KnownGrant } from "./incomplete";
import { GrantPolicies } from "./policies";
import { MemberGrantPreview } from "./preview";
import { MemberGrantReader, stateOf } from "./read";

/** The interval at which a create checks whether another resource's delete of the same grant has ended, in milliseconds. */
const BETWEEN_LOOKS_MS = 100;

/** The lifecycle of a member grant, for all kinds of parents. */
export class MemberGrantLifecycle implements ResourceLifecycle<Definition, KnownGrant, Call> {
  private readonly policies: GrantPolicies;
  private readonly previews: MemberGrantPreview;
  private readonly reader: MemberGrantReader;
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
    return tellsGrant(state) ? grantId(state.name, grantOf(state)) : undefined;
  }

  recognize(prior: PriorOf<Definition>): KnownGrant {
    return recognizeGrant(prior, this.parent.name);
  }

  diff(prior: KnownGrant, inputs: WithUnknowns<Partial<Inputs>>, identity?: string): Diff {
    if (prior.kind === "incomplete") {
      refuseOtherResource(prior, inputs);
      // `pulumi up` writes the program's values to the state.
      return isKnown(inputs) && tellsGrant(inputs) ? this.hold(inputs, identity) : { action: "none" };
    }
    const { state } = prior;
    this.context.stackGrants.add(this.policies.resourceOf(state), grantOf(state));
    const changes = changesOf(this.definition, state, inputs);
    // The new grant is created before the old one is deleted, so that nobody loses access in between.
    if (changes.length > 0) {
      if (identity !== undefined) this.replaced.set(identity, state);
      return { action: "replace", changes, deleteBeforeReplace: false };
    }
    return this.hold(state, identity);
  }

  /**
   * Records that the engine's state has the grant, and makes the grant again if another resource's delete removed it in this
   * run.
   */
  private hold(values: GrantValues, identity: string | undefined): Diff {
    if (this.context.claims.hold(this.policies.objectOf(values), identity)) return { action: "none" };
    return {
      action: "update",
      changes: [{ path: ["etag"], kind: "update", replaces: false }],
      reason: "The delete of another resource removed this grant from the access policy in this run: it is made again",
    };
  }

  plan(inputs: WithUnknowns<Inputs>): WithUnknowns<State> {
    const { name } = inputs;
    return { ...inputs, etag: UNKNOWN, project: isUnknown(name) ? UNKNOWN : this.policies.projectOf(name) };
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
    const id = grantId(inputs.name, grantOf(inputs));
    return { id, state: await this.ensure(id, inputs, { replaces: this.policies.replaces, etag: "" }, call) };
  }

  /** A change of any identifying property replaces the grant, so an update only ensures that the grant exists. */
  update(prior: KnownGrant, inputs: Inputs, call: Call): Promise<State> {
    // When the state does not identify the grant, the access of others is unknown. So nothing is removed in either mode.
    const replaces = this.policies.replaces && prior.kind === "complete";
    return this.ensure(prior.id, inputs, { replaces, etag: prior.state.etag ?? "" }, call);
  }

  /**
   * Adds a grant to the policy, and returns its state.
   *
   * @param before `etag`: the etag of the state, for use when no newer one is known.
   * @throws NotReadyError when the call ended before it was known whether the grant is in the policy.
   */
  private async ensure(
    id: string,
    inputs: Inputs,
    { replaces, etag }: { replaces: boolean; etag: string },
    call: Call,
  ): Promise<State> {
    const { claims, configuration } = this.context;
    const target = this.policies.target(inputs.name);
    const grant = grantOf(inputs);
    const object = this.policies.objectOf(inputs);
    // Adding a grant removes nobody's access, so the caller's identity is not needed.
    const admins = replaces ? await this.policies.adminsBeforeCreate(inputs) : undefined;
    const apply = (policy: Policy) => (replaces ? replaceGrants(policy, grant) : addGrant(policy, grant));
    let made: Policy | undefined;
    const make = async () => (made = await this.policies.change(inputs.name, { apply, admins }, call));
    const wait = () => pause(call, target.client.clock, BETWEEN_LOOKS_MS, `make the grant on ${inputs.name}`);
    try {
      const policy = await claims.make(object, call.identity, make, wait);
      if (configuration.waitForPropagation) await waitUntilVisible(target, grant, call);
      return stateOf(inputs, policy, this.policies);
    } catch (error) {
      if (!isForeseen(error) || (!made && effectOf(error) === "none")) throw error;
      // After a plain error, the engine would forget a grant that may exist.
      claims.made(object, call.identity);
      const state = stateOf(inputs, made ?? { etag }, this.policies);
      const next =
        "The grant may be in the access policy: the next pulumi up reads the policy, and makes the grant if it is missing";
      throw new NotReadyError(id, state, [`${error.message}. ${next}`], { cause: error });
    }
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
    const { state } = prior;
    const { name } = state;
    const grant = grantOf(state);
    const admins = await this.policies.admins();
    const apply = (policy: Policy) => removeGrant(policy, grant);
    const decision = await this.context.claims.remove(this.policies.objectOf(state), call.identity, {
      isSame: (other) => this.policies.isOne(name, other, grant, call),
      isTakenOver: true,
      remove: async () => void (await undefinedIfNotFound(this.policies.change(name, { apply, admins }, call))),
    });
    if (decision.kind === "declared") throw keptForAnother(name, decision.by);
    if (decision.kind === "unknown") {
      throw new RefusedError(`Kept this grant on ${name}: ${whoWantsItIsUnknown("grant", decision.why)}`);
    }
  }
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

function keptForAnother(resource: string, { identity }: Claimant): RefusedError {
  return new RefusedError(
    `Kept this grant on ${resource}: ${identity ?? "another resource of this program"} declares the same grant and was not ` +
      "made. Nothing was changed. The next pulumi up that makes the other resource resolves this",
  );
}
