import { isDeepStrictEqual } from "node:util";
import type { ResourceDefinition } from "../../core/definition";
import { changesOf, type Diff } from "../../core/diff";
import { effectOf, InputError, isForeseen, NotFoundError, NotReadyError, RefusedError } from "../../core/errors";
import type { CloudObject, CloudResource } from "../../core/cloud-object";
import type { Other } from "../../core/holders";
import type { Current, Prior, ResourceLifecycle } from "../../core/lifecycle";
import type { Problem } from "../../core/problem";
import { isPolicyPath } from "../../core/reference";
import { containsUnknown, isUnknown, textOf, UNKNOWN, type Values } from "../../core/unknown";
import { pause, type Call } from "../../http/call";
import { undefinedIfNotFound } from "../../http/parse-answer";
import { rivalProblem } from "../../iam/declared-grants";
import { grantId, grantsWithId, resourceOfGrantId } from "../../iam/grant-id";
import { isDeletedFormOf } from "../../iam/member";
import { leavesNoAdministrator, type PolicyAdmins } from "../../iam/lockout";
import {
  addGrant,
  currentFormOf,
  grantKey,
  hasGrant,
  removeGrant,
  replaceGrants,
  sameGrant,
  type Grant,
  type Policy,
} from "../../iam/policy";
import { readPolicy, type PolicyTarget } from "../../iam/policy-api";
import type { PolicyChange } from "../../iam/policy-store";
import { waitUntilVisible } from "../../iam/propagation";
import type { LifecycleContext } from "./lifecycle-context";
import { completionAdvice, diffOfIncomplete, isIncomplete, notDeletable, withResourceOfId } from "./incomplete-grant";
import type { GrantParent } from "./member-grant-definition";
import { MemberGrantPreview } from "./member-grant-preview";
import { grantOf, inputsOf, policyOfAMomentAgo, replacesPolicy, targetOf } from "./member-grant-values";

/** How often a create looks whether another resource's delete of the same grant is over. */
const BETWEEN_LOOKS_MS = 100;

/** What happens to a member grant, on whichever kind of parent. */
export class MemberGrantLifecycle implements ResourceLifecycle<Call> {
  private readonly previews: MemberGrantPreview;

  constructor(
    private readonly definition: ResourceDefinition,
    private readonly parent: GrantParent,
    private readonly environment: LifecycleContext,
  ) {
    this.previews = new MemberGrantPreview(parent, environment);
  }

