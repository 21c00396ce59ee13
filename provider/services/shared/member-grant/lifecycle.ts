import { changesOf, type Diff } from "../../../core/diff";
import { effectOf, isForeseen, NotReadyError, RefusedError } from "../../../core/errors";
import { whoWantsItIsUnknown, type Other } from "../../../core/claims";
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

/** How often, in milliseconds, a create looks whether another resource's delete of the same grant is over. */
const BETWEEN_LOOKS_MS = 100;

/** What happens to a member grant, on whichever kind of parent. */
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
      // The state becomes what the program says.
      return isKnown(inputs) && tellsGrant(inputs) ? this.hold(inputs, identity) : { action: "none" };
    }
    const { state } = prior;
    this.context.stackGrants.add(this.policies.resourceOf(state), grantOf(state));
    const changes = changesOf(this.definition, state, inputs);
    // The new grant is made before the old one goes: nobody is without access in between.
    if (changes.length > 0) {
      if (identity !== undefined) this.replaced.set(identity, state);
      return { action: "replace", changes, deleteBeforeReplace: false };
    }
    return this.hold(state, identity);
  }

  /** Notes that the engine's state has the grant. It is made again where another resource's delete took it in this run. */
  private hold(values: GrantValues, identity: string | undefined): Diff {
    if (this.context.claims.hold(this.policies.objectOf(values), identity)) return { action: "none" };
    return {
      action: "update",
      changes: [{ path: ["etag"], kind: "update", replaces: false }],
      reason: "Another resource's delete took this grant from the access policy in this run: it is made again",
    };
  }

  plan(inputs: WithUnknowns<Inputs>): WithUnknowns<State> {
    const { name } = inputs;
    return { ...inputs, etag: UNKNOWN, project: isUnknown(name) ? UNKNOWN : this.policies.projectOf(name) };
  }

  async previewCreate(inputs: WithUnknowns<Inputs>, secret: readonly string[], call: Call): Promise<void> {
    const replaced = this.replaced.get(call.identity ?? "");
    // A grant that becomes the whole policy takes the old one away from the same policy, and the preview of that says so.
    const isSaid = this.policies.replaces && isKnown(inputs) && inputs.name === replaced?.name;
    if (replaced && !isSaid) this.previews.previewDelete(replaced, call);
    if (!isKnown(inputs)) return;
    await this.previews.preview(inputs, secret, await this.policies.adminsBeforeCreate(inputs), call);
  }

  preflight(inputs: Inputs, call: Call): Promise<string[]> {
    return this.previews.preflight(inputs, call);
  }

  async create(inputs: Inputs, call: Call): Promise<{ id: string; state: State }> {
    const id = grantId(inputs.name, grantOf(inputs));
    return { id, state: await this.ensure(id, inputs, { replaces: this.policies.replaces, etag: "" }, call) };
  }

  /** Everything that tells one grant from another replaces it; all that is left is to see that it is there. */
  update(prior: KnownGrant, inputs: Inputs, call: Call): Promise<State> {
    // Where the state does not tell the grant, who else has access is not known: nothing is removed in either mode.
    const replaces = this.policies.replaces && prior.kind === "complete";
    return this.ensure(prior.id, inputs, { replaces, etag: prior.state.etag ?? "" }, call);
  }

  /**
   * The state of a grant that is in the policy now.
   *
   * @param before `etag`: the one that the state has, should no newer one be known.
   * @throws NotReadyError where the grant may be in the policy, and the call ended before that was seen.
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
    // Where the grant is only added, nobody loses access: nothing asks who the caller is.
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
      // A plain error would have the engine forget a grant that may be there.
      claims.made(object, call.identity);
      const state = stateOf(inputs, made ?? { etag }, this.policies);
      const next = "The grant may be in the access policy: the next pulumi up looks, and makes it where it is not";
      throw new NotReadyError(id, state, [`${error.message}. ${next}`], { cause: error });
    }
  }

  read(prior: KnownGrant, call: Call) {
    return this.reader.read(prior, call);
  }

  import(id: string, call: Call) {
    return this.reader.import(id, call);
  }

  /** @throws RefusedError where the state does not tell the grant, or another resource declares the same one. */
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

/** Why a second grant on a resource is an error, where each of them replaces the resource's whole policy. */
function rivalProblem(resource: string, { identity }: Other): Problem {
  return {
    path: "name",
    reason:
      `is the resource of another grant in this program too${identity === undefined ? "" : ` (${identity})`}. With ` +
      `grantMode "replace" each of them replaces the whole policy of ${resource}, so they would undo each other: set the ` +
      `provider's grantMode to "merge", or keep one grant for each resource`,
  };
}

function keptForAnother(resource: string, { identity }: Other): RefusedError {
  return new RefusedError(
    `Kept this grant on ${resource}: ${identity ?? "another resource of this program"} declares the same one and was not ` +
      "made. Nothing was changed; the next pulumi up that makes the other resource settles it",
  );
}
