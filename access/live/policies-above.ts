import { isProjectNumber } from "../../provider/core/reference";
import { listOf, textOf, type Values } from "../../provider/core/unknown";
import { grantsOf, type Grant, type Policy } from "../../provider/iam/policy";
import { accessAt } from "../condition/expiry";
import { labelOf } from "../meaning/grant-kinds";
import { asClause, capitalized } from "../result/visible";
import type { ReviewedResource } from "../result/result";
import type { AccessPolicy } from "./access-policy";
import { belowUnread, hasParent, NO_ROLES, type Hierarchy } from "./hierarchy";
import { clientBeside, clientOf, type Place } from "./place";
import { mapBounded } from "./reads";
import { isCustomRole } from "../../provider/iam/lockout";
import { permissionsGiveAccess, roleGivesAccess } from "./roles";
import { SERVICES } from "../../provider/core/services";
import { getOrCompute } from "../../provider/core/once";

/** What the policies above a resource give. */
export interface AccessAbove extends Pick<ReviewedResource, "project"> {
  /** `from`: `project demo-project`; `of`: the policy that has the grant. */
  grants: (Grant & { from: string; of: AccessPolicy })[];
  /** What could not be read. Then there may be more grants. */
  unread: string[];
}

export const NOTHING_ABOVE: AccessAbove = { grants: [], unread: [] };

/**
 * The policy of this name after the plan, which may change it.
 *
 * @param api of the policy
 * @returns `isSure`: false if the plan may change it in another way, too.
 */
export type PolicyAfter = (name: string, live: Policy, api: string) => { policy: Policy; isSure: boolean };

/** What is read of a policy above a resource. */
interface Above extends Pick<AccessAbove, "project"> {
  of: AccessPolicy;
  label: string;
  /** After the plan. */
  policy: Policy;
  /** What is not known of the policy, and of what is above it. */
  unread: string[];
  unreadAbove: string[];
}

/**
 * The access that the policies above resources give: those of the dataset of a FHIR store, of the project, of the folders and of
 * the organization. A failed read becomes a note.
 */
export class PoliciesAbove {
  private readonly known = new Map<AccessPolicy, Promise<Above>>();
  private readonly sentences = new Set<string>();
  private readonly givesAccess = accessAt();

  /** @param after the effect of the plan on a policy. */
  constructor(
    private readonly hierarchy: Hierarchy,
    private readonly after: PolicyAfter = (_name, policy) => ({ policy, isSure: true }),
  ) {}

  /** Sentences about what could not be read, each once. */
  get notes(): string[] {
    return [...this.sentences];
  }

  /** In the order of the policies. */
  of(policies: readonly AccessPolicy[]): Promise<AccessAbove[]> {
    return mapBounded(policies, async (each) =>
      each.place.cloud.settings.isKnown ? this.aboveOne(each) : NOTHING_ABOVE,
    );
  }

  private async aboveOne(below: AccessPolicy): Promise<AccessAbove> {
    const { place } = below;
    const { found, why } = await this.hierarchy.above(place);
    if (why !== undefined) {
      this.sentences.add(`The policies above ${belowUnread(place, why)} were not read: ${why}`);
    }
    const all = await Promise.all(
      found.map(async (policy) => {
        const above = await getOrCompute(this.known, policy, () => this.read(policy));
        // The policy of a project is not above itself.
        const { grants, unread } = policy === below ? NOTHING_ABOVE : await this.givenBy(above, place);
        return { grants, unread: [...unread, ...above.unreadAbove], project: above.project };
      }),
    );
    const project = place.path.startsWith("projects/") ? all.find((each) => each.project)?.project : undefined;
    return {
      grants: all.flatMap(({ grants }) => grants),
      unread: [...all.flatMap(({ unread }) => unread), ...(why === undefined ? [] : ["project"])],
      ...(project && { project }),
    };
  }

  /** What a policy gives on a resource below. */
  private async givenBy({ of, label: from, policy, unread }: Above, place: Place): Promise<AccessAbove> {
    const roles = [...new Set((policy.bindings ?? []).map(({ role = "" }) => role))];
    const given = new Map<string, boolean | "unknown">();
    for (const role of roles) given.set(role, await this.givesRole(role, place));
    const grants = grantsOf(policy).filter((grant) => given.get(grant.role) === true && this.givesAccess(grant));
    const unreadRoles = roles.filter((role) => given.get(role) === "unknown").map((role) => `role ${role}`);
    return { grants: grants.map((grant) => ({ ...grant, from, of })), unread: [...unread, ...unreadRoles] };
  }

  /** A predefined role of the service counts if it could not be read, so that no access is missed. */
  private async givesRole(role: string, place: Place): Promise<boolean | "unknown"> {
    const { above } = place.kind;
    const gives = roleGivesAccess(role, above);
    if (gives !== "unknown") return gives;
    const permissions = await this.permissionsOf(role, place);
    if (permissions) return permissionsGiveAccess(permissions, above);
    return isCustomRole(role) ? "unknown" : true;
  }

  /** The permissions of a role; undefined if they could not be read. */
  private async permissionsOf(role: string, place: Place): Promise<readonly string[] | undefined> {
    const api = clientBeside(place, SERVICES.iam);
    const found = api && (await this.hierarchy.role(role, api));
    if (found && "value" in found) {
      const { deleted, includedPermissions } = found.value;
      return deleted === true ? [] : listOf(includedPermissions).map(textOf);
    }
    const effect = isCustomRole(role) ? "" : ", so it counts as a role that gives access";
    const what = `The permissions of the role ${role}`;
    this.sentences.add(
      found
        ? `${what} could not be read${effect}: ${asClause(found.failure)}`
        : `${what} were not read at ${clientOf(place).baseUrl}${effect}: ${NO_ROLES}`,
    );
    return undefined;
  }

  private async read(of: AccessPolicy): Promise<Above> {
    const { place, before = {}, failure } = of;
    const label = labelOf(place);
    const parent = hasParent(place) ? await this.hierarchy.resource(place) : { value: {} };
    const above = `what is above ${label}`;
    const isLost = "failure" in parent;
    if (failure !== undefined) {
      this.sentences.add(
        `The policy of ${label}${isLost ? " and what is above it" : ""} could not be read: ${asClause(failure)}`,
      );
    } else if (isLost) {
      this.sentences.add(`${capitalized(above)} could not be read: ${asClause(parent.failure)}`);
    }
    const { policy, isSure } = this.after(place.path, before, place.kind.service.api);
    return {
      of,
      label,
      policy,
      project: isLost ? undefined : projectIn(parent.value),
      unread: [
        ...(failure === undefined ? [] : [label]),
        ...(isSure ? [] : [`${label}, whose policy the plan changes`]),
      ],
      unreadAbove: isLost ? [above] : [],
    };
  }
}

/** An answer about a project has its number in its name: `{ "name": "projects/415104041262", "projectId": "demo-project" }`. */
function projectIn({ name, projectId }: Values): ReviewedResource["project"] {
  const [id, number] = [textOf(projectId), textOf(name).replace(/^projects\//, "")];
  return id !== "" && !isProjectNumber(id) && isProjectNumber(number) ? { id, number } : undefined;
}