  check(inputs: Values, identity?: string): Problem[] {
    if (containsUnknown(inputs)) return [];
    const { declaredGrants, unmanaged } = this.environment;
    const [on, grant] = [this.granted(inputs), grantOf(inputs)];
    const rival = this.replaces ? declaredGrants.rival(on, grant, identity) : undefined;
    if (rival) return [rivalProblem(on.name, rival.identity)];
    declaredGrants.declare(on, grant, identity);
    unmanaged.explain(on.name, grant);
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

  diff(prior: Prior, inputs: Values, identity?: string): Diff {
    const incomplete = isIncomplete(this.definition, prior.state);
    const diff = incomplete ? diffOfIncomplete(prior.state, inputs) : this.diffOfWhole(prior.state, inputs);
    // An incomplete state becomes what the program says.
    const held = incomplete ? inputs : prior.state;
    if (diff.action !== "none" || containsUnknown(held) || isIncomplete(this.definition, held)) return diff;
    if (this.environment.holders.hold(this.objectOf(held), identity)) return diff;
    return {
      action: "update",
      changes: [{ path: ["etag"], kind: "update", replaces: false }],
      reason: "Another resource's delete took this grant from the access policy in this run: it is made again",
    };
  }

  private diffOfWhole(state: Values, inputs: Values): Diff {
    this.environment.declaredGrants.noteInState(this.granted(state), grantOf(state));
    const changes = changesOf(this.definition, state, inputs);
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

  async previewCreate(inputs: Values, secret: readonly string[], call: Call): Promise<void> {
    const admins = containsUnknown(inputs) ? undefined : await this.adminsBeforeCreate(inputs);
    await this.previews.preview(inputs, secret, admins, call);
  }

  preflight(inputs: Values, call: Call): Promise<string[]> {
    return this.previews.preflight(inputs, call);
  }

  async create(inputs: Values, call: Call): Promise<{ id: string; state: Values }> {
    const id = grantId(inputs.name as string, grantOf(inputs));
    return { id, state: await this.ensure(id, inputs, this.replaces, "", call) };
  }

  /** Everything that tells one grant from another replaces it; all that is left is to see that it is there. */
  update(prior: Prior, inputs: Values, call: Call): Promise<Values> {
    // Where the state does not tell the grant, who else has access is not known: nothing is removed in either mode.
    const replaces = this.replaces && !isIncomplete(this.definition, prior.state);
    return this.ensure(prior.id, inputs, replaces, textOf(prior.state.etag), call);
  }

  /**
   * The state of a grant that is in the policy now.
   *
   * @param etag the one that the state has, should no newer one be known.
   */
  private async ensure(id: string, inputs: Values, replaces: boolean, etag: string, call: Call): Promise<Values> {
    const target = this.target(inputs.name as string);
    const grant = grantOf(inputs);
    const object = this.objectOf(inputs);
    const { holders, configuration } = this.environment;
    const admins = replaces ? await this.adminsBeforeCreate(inputs) : undefined;
    const apply = (policy: Policy) => (replaces ? replaceGrants(policy, grant) : addGrant(policy, grant));
    let made: Policy | undefined;
    const make = async () => (made = await this.change(target, { apply, admins }, call));
    const wait = () => pause(call, target.client.clock, BETWEEN_LOOKS_MS, `make the grant on ${target.resource}`);
    try {
      const policy = await holders.make(object, call.identity, make, wait);
      if (configuration.waitForPropagation) await waitUntilVisible(target, grant, call);
      return this.stateOf(inputs, policy);
    } catch (error) {
      if (!isForeseen(error) || (!made && effectOf(error) === "none")) throw error;
      // A plain error would have the engine forget a grant that may be there.
      holders.made(object, call.identity);
      const state = this.stateOf(inputs, made ?? { etag });
      const fate = "The grant may be in the access policy: the next pulumi up looks, and makes it where it is not";
      throw new NotReadyError(id, state, [`${error.message}. ${fate}`], { cause: error });
    }
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
      policy = await policyOfAMomentAgo(this.target(resource), this.environment, call);
    } catch (error) {
      if (error instanceof NotFoundError && known) return undefined;
      unmanaged.missed();
      throw error;
    }
    const grant = known ? currentFormOf(policy, grantOf(known)) : this.theOne(id, grantsWithId(resource, policy, id));
    if (configuration.reportUnmanaged && known) unmanaged.note(resource, policy, grant, call);
    if (!grant) return undefined;
    // In another case it is the same grant: the program's spelling stays.
    const inputs = inputsOf(resource, known && sameGrant(grant, grantOf(known)) ? grantOf(known) : grant);
    if (known && isDeletedFormOf(grant.member, textOf(known.member))) reportDeletedIdentity(resource, call);
    return { id: grantId(resource, grantOf(inputs)), inputs, state: this.stateOf(inputs, policy) };
  }

  /** The state as it is: which of the policy's grants it means, nothing says. Without the resource, there is none. */
  private async readIncomplete(id: string, prior: Omit<Prior, "id">, call: Call): Promise<Current | undefined> {
    const { name } = prior.state;
    if (typeof name !== "string") throw this.badId(id);
    const policy = await undefinedIfNotFound(policyOfAMomentAgo(this.target(name), this.environment, call));
    if (!policy) return undefined;
    call.reporter.warning(completionAdvice(prior.state));
    this.environment.unmanaged.missed();
    return { id, inputs: prior.inputs ?? {}, state: prior.state };
  }

  async delete(prior: Prior, call: Call): Promise<void> {
    if (isIncomplete(this.definition, prior.state)) throw notDeletable(prior.state, call);
    const target = this.target(prior.state.name as string);
    const grant = grantOf(prior.state);
    const admins = await this.admins();
    const apply = (policy: Policy) => removeGrant(policy, grant);
    const fate = await this.environment.holders.remove(this.objectOf(prior.state), call.identity, {
      isSame: (name) => this.isOnePolicy(target, this.target(name), grant, call),
      remove: async () => void (await undefinedIfNotFound(this.change(target, { apply, admins }, call))),
    });
    if (fate.kind === "declared") throw keptForAnother(target.resource, fate.by);
  }

  /** Changes a policy, and says so where that takes away the last administrator on the resource. */
  private async change(target: PolicyTarget, { apply, admins }: PolicyChange, call: Call): Promise<Policy> {
    let isLast = false;
    const watched = (policy: Policy) => {
      const changed = apply(policy);
      isLast = admins !== undefined && changed !== policy && leavesNoAdministrator(policy, changed, admins);
      return changed;
    };
    const policy = await this.environment.policies.change(target, { apply: watched, admins }, call);
    if (isLast) {
      call.reporter.warning(
        `Nobody is left with a role on ${target.resource} that can change its access policy: the last grant of one is ` +
          "gone. Whoever may change policies on the project, the folder or the organization above it still can",
      );
    }
    return policy;
  }

  /**
   * Whether two names, which differ in the spelling of their project, are of one resource: then its policy, which holds
   * the grant, has one etag. Two looks, since somebody may change the policy between the reads of one.
   */
  private async isOnePolicy(left: PolicyTarget, right: PolicyTarget, grant: Grant, call: Call): Promise<boolean> {
    const look = async () => {
      const one = await undefinedIfNotFound(readPolicy(left, 3, call));
      const other = await undefinedIfNotFound(readPolicy(right, 3, call));
      const hasEtag = one?.etag !== undefined && one.etag === other?.etag;
      return hasEtag && hasGrant(one, grant) && isDeepStrictEqual(one.bindings, other?.bindings);
    };
    return (await look()) || (await look());
  }

  private get replaces(): boolean {
    return replacesPolicy(this.environment);
  }

  private target(resource: string): PolicyTarget {
    return targetOf(this.parent, resource, this.environment);
  }

  private granted(values: Values): CloudResource {
    return { url: this.environment.client(this.parent.service).baseUrl, name: values.name as string };
  }

  private objectOf(values: Values): CloudObject {
    return { ...this.granted(values), part: grantKey(grantOf(values)) };
  }

  /** What a change must leave to whom; undefined where the configuration allows everything. */
  private async admins(): Promise<PolicyAdmins | undefined> {
    if (this.environment.configuration.allowLockout) return undefined;
    return { roles: this.parent.policyAdminRoles, caller: await this.environment.caller(this.parent.service) };
  }

  /** The same for a create: one that adds to the policy takes nothing from anybody. */
  private async adminsBeforeCreate(inputs: Values): Promise<PolicyAdmins | undefined> {
    if (!this.replaces) return undefined;
    const admins = await this.admins();
    const on = this.granted(inputs);
    const isOwn = (grant: Grant) => this.environment.declaredGrants.isInState(on, grant);
    return admins && { ...admins, replaces: { isOwn } };
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

/**
 * The state gets the member in its deleted form, so that the refresh shows what became of it, and a delete takes it out
 * of the policy: without the resource in the state, it would stay there for ever.
 */
function reportDeletedIdentity(resource: string, call: Call): void {
  call.reporter.warning(
    `The identity that this grant on ${resource} names was deleted. The policy keeps its member in the deleted form, which ` +
      "gives no access. Recover the identity and refresh again; or give the grant to another member, or take it out of " +
      "the program, and the next pulumi up removes the deleted form",
  );
}

function keptForAnother(resource: string, { identity }: Other): RefusedError {
  return new RefusedError(
    `Kept this grant on ${resource}: ${identity ?? "another resource of this program"} declares the same one and was not ` +
      "made. Nothing was changed; the next pulumi up that makes the other resource settles it",
  );
}
