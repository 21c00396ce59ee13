import { whoDeclaresItIsUnknown } from "../../../core/claims";
import type { CloudObject } from "../../../core/reference";
import { effectOf, isForeseen, NotReadyError, RefusedError } from "../../../core/errors";
import type { Values } from "../../../core/unknown";
import { pause, type Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import type { Policy } from "../../../iam/policy";
import type { PolicyChange } from "../../../iam/policy-cycle";
import type { LifecycleContext } from "../resource";
import { grantsIn, type GrantForm, type GrantSet } from "./forms";
import type { GrantPolicies } from "./policies";
import type { GrantRivals } from "./rivals";

/** The interval at which a create checks whether another resource's delete of the same grants has ended, in milliseconds. */
const BETWEEN_LOOKS_MS = 100;

/** What the engine keeps of a set whose write ended early. */
export interface Kept {
  id: string;
  /** @param policy the newest one that is known; only its etag, if the write did not succeed. */
  stateOf(policy: Policy): Values;
  /** The etag of the state, for use when no newer one is known. */
  etag: string;
  /** Whether the state already says that the policy has the grants. Then only a failure that the state keeps is repaired. */
  isRepair: boolean;
}

/** Puts the grants of a set into the access policy and takes them out, in agreement with the program's other resources. */
export class GrantWrites {
  constructor(
    private readonly form: GrantForm,
    private readonly policies: GrantPolicies,
    private readonly rivals: GrantRivals,
    private readonly context: LifecycleContext,
  ) {}

  /** The objects of a set: a binding is its role as a whole, and its grants; a grant is itself. */
  objectsOf(set: GrantSet): CloudObject[] {
    return [...(this.form.ownsRole ? [this.policies.roleOf(set)] : []), ...this.policies.grantsOf(set)];
  }

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
    const objects = this.objectsOf(set);
    const policy = this.policies.of(name);
    let made: Policy | undefined;
    const make = async () => {
      const isUnclear = await this.rivals.refuse(set, call);
      made = await policy.change(change, call);
      // Only now do the two names of the resource have a policy by which to recognize it.
      if (isUnclear) await this.rivals.refuse(set, call);
      return made;
    };
    const wait = () => pause(call, BETWEEN_LOOKS_MS, `make the ${noun} on ${name}`);
    try {
      const changed = await claims.make(objects, call.identity, make, wait);
      await policy.waitUntilVisible(grantsIn(set), call);
      return changed;
    } catch (error) {
      const mayExist = made !== undefined || effectOf(error) !== "none";
      if (!isForeseen(error) || !(mayExist || kept.isRepair)) throw error;
      // After a plain error, the engine would forget grants that may exist, and not ask again for those that are missing.
      if (mayExist) claims.made(objects, call.identity);
      const advice =
        `The ${noun} may be ${mayExist ? "in" : "missing in"} the access policy: the next pulumi up reads the policy, and makes ` +
        `the ${noun} if it is missing`;
      const state = kept.stateOf(made ?? { etag: kept.etag });
      throw new NotReadyError(kept.id, state, [`${error.message}. ${advice}`], { cause: error });
    }
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
    const objects = this.objectsOf(set);
    const members = new Map(this.policies.grantsOf(set).map((object, at) => [JSON.stringify(object), set.members[at]]));
    const membersOf = (all: readonly CloudObject[]) => all.flatMap((each) => members.get(JSON.stringify(each)) ?? []);
    const decision = await this.context.claims.remove(objects, call.identity, {
      isSame: async (other) => (await this.policies.isOne(set, other, call)) ?? false,
      createAdopts: true,
      remove: async (gone) => {
        const change = changeOf({ ...set, members: membersOf(gone) });
        await undefinedIfNotFound(this.policies.of(name).change(change, call));
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
      throw new RefusedError(`Kept this ${noun} on ${name}: ${whoDeclaresItIsUnknown(noun, decision.why)}`);
    }
  }
}
