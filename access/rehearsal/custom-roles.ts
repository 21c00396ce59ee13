import { listOf, textOf } from "../../provider/core/unknown";
import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { distinctGrants } from "../../provider/iam/policy";
import type { StackClouds } from "../live/clouds";
import type { Place } from "../live/place";
import type { AccessPolicy } from "../live/access-policy";
import { firstOf } from "../result/visible";
import type { ForeignStep } from "../plan/foreign-steps";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import { resourceNamed } from "../meaning/grant-kinds";
import { hiddenReasonOf, type HiddenValues } from "../plan/hidden-values";

const CUSTOM_ROLE = /^gcp:(projects|organizations)\/iAMCustomRole:IAMCustomRole$/;
/** More names would fill a message. */
const MOST = 10;

/** A step of `@pulumi/gcp` on a custom role. */
interface CustomRoleStep {
  step: ForeignStep;
  /** `projects/my-project/roles/deployer` */
  role: string;
  /** The resource whose policy gives it most often. */
  parent: string;
  lost: string[];
  gained: string[];
}

/** The custom roles whose permissions a plan changes. A new role gives nobody anything. */
export class CustomRoles {
  private readonly steps: readonly CustomRoleStep[];

  constructor(
    foreign: readonly ForeignStep[],
    private readonly clouds: StackClouds,
  ) {
    this.steps = foreign.flatMap((step) => this.read(step) ?? []);
  }

  /** The policies to read for them: of the project or the organization of each role. */
  get places(): Place[] {
    return this.steps.flatMap(({ step, parent }) => {
      const cloud = this.clouds.of(step.step);
      return cloud.settings.isKnown ? [{ cloud, ...resourceNamed(parent) }] : [];
    });
  }

  /**
   * The steps with what is known of their effect: which permissions change, and who has the role by the policies that were read.
   * Who has it by other policies stays unknown.
   */
  withEffects(foreign: readonly ForeignStep[], policies: readonly AccessPolicy[], hidden: HiddenValues): ForeignStep[] {
    return foreign.map((each) => {
      const found = this.steps.find(({ step }) => step.step === each.step);
      return found ? { ...each, effect: effectOf(found, policies, hidden) } : each;
    });
  }

  private read(step: ForeignStep): CustomRoleStep | undefined {
    const { op, type, old, new: next } = step.step;
    const [, collection] = CUSTOM_ROLE.exec(type) ?? [];
    if (collection === undefined || !old || !["update", "delete", "replace"].includes(op)) return undefined;
    const defaults = collection === "projects" ? this.clouds.defaultsOf(step.step) : {};
    const inputs = { ...defaults, ...old.outputs, ...old.inputs };
    const inId = /^((?:projects|organizations)\/[^/]+)\/roles\/[^/]+$/.exec(old.id ?? "");
    const owner = textOf(collection === "projects" ? inputs.project : inputs.orgId);
    const parent = inId?.[1] ?? `${collection}/${owner}`;
    const [before, after] = [old, op === "update" ? next : undefined].map((each) => each?.inputs.permissions ?? []);
    if (owner === "" || hiddenReasonOf([before, after]) !== undefined) return undefined;
    const [had, has] = [before, after].map((each) => listOf(each).map(textOf));
    return {
      step,
      role: inId?.[0] ?? `${parent}/roles/${textOf(inputs.roleId)}`,
      parent: fullNameIn(RESOURCE_MANAGER.api, parent),
      lost: (had ?? []).filter((each) => !has?.includes(each)),
      gained: (has ?? []).filter((each) => !had?.includes(each)),
    };
  }
}

function effectOf(
  { role, lost, gained }: CustomRoleStep,
  policies: readonly AccessPolicy[],
  hidden: HiddenValues,
): string {
  const holders = policies.flatMap((policy) =>
    distinctGrants(policy.after ?? {})
      .filter((grant) => grant.role === role)
      .map(({ member }) => `${hidden.shown(member)} on ${hidden.shownName(policy.resource)}`),
  );
  const changes = [
    ...(lost.length > 0 ? [`loses ${firstOf(lost, MOST)}`] : []),
    ...(gained.length > 0 ? [`gains ${firstOf(gained, MOST)}`] : []),
  ];
  if (changes.length === 0) return "";
  const who =
    holders.length === 0 ? "nobody has it" : `${firstOf(holders, MOST)} ${holders.length === 1 ? "has" : "have"} it`;
  return ` The role ${role} ${changes.join(" and ")}. By the policies that were read, ${who}.`;
}
