import type { ResourceDefinition, ServiceDefinition } from "../../../core/definition";
import { changesOf, type Diff, type PropertyChange } from "../../../core/diff";
import { BugError, importError } from "../../../core/errors";
import type { Current, PriorOf, ResourceLifecycle } from "../../../core/lifecycle";
import { leftOutOfList, type ListPage, type Listing } from "../../../core/listing";
import type { Problem } from "../../../core/problem";
import type { CloudObject } from "../../../core/reference";
import { isKnown } from "../../../core/typed";
import { textOf, type Values } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { addGrants, currentFormOf, removeGrants, replaceGrants, setMembers, type Policy } from "../../../iam/policy";
import type { GrantParent, GrantTargets } from "../parent";
import { withLifecycle, type LifecycleContext, type Resource } from "../resource";
import { defineMemberGrant, defineRoleBinding, subjectOf } from "./definition";
import {
  bindingForm,
  deletedFormIn,
  grantOf,
  grantsIn,
  grantsToRemove,
  inputsOf,
  memberForm,
  setIn,
  withCurrent,
  type GrantForm,
  type GrantSet,
} from "./forms";
import { badId, notDeletable, readIncomplete, recognizeSet, refuseOtherResource, type KnownSet } from "./incomplete";
import { grantsListed, pageOf, type ListedGrants } from "./listing";
import { adoptsOthers, othersIn, othersProperty } from "./others";
import { GrantPolicies } from "./policies";
import { GrantPreview, type PlannedChange } from "./preview";
import { GrantRivals } from "./rivals";
import { GrantWrites } from "./writes";

const KEEP = "Add to `members` those that keep the role";

/**
 * The lifecycle of a grant of one member and of a binding of a whole role, for all kinds of parents. What differs between the
 * two is in `forms.ts`.
 */
class GrantLifecycle implements ResourceLifecycle<ResourceDefinition, KnownSet, Call> {
  private readonly policies: GrantPolicies;
  private readonly rivals: GrantRivals;
  private readonly writes: GrantWrites;
  private readonly previews: GrantPreview;
  /** The sets that the last diff of each resource replaces, by the resource's identity. */
  private readonly replaced = new Map<string, GrantSet>();

  constructor(
    private readonly form: GrantForm,
    private readonly definition: ResourceDefinition,
    private readonly targets: GrantTargets,
    private readonly context: LifecycleContext,
  ) {
    this.policies = new GrantPolicies(targets, context);
    this.rivals = new GrantRivals(form, this.policies, context);
    this.writes = new GrantWrites(form, this.policies, context);
    this.previews = new GrantPreview(form, this.policies, context);
  }

  async check(inputs: Values, call: Call): Promise<Problem[]> {
    const set = this.knownSet(inputs);
    if (!set) return [];
    await this.policies.learnProject(set.name, call);
    const problem = this.rivals.problemOf(set, call.identity);
    if (problem) return [problem];
    const { claims, declaredGrants } = this.context;
    const on = this.policies.resourceOf(set);
    claims.declare([...this.objectsOf(set), ...(this.replacesPolicy ? [on] : [])], call.identity);
    declaredGrants.declare(on, { grants: grantsIn(set), ownsRole: this.form.ownsRole }, call.identity);
    return [];
  }

  idOf(state: Values): string | undefined {
    const set = this.setIn(state);
    return set && this.form.idOf(set);
  }

  recognize(prior: PriorOf<ResourceDefinition>): KnownSet {
    return recognizeSet(prior, this.targets, this.form);
  }

  /** @throws RefusedError when the state does not identify the grants and the inputs name another resource. */
  changes(prior: KnownSet, inputs: Values): PropertyChange[] {
    if (prior.kind === "complete") return changesOf(this.definition, prior.state, inputs);
    refuseOtherResource(prior, inputs, this.targets);
    return [];
  }

