import { whoWantsItIsUnknown } from "../../../core/claims";
import type { CloudObject } from "../../../core/cloud-object";
import type { Diff } from "../../../core/diff";
import { effectOf, isForeseen, NotReadyError, RefusedError } from "../../../core/errors";
import type { Values } from "../../../core/unknown";
import { pause, type Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import type { Grant, Policy } from "../../../iam/policy";
import type { PolicyChange } from "../../../iam/policy-store";
import type { LifecycleContext } from "../resource";
import type { GrantPolicies } from "./policies";

/** The grants of one resource of the program: one of a member grant, several of a role binding. */
export interface GrantSet {
  /** Relative name of the cloud's resource. */
  name: string;
  grants: readonly Grant[];
  /** The set as a whole, as `claims` identifies it. */
  object: CloudObject;
  /** The grants of the set as `claims` identifies them, with the identities that claim them. Empty if the set is one grant. */
  parts: ReadonlyArray<readonly [CloudObject, identity: string | undefined]>;
}

/** The interval at which a create checks whether another resource's delete of the same grants has ended, in milliseconds. */
const BETWEEN_LOOKS_MS = 100;

/** Puts the grants of a resource into the access policy and takes them out, in agreement with the program's other resources. */
export class GrantWrites {
  constructor(
    private readonly noun: "grant" | "binding",
    private readonly policies: GrantPolicies,
    private readonly context: LifecycleContext,
  ) {}

  /**
   * Records that the engine's state has the grants.
   *
   * @returns the diff of a resource without changes: if another resource's delete removed a grant in this run, it is made again.
   */
  hold({ object, parts }: GrantSet, identity: string | undefined): Diff {
    const isHeld = claimedBy({ object, parts }, identity).map(([each, by]) => this.context.claims.hold(each, by));
    if (isHeld.every(Boolean)) return { action: "none" };
    return {
      action: "update",
      changes: [{ path: ["etag"], kind: "update", replaces: false }],
      reason: `The delete of another resource removed this ${this.noun} from the access policy in this run: it is made again`,
    };
  }

  /**
   * Changes the policy so that it has the grants.
   *
   * @param next what the resource's id and state are with a policy.
   * @returns the state.
   * @throws NotReadyError when the call ended before it was known whether the grants are in the policy.
   */
  async put<S extends Values>(
    set: GrantSet,
    change: PolicyChange,
    { id, stateOf, etag }: { id: string; stateOf: (policy: Policy) => S; etag: string },
    call: Call,
  ): Promise<S> {
    const { claims } = this.context;
    const { name, grants, object, parts } = set;
    const target = this.policies.target(name);
    let made: Policy | undefined;
    const make = async () => (made = await this.policies.change(name, change, call));
    const wait = () => pause(call, target.client.clock, BETWEEN_LOOKS_MS, `make the ${this.noun} on ${name}`);
    for (const [part, by] of parts) claims.making(part, by);
    try {
      const policy = await claims.make(object, call.identity, make, wait);
      for (const [part, by] of parts) claims.made(part, by);
      await this.context.policies.waitUntilVisible(target, grants, call);
      return stateOf(policy);
    } catch (error) {
      if (!isForeseen(error) || (!made && effectOf(error) === "none")) throw error;
      // After a plain error, the engine would forget grants that may exist.
      for (const [each, by] of claimedBy(set, call.identity)) claims.made(each, by);
      const advice =
        `The ${this.noun} may be in the access policy: the next pulumi up reads the policy, and makes the ${this.noun} if it is ` +
        "missing";
      throw new NotReadyError(id, stateOf(made ?? { etag }), [`${error.message}. ${advice}`], { cause: error });
    }
  }

  /**
   * Takes the grants out of the policy, unless another resource of the program has or wants the set.
   *
   * @param apply removes the grants of the set that no other resource has.
   * @throws RefusedError when another resource declares the set, or when that is unknown.
   */
  async remove({ name, grants, object, parts }: GrantSet, apply: PolicyChange["apply"], call: Call): Promise<void> {
    const { claims } = this.context;
    const admins = await this.policies.admins();
    const [first] = grants;
    const decision = await claims.remove(object, call.identity, {
      isSame: async (other) => first !== undefined && this.policies.isOne(name, other, first, call),
      isTakenOver: true,
      remove: async () => {
        for (const [part, by] of parts) claims.leaves(part, by);
        await undefinedIfNotFound(this.policies.change(name, { apply, admins }, call));
      },
    });
    if (decision.kind === "declared") {
      const by = decision.by.identity ?? "another resource of this program";
      throw new RefusedError(
        `Kept this ${this.noun} on ${name}: ${by} declares the same ${this.noun} and was not made. Nothing was changed. The next ` +
          "pulumi up that makes the other resource resolves this",
      );
    }
    if (decision.kind === "unknown") {
      throw new RefusedError(`Kept this ${this.noun} on ${name}: ${whoWantsItIsUnknown(this.noun, decision.why)}`);
    }
  }
}

/** The set and its grants, with the identities that claim them. */
function claimedBy(
  { object, parts }: Pick<GrantSet, "object" | "parts">,
  identity: string | undefined,
): ReadonlyArray<readonly [CloudObject, string | undefined]> {
  return [[object, identity], ...parts];
}
