import { textOf, UNKNOWN } from "../../provider/core/unknown";
import { grantKindOf, isMemberGrant } from "../meaning/grant-kinds";
import { MEANS_NOTHING, meaningOf, type GrantMeaning, type Meaning } from "../meaning/meaning";
import { isServiceAccount } from "../meaning/resource-kinds";
import { isOnComponent, withoutParts, type Plan, type PlanStep } from "./plan";
import type { PlannedState } from "./planned-state";
import { deletesLeftIn, Removals, type Removal } from "./removals";

/** A step of a plan, and what it means for access. */
export interface Step extends PlanStep {
  meaning: Meaning;
  /** The grant that it is on, if a rehearsal can carry it out. */
  grant?: GrantStep;
  /** When its old resource is deleted in the cloud. */
  removal: Removal;
  /** Whether the engine may skip that delete. */
  mayBeSkipped?: boolean;
}

/** A step of a plan on a grant of an API that the provider knows. */
export interface GrantStep extends PlanStep, GrantMeaning {
  /** The identity that the front gives to the provider: `__identity` for npm, the URN for the others. */
  identity: string;
}

/**
 * The steps of a plan: the deletes that an earlier update left to this one, which no plan shows, then those of the plan, without the parts
 * of replacements.
 */
export function stepsOf(plan: Plan, state: readonly PlannedState[] = []): Step[] {
  const removals = new Removals(plan, state);
  const steps = [...deletesLeftIn(state, plan), ...withoutParts(plan.steps)];
  const all = steps.map((step) => {
    const mayBeSkipped = removals.mayBeSkipped(step);
    return { ...withMeaning(step, removals.of(step)), ...(mayBeSkipped && { mayBeSkipped }) };
  });
  return withNewAccounts(all);
}

/**
 * The steps, in which an input that is not known yet stands for the new service accounts that it comes from, if it comes from nothing
 * else: each output that the update makes for one names this account alone, to which nobody has access before.
 */
function withNewAccounts(steps: readonly Step[]): Step[] {
  const isNew = ({ op, new: made, meaning }: Step) =>
    op === "create" && isServiceAccount(meaning.resource) && !made?.inputs.createIgnoreAlreadyExists;
  const accounts = new Set(steps.filter(isNew).map(({ urn }) => urn));
  return steps.map((step) => {
    const { inputsFrom = {}, stableInputs, inputs = {} } = step.new ?? {};
    const ofAccounts = Object.entries(inputsFrom).flatMap(([name, from]) =>
      inputs[name] === UNKNOWN && from.every((urn) => accounts.has(urn)) ? [[name, [...from].sort()] as const] : [],
    );
    if (!step.new || ofAccounts.length === 0) return step;
    return {
      ...step,
      new: { ...step.new, stableInputs: { ...(stableInputs ?? inputs), ...Object.fromEntries(ofAccounts) } },
    };
  });
}

/** @param removal default: it deletes nothing */
export function withMeaning(step: PlanStep, removal: Removal = "never"): Step {
  const grant = grantStepOf(step);
  const meaning = isOnComponent(step) ? MEANS_NOTHING : meaningOf(step.type);
  return { ...step, meaning, ...(grant && { grant }), removal };
}

/** The step on a grant, or undefined for other steps. */
export function grantStepOf(step: PlanStep): GrantStep | undefined {
  const { grant } = isOnComponent(step) ? MEANS_NOTHING : meaningOf(step.type);
  return grant && { ...step, ...grant, identity: grant.front === "npm" ? npmIdentityOf(step) : step.urn };
}

/** Whether `grantMode` decides what a grant does: not that of another provider, nor one that is added in each mode. */
export function hasGrantMode({ form, token }: GrantStep): boolean {
  return form === undefined && !grantKindOf(token).targets.alwaysMerges;
}

/** The npm front keeps the identity of a resource among its inputs. */
function npmIdentityOf({ old, new: planned, urn }: PlanStep): string {
  return textOf(planned?.inputs.__identity) || textOf(old?.inputs.__identity) || urn;
}

/** What a grant takes from everybody whom it does not name: nothing, its role under its condition, or the whole policy. */
export function ownershipOf({ form, token }: GrantStep): "nothing" | "role" | "policy" {
  if (form === "policy") return "policy";
  return (form === undefined ? isMemberGrant(token) : form === "member") ? "nothing" : "role";
}