  diff(prior: KnownSet, inputs: Values, identity?: string): Diff {
    const wanted = this.knownSet(inputs);
    const changes = this.changes(prior, inputs);
    if (prior.kind === "incomplete") {
      // `pulumi up` writes the program's values to the state.
      return wanted ? this.noteHeld(wanted, identity) : { action: "none" };
    }
    const { set, state } = prior;
    this.replaced.delete(identity ?? "");
    // Under an alias, the delete of a replacement has the resource's earlier name. The new grants are made before the old ones are
    // deleted, so that nobody loses access in between.
    if (changes.some(({ replaces }) => replaces)) {
      this.context.claims.noteGivenUp(this.objectsOf(set), identity);
      if (identity !== undefined) this.replaced.set(identity, set);
      return { action: "replace", changes, deleteBeforeReplace: false };
    }
    // Without a replacement, both names are of one resource, and the check has learned the project's id for the program's name.
    const held = this.noteHeld({ ...set, name: wanted?.name ?? set.name }, identity);
    if (changes.length > 0) return { action: "update", changes };
    if (held.action === "none" && wanted && adoptsOthers(state, wanted)) {
      return etagChange(
        "The program declares members that others had added: the state notes that they belong to this binding",
      );
    }
    return held;
  }

  serviceOf(inputs: Values): ServiceDefinition | undefined {
    const name = inputs[this.targets.input];
    return typeof name === "string" ? this.targets.find(name)?.parent.service : undefined;
  }

  plan(inputs: Values): Values {
    return this.policies.plan(inputs);
  }

  async previewCreate(inputs: Values, call: Call): Promise<void> {
    const set = this.knownSet(inputs);
    const replaced = this.replaced.get(call.identity ?? "");
    // A grant that replaces the whole policy also removes the old grant from it, and its own preview reports that.
    const isReported = this.replacesPolicy && set?.name === replaced?.name;
    const create = set && { set, change: this.changeTo(set, true) };
    if (replaced && !isReported) await this.previews.previewDelete(replaced, create, call);
    if (create) await this.previews.preview(create.set, create.change, [], call);
  }

  async previewUpdate(prior: KnownSet | undefined, inputs: Values, call: Call): Promise<void> {
    const set = this.knownSet(inputs);
    if (!set) return;
    const before = prior?.kind === "complete" ? (this.setIn(prior.state)?.members ?? []) : [];
    const change = this.changeTo(set, prior?.kind !== "incomplete");
    await this.previews.preview(set, change, before, call);
  }

  preflight(inputs: Values, call: Call): Promise<string[]> {
    const set = this.knownSet(inputs);
    return set ? this.policies.preflight(set.name, call) : Promise.resolve([]);
  }

  async create(inputs: Values, call: Call): Promise<{ id: string; state: Values }> {
    const set = this.requiredSet(inputs);
    const id = this.form.idOf(set);
    return { id, state: await this.ensure(set, true, { id, etag: "", isRepair: false, before: [] }, call) };
  }

  update(prior: KnownSet, inputs: Values, call: Call): Promise<Values> {
    const { id, state } = prior;
    const etag = typeof state.etag === "string" ? state.etag : "";
    // When the state does not identify the grants, the access of others is unknown. So nothing is removed in either mode.
    const isComplete = prior.kind === "complete";
    const set = this.requiredSet(inputs);
    const before = isComplete ? prior.set.members : [];
    const isUnchanged = isComplete && this.changes(prior, inputs).length === 0;
    const isLacking =
      isComplete && !this.context.claims.noteHeld(this.objectsOf({ ...set, members: before }), call.identity);
    // The delete of another resource removed a grant in this run, and no preview showed what this update could remove.
    const mayRemove = isComplete && !(isUnchanged && isLacking);
    return this.ensure(set, mayRemove, { id, etag, isRepair: isUnchanged || isLacking, before }, call);
  }

  private async ensure(
    set: GrantSet,
    mayRemove: boolean,
    kept: { id: string; etag: string; isRepair: boolean; before: readonly string[] },
    call: Call,
  ): Promise<Values> {
    const stateOf = (policy: Policy, members = set.members) =>
      this.policies.stateOf(this.inputsOf({ ...set, members }), set, policy);
    const { apply, admins } = this.changeTo(set, mayRemove);
    return stateOf(await this.writes.put(set, { apply, admins: await admins() }, { ...kept, stateOf }, call));
  }

