import { forgetAdvice, whoDeclaresItIsUnknown } from "../../../core/claims";
import type { CloudObject } from "../../../core/reference";
import { effectOf, isExpected, NotReadyError, RefusedError, withAdvice } from "../../../core/errors";
import type { Values } from "../../../core/unknown";
import { pause, type Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { previewedPolicy } from "../../../iam/limits";
import type { Grant, Policy } from "../../../iam/policy";
import type { PolicyChange } from "../../../iam/policy-cycle";
import { StoredOtherwise } from "../../../iam/stored-otherwise";
import type { LifecycleContext } from "../resource";
import { grantOf, grantsIn, withRecovered, type GrantForm, type GrantSet } from "./forms";
import type { GrantPolicies } from "./policies";

/** The interval at which a create checks whether another resource's delete of the same grants has ended, in milliseconds. */
const BETWEEN_LOOKS_MS = 100;

/** What the engine keeps of a set whose write ended early. */
export interface Kept {
  id: string;
  /** @param policy the newest one that is known; only its etag, if the write did not succeed. */
  stateOf(policy: Policy, members: readonly string[]): Values;
  /** The members in the state, which the write may remove. */
  before: readonly string[];
  /** The etag of the state, for use when no newer one is known. */
  etag: string;
  /** Whether the state says that the policy has the grants, and one may be missing. Then a failure without effect is kept, too. */
  isRepair: boolean;
}

/** Puts the grants of a set into the access policy and takes them out, in agreement with the program's other resources. */
export class GrantWrites {
  constructor(
    private readonly form: GrantForm,
    private readonly policies: GrantPolicies,
    private readonly context: LifecycleContext,
  ) {}

  /**
   * Changes the policy so that it has the grants.
   *
   * @returns the policy.
   * @throws NotReadyError when the policy may lack grants that the state has, or have grants that it lacks.
   */
  async put(set: GrantSet, change: PolicyChange, kept: Kept, call: Call): Promise<Policy> {
    const { claims } = this.context;
    const { noun } = this.form;
    const { name } = set;
    const objects = this.policies.objectsOf(set, this.form);
    const policy = this.policies.of(name);
    let made: Policy | undefined;
    const make = async () => (made = await policy.change(change, call));
    const wait = () => pause(call, BETWEEN_LOOKS_MS, `make the ${noun} on ${name}`);
    try {
      const changed = await claims.make(objects, call.identity, make, wait);
      await policy.waitUntilVisible(grantsIn(set), call);
      return changed;
    } catch (error) {
      if (error instanceof StoredOtherwise) throw this.failureOf(error, set, kept, call);
      const mayExist = made !== undefined || effectOf(error) !== "none";
      if (!isExpected(error) || !(mayExist || kept.isRepair)) throw error;
      // After a plain error, the engine would forget grants that may exist, and not ask again for those that are missing.
      if (mayExist) claims.noteCreated(objects, call.identity);
      const advice =
        `The ${noun} may be ${mayExist ? "in" : "missing in"} the access policy: the next pulumi up reads the policy, and makes ` +
        `the ${noun} if it is missing`;
      // While it is unknown whether the write was made, a delete has to remove the old members, too.
      const members = made ? set.members : [...new Set([...set.members, ...kept.before])];
      const state = kept.stateOf(made ?? { etag: kept.etag }, members);
      throw new NotReadyError(kept.id, state, [`${error.message}. ${advice}`], { cause: error });
    }
  }

  /**
   * The error of a write whose grants the API stored under other names. The state gets what was stored, so that a delete removes
   * it. Where that is not sure, it keeps what was declared: a delete says that it is missing, and takes nothing from others.
   */
  private failureOf(stored: StoredOtherwise, set: GrantSet, kept: Kept, call: Call): Error {
    const { policy, instead, isSure } = stored;
    const previewed = previewedPolicy(policy);
    const isStored = (member: string) => previewed.has(grantOf(set, member));
    const own = isSure ? [...set.members.filter(isStored), ...instead.map(({ member }) => member)] : set.members;
    const message = storedInWords(set.name, stored, call.secret?.includes(this.form.input) ?? false);
    const members = [...new Set([...own, ...kept.before.filter(isStored)])];
    if (members.length === 0) return new RefusedError(message);
    const current = { ...set, members };
    this.context.claims.noteCreated(this.policies.objectsOf(current, this.form), call.identity);
    const id = kept.before.length > 0 ? kept.id : this.form.idOf(current);
    return new NotReadyError(id, kept.stateOf(policy, members), [message]);
  }

  /**
   * Takes the grants of the set out of the policy, except for those that other resources of the program have.
   *
   * @param changeOf returns the change that removes these grants.
   * @throws RefusedError when another resource declares the set or one of its grants, or when that is unknown.
   */
  async remove(set: GrantSet, changeOf: (gone: GrantSet) => PolicyChange, call: Call): Promise<void> {
    const { name } = set;
    const { noun } = this.form;
    const { projectIds } = this.context;
    const all = withRecovered(set);
    const objects = this.policies.objectsOf(all, this.form);
    const members = new Map(this.policies.grantsOf(all).map((object, at) => [JSON.stringify(object), all.members[at]]));
    const membersOf = (gone: readonly CloudObject[]) => gone.flatMap((each) => members.get(JSON.stringify(each)) ?? []);
    const decision = await this.context.claims.remove(objects, call.identity, {
      createAdopts: true,
      whyUnclear: (other) => projectIds.whyUnclear(this.policies.resourceOf(set), other),
      remove: async (gone) => {
        const change = changeOf({ ...set, members: membersOf(gone) });
        await undefinedIfNotFound(this.policies.of(name).change(change, call)).catch((error: unknown) => {
          throw effectOf(error) === "unknown" ? withAdvice(error, mayBeGone(noun)) : error;
        });
      },
    });
    if (decision.kind === "declared") {
      const by = decision.by.identity ?? "another resource of this program";
      const what = this.form.ownsRole ? "it, or one of its grants," : "the same grant";
      throw new RefusedError(
        `Kept this ${noun} on ${name}: ${by} declares ${what} and was not made. Nothing was changed. The next pulumi up that ` +
          "makes the other resource resolves this",
      );
    }
    if (decision.kind === "unknown") {
      throw new RefusedError(
        `Kept this ${noun} on ${name}: ${whoDeclaresItIsUnknown(noun, decision.why)}. ${forgetAdvice(call.identity)}`,
      );
    }
  }
}

/** @param isSecret whether the message must not name the members. */
function storedInWords(resource: string, { lacking, instead, isSure }: StoredOtherwise, isSecret: boolean): string {
  const names = (grants: readonly Grant[]) => grants.map(({ member }) => member).join(", ");
  const asked = isSecret ? "a secret member" : names(lacking);
  if (instead.length === 0) {
    return (
      `The API accepted ${asked} on ${resource}, and the policy that it stored does not have it: it is probably another name of ` +
      "a member that has the role there. Declare the member as the policy has it (perimeter access shows the policy)"
    );
  }
  const stored = isSecret ? "another member" : names(instead);
  const what = `The API accepted the change of ${resource}, and stored ${stored} in place of ${asked}`;
  if (!isSure) return `${what}. Not all of them may be this change's: declare the primary name of the same identity`;
  const remedy = isSecret ? "the primary name" : stored;
  return `${what}, another name of the same identity: declare ${remedy} instead. The state has what is stored`;
}

/** Advice for a delete whose result is unknown: the state keeps the grant, and the policy may not have it any more. */
function mayBeGone(noun: string): string {
  return (
    `The ${noun} may be gone from the access policy, and the state keeps it: delete it again, or run \`pulumi up --refresh\`, ` +
    "which notices it"
  );
}
