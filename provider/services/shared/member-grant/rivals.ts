import type { Rival } from "../../../core/claims";
import type { CloudObject } from "../../../core/reference";
import { RefusedError } from "../../../core/errors";
import type { Problem } from "../../../core/problem";
import type { Call } from "../../../http/call";
import type { LifecycleContext } from "../resource";
import type { GrantForm, GrantSet } from "./forms";
import { isReadFailure, type GrantPolicies } from "./policies";

/**
 * Other resources of the program that would undo this one, or be undone by it: one of them owns a role as a whole, or replaces
 * the whole policy, and the other has grants in it.
 */
export class GrantRivals {
  constructor(
    private readonly form: GrantForm,
    private readonly policies: GrantPolicies,
    private readonly context: LifecycleContext,
  ) {}

  /** The problem of a set beside one with the same spelling of the resource's name. */
  problemOf(set: GrantSet, identity: string | undefined): Problem | undefined {
    const { name: own } = this.policies.resourceOf(set);
    const rival = this.find(set, identity).find(({ name }) => name === own);
    return rival && this.problemWith(set, rival);
  }

  /**
   * The problem of a set beside one whose name spells the project in another way, by its id or its number. Both policies are read
   * to recognize it.
   *
   * @returns also whether it is unknown if such a name belongs to the same resource.
   */
  async respelled(set: GrantSet, call: Call): Promise<{ problem?: Problem; isUnclear: boolean }> {
    let isUnclear = false;
    const { name: own } = this.policies.resourceOf(set);
    for (const rival of this.find(set, call.identity)) {
      if (rival.name === own) continue;
      const isOne = await this.policies.isOne(set, rival.name, call).catch((error: unknown) => {
        if (!isReadFailure(error)) throw error;
        return undefined;
      });
      isUnclear ||= isOne === undefined;
      if (!isOne) continue;
      const { path, reason } = this.problemWith(set, rival);
      return { problem: { path, reason: `${reason}. ${rival.name} is the same resource as ${own}` }, isUnclear };
    }
    return { isUnclear };
  }

  /**
   * Refuses a set beside one whose name spells the project in another way, before the set is made. A check does not recognize it
   * as long as both policies are empty.
   *
   * @returns whether it is still unknown.
   * @throws RefusedError with the problem.
   */
  async refuse(set: GrantSet, call: Call): Promise<boolean> {
    const { problem, isUnclear } = await this.respelled(set, call);
    if (problem) throw new RefusedError(`${problem.path} ${problem.reason}`);
    return isUnclear;
  }

  private find(set: GrantSet, identity = ""): Rival[] {
    const { claims, stackGrants } = this.context;
    const role = this.policies.roleOf(set);
    // Under another explicit provider, a grant may replace the whole policy first, for others to add to it (`dependsOn`).
    const isHere = ({ identity: by }: Rival) => by === undefined || stackGrants.isDeclarer(by);
    const inRole = (rivals: Rival[]) => rivals.filter((rival) => rival.depth > 0 || isHere(rival));
    if (this.form.ownsRole) return inRole(claims.rivals(role, { alone: true }, identity));
    const [grant = role] = this.policies.grantsOf(set);
    const beside = this.policies.replaces
      ? claims.rivals(this.policies.resourceOf(set), { alone: true }, identity).filter(isHere)
      : [];
    // Two resources may declare one grant.
    return [...inRole(claims.rivals(grant, { alone: false }, identity)), ...beside].filter((rival) => {
      const { name } = rival;
      return claims.declares({ ...role, name }, rival) || !claims.declares({ ...grant, name }, rival);
    });
  }

  private problemWith(set: GrantSet, rival: Rival): Problem {
    const { claims } = this.context;
    const { role, name } = set;
    const by = rival.identity ?? "another resource of this program";
    const isOf = (object: CloudObject) => claims.declares({ ...object, name: rival.name }, rival);
    const isReplacing = isOf(this.policies.resourceOf(set));
    if (!this.form.ownsRole && isOf(this.policies.roleOf(set))) {
      const reason =
        `is owned as a whole by ${by}: this grant and that binding would undo each other on ${name}. Add the member to the ` +
        `binding's \`members\`, or grant ${role} to each member without the binding`;
      return { path: "role", reason };
    }
    if (isReplacing || !this.form.ownsRole) {
      const ownReplaces = this.policies.replaces && !this.form.ownsRole;
      const who = ownReplaces && isReplacing ? "each of them" : ownReplaces ? "this grant" : "that grant";
      const reason =
        `is the resource of another grant in this program too${rival.identity === undefined ? "" : ` (${by})`}. With grantMode ` +
        `"replace" ${who} replaces the whole policy of ${name}, so they would undo each other: set the provider's grantMode to ` +
        '"merge", or keep one grant for each resource';
      return { path: this.policies.targets.input, reason };
    }
    const reason =
      `is granted on ${name} by ${by} too. A binding owns ${role} under its condition as a whole, so the two would undo each ` +
      "other: keep all members in one binding, or grant the role to each member without a binding (with grantMode merge)";
    return { path: "role", reason };
  }
}