  /** @param mayRemove false for a change that removes no grant of others. */
  private changeTo(set: GrantSet, mayRemove: boolean): PlannedChange {
    const grants = grantsIn(set);
    const [first] = grants;
    if (mayRemove && this.form.ownsRole) {
      return { apply: (policy) => setMembers(policy, set), admins: () => this.policies.adminsBeforeLoss(set, KEEP) };
    }
    if (mayRemove && this.replacesPolicy && first) {
      return { apply: (policy) => replaceGrants(policy, first), admins: () => this.policies.adminsBeforeLoss(set) };
    }
    return { apply: (policy) => addGrants(policy, grants), admins: () => Promise.resolve(undefined) };
  }

  /** The refreshed resource; undefined when the policy has none of its grants, or the cloud's resource does not exist. */
  async read(prior: KnownSet, call: Call): Promise<Current | undefined> {
    if (prior.kind === "incomplete") {
      return readIncomplete(prior, this.policies, call, async (id) => (await this.find(id, call))?.current);
    }
    const { set, state } = prior;
    // The diff of a refresh comes before any check.
    await this.policies.learnProject(set.name, call);
    const policy = await undefinedIfNotFound(this.policies.readRecent(set.name, call));
    const members = policy ? this.form.currentMembers(policy, set) : [];
    if (!policy || members.length === 0) {
      const { noun } = this.form;
      if (policy) this.previews.reportMissing(`The refresh drops this ${noun} from the state`, set, policy, call);
      else call.reporter.warning(`The refresh drops this ${noun} from the state: ${set.name} does not exist`);
      return undefined;
    }
    const shown = this.setIn(state) ?? set;
    const current = withCurrent(shown, members);
    if (deletedFormIn(members, set) !== undefined) reportDeletedIdentity(this.form, set.name, call);
    return this.currentOf(current, policy, othersIn(members, set.members));
  }

  /**
   * The grants with an id from the user.
   *
   * @throws InputError when the id is invalid, or matches several conditions.
   */
  async import(typed: string, call: Call): Promise<Current | undefined> {
    const found = await this.find(typed, call);
    if (!found) return undefined;
    await this.policies.learnProject(found.set.name, call);
    this.context.claims.noteFound(this.objectsOf(found.set), call.identity);
    return found.current;
  }

  /** The grants on one resource that this type can declare. */
  async list(query: Values, page: ListPage, call: Call): Promise<Listing> {
    const name = this.targets.find(textOf(query[this.targets.input]))?.name;
    if (name === undefined) throw new BugError("a list was requested without a check");
    const role = typeof query.role === "string" ? query.role : undefined;
    const policy = await this.policies.readRecent(name, call);
    const all = grantsListed(policy, { name, role }, this.form, this.definition, this.targets);
    if (page.token === "") this.warnOfList(name, all, call);
    return pageOf(all.found, page);
  }

  private warnOfList(name: string, { found, leftOut, firstProblem }: ListedGrants, call: Call): void {
    if (firstProblem !== undefined) {
      const { form, definition } = this;
      call.reporter.warning(leftOutOfList(leftOut, form.noun, `on ${name}`, definition.name, firstProblem));
    }
    if (this.replacesPolicy && found.length > 1) {
      call.reporter.warning(
        `In grant mode replace, one grant is the whole policy of ${name}: run pulumi config set perimeter:grantMode merge ` +
          "before you import several of them",
      );
    }
  }

  private async find(typed: string, call: Call): Promise<{ set: GrantSet; current: Current } | undefined> {
    const named = this.targets.inId(typed);
    if (named === undefined) throw badId(typed, this.definition.importIds);
    const { name, id } = named;
    const policy = await this.policies.readRecent(name, call);
    const [found, other] = this.form.withId(name, policy, id);
    if (!found && !this.form.isWholeId(name, id)) throw badId(typed, this.definition.importIds, this.form.input);
    if (other) {
      const reason = "names several conditions: give the condition in full, as /{title}/{description}/{expression}";
      throw importError(typed, reason);
    }
    const set = found && { name, ...found };
    return set && { set, current: this.currentOf(set, policy, []) };
  }

