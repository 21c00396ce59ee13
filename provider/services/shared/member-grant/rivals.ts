import type { Rival } from "../../../core/claims";
import type { CloudObject } from "../../../core/reference";
import type { Problem } from "../../../core/problem";
import type { LifecycleContext } from "../resource";
import type { GrantForm, GrantSet } from "./forms";
import type { GrantPolicies } from "./policies";

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

  /** The problem of a set beside what the program declares so far. */
  problemOf(set: GrantSet, identity: string | undefined): Problem | undefined {
    const [rival] = this.find(set, identity);
    return rival ? this.problemWith(set, rival) : this.problemOfSpelling(set, identity);
  }

  /** The problem of a set that may be one with another, whose name spells the project in another way. */
  private problemOfSpelling(set: GrantSet, identity: string | undefined): Problem | undefined {
    const { claims, projectIds } = this.context;
    const other = claims.otherSpelling(this.policies.objectsOf(set, this.form), identity);
    if (!other) return undefined;
    const reason = projectIds.whyUnclear(this.policies.resourceOf(set), other);
    return { path: this.policies.targets.input, reason: `must not spell its project in another way: ${reason}` };
  }

  private find(set: GrantSet, identity = ""): Rival[] {
    const { claims, declaredGrants } = this.context;
    const role = this.policies.roleOf(set);
    // Under another explicit provider, a grant may replace the whole policy first, for others to add to it (`dependsOn`).
    const isHere = ({ identity: by }: Rival) => by === undefined || declaredGrants.has(by);
    const inRole = (rivals: Rival[]) => rivals.filter((rival) => rival.depth > 0 || isHere(rival));
    if (this.form.ownsRole) return inRole(claims.rivals(role, { alone: true }, identity));
    const [grant = role] = this.policies.grantsOf(set);
    const beside = this.policies.replaces
      ? claims.rivals(this.policies.resourceOf(set), { alone: true }, identity).filter(isHere)
      : [];
    // Two resources may declare one grant.
    return [...inRole(claims.rivals(grant, { alone: false }, identity)), ...beside].filter(
      (rival) => claims.declares(role, rival) || !claims.declares(grant, rival),
    );
  }

  private problemWith(set: GrantSet, rival: Rival): Problem {
    const { claims } = this.context;
    const { role, name } = set;
    const by = rival.identity ?? "another resource of this program";
    const isOf = (object: CloudObject) => claims.declares(object, rival);
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