  /**
   * Removes the declared grants, except for those that other resources of the program have or want.
   *
   * @throws RefusedError when the state does not identify the grants, or when another resource declares one and was not made.
   */
  async delete(prior: KnownSet, call: Call): Promise<void> {
    if (prior.kind === "incomplete") throw notDeletable(prior, this.targets, call);
    const { set } = prior;
    await this.policies.learnProject(set.name, call);
    const admins = await this.policies.admins(set);
    let live: Policy | undefined;
    // A conflict or a lost answer makes the change begin again, with the policy as it is then.
    let missing: readonly string[] | undefined;
    const changeOf = (gone: GrantSet) => ({
      apply: (policy: Policy) => {
        const own = missing ?? set.members.filter((each) => gone.members.includes(each));
        missing = own.filter((member) => !currentFormOf(policy, grantOf(set, member)));
        return (live = removeGrants(policy, grantsToRemove(gone, set, policy)));
      },
      admins,
    });
    await this.writes.remove(set, changeOf, call);
    if (!live) return;
    const absent = { ...set, members: missing ?? [] };
    const found = absent.members.length < set.members.length ? "does not find all of its members" : "removes nothing";
    this.previews.reportMissing(`This delete of a ${this.form.noun} ${found}`, absent, live, call);
    this.previews.reportKept(set, live, call);
  }

  /**
   * Records that the engine's state has the grants.
   *
   * @returns the diff of a resource without changes: if another resource's delete removed a grant, it is made again.
   */
  private noteHeld(set: GrantSet, identity: string | undefined): Diff {
    if (this.context.claims.noteHeld(this.objectsOf(set), identity)) return { action: "none" };
    const { noun } = this.form;
    return etagChange(
      `The delete of another resource removed this ${noun} from the access policy in this run: it is made again`,
    );
  }

  private objectsOf(set: GrantSet): CloudObject[] {
    return this.policies.objectsOf(set, this.form);
  }

  /** Whether a grant becomes the whole policy. */
  private get replacesPolicy(): boolean {
    return this.policies.replaces && !this.form.ownsRole;
  }

  private setIn(values: Values): GrantSet | undefined {
    return setIn(values, this.form, this.targets);
  }

  private inputsOf(set: GrantSet): Values {
    return inputsOf(set, this.form, this.targets);
  }

  private knownSet(inputs: Values): GrantSet | undefined {
    return isKnown(inputs) ? this.setIn(inputs) : undefined;
  }

  /** @throws BugError for inputs that the check would refuse. */
  private requiredSet(inputs: Values): GrantSet {
    const set = this.setIn(inputs);
    if (!set) throw new BugError(`A ${this.form.noun} was created without a check of its inputs`);
    return set;
  }

  private currentOf(set: GrantSet, policy: Policy, others: readonly string[]): Current {
    const inputs = this.inputsOf(set);
    const state = { ...this.policies.stateOf(inputs, set, policy), ...othersProperty(others) };
    return { id: this.form.idOf(set), inputs, state };
  }
}

/** The resource that grants a member a role on one kind of parent: one implementation for all of them. */
export function memberGrant(parent: GrantParent): Resource {
  return grantResource(defineMemberGrant(subjectOf(parent)), memberForm, parent.targets);
}

/** The resource that owns one role as a whole on one kind of parent: one implementation for all of them. */
export function roleBinding(parent: GrantParent): Resource {
  return grantResource(defineRoleBinding(subjectOf(parent)), bindingForm, parent.targets);
}

/** A type of grant on these resources. */
export function grantResource(definition: ResourceDefinition, form: GrantForm, targets: GrantTargets): Resource {
  return {
    ...withLifecycle(definition, (context) => new GrantLifecycle(form, definition, targets, context)),
    targets,
  };
}

/** A change without a changed input. The engine shows the etag as its property. */
function etagChange(reason: string): Diff {
  return { action: "update", changes: [{ path: ["etag"], kind: "update", replaces: false }], reason };
}

/**
 * Warns that an identity was deleted. The state gets the member in its deleted form, so that the refresh shows the deletion, and
 * a delete removes this form from the policy. If the state dropped the member, it would stay in the policy.
 */
function reportDeletedIdentity({ noun, ownsRole }: GrantForm, resource: string, call: Call): void {
  const who = ownsRole ? `a member of this ${noun}` : `this ${noun}`;
  const remedy = ownsRole
    ? "remove the member from the program: then the next pulumi up removes the deleted form"
    : "give the grant to another member, or remove it from the program: then the next pulumi up removes the deleted form";
  call.reporter.warning(
    `The identity of ${who} on ${resource} was deleted. The policy keeps its member in the deleted form, which gives no ` +
      `access. Recover the identity and refresh again. Or ${remedy}`,
  );
}
