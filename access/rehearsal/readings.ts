import type { Environment } from "../../provider/core/environment";
import type { HiddenValues } from "../plan/hidden-values";
import { grantStepOf } from "../plan/grant-steps";
import type { Plan, Reading } from "../plan/plan";
import { providerSettings, type ProviderSettings, type SettingsSources } from "../plan/provider-settings";
import type { AccessChanged, ReviewedResource, Uncertainty, Unjudged } from "../result/result";
import { principalText } from "../result/sentences";
import { andMore } from "../result/visible";
import { rehearse, type Rehearsed } from "./rehearse";
import type { RehearsalRequest } from "./tasks";

/**
 * Rehearses a plan as each command that can have printed it. The result is that of the most likely command. When another
 * command has another outcome, the result says that it is unknown who loses access.
 */
export async function rehearseReadings(
  plan: Plan,
  sources: SettingsSources,
  hidden: HiddenValues,
  environment: Environment,
  { inherited, all, ...common }: Scope,
): Promise<Rehearsed> {
  const [first, ...others] = distinctReadings(plan, sources);
  const rehearsed = (reading: ReadPlan, more: Pick<Scope, "inherited" | "all">) =>
    rehearse({ ...reading, state: sources.state, hidden, environment, ...common, ...more });
  const found = await rehearsed(first, { inherited, all });
  const { result } = found;
  for (const other of others) {
    const { result: otherwise } = await rehearsed(other, { inherited: false });
    if (outcomeOf(otherwise) === outcomeOf(result)) continue;
    const unknown = whichCommand(first.plan, other.plan, lossesOf(otherwise, result));
    return { ...found, result: { ...result, unknown: [unknown, ...result.unknown] } };
  }
  return found;
}

/** What a review covers. */
export type Scope = Pick<RehearsalRequest, "created" | "inherited" | "all" | "foreign" | "live">;

interface ReadPlan {
  plan: Plan;
  settings: ProviderSettings;
}

/** The readings that can differ, by their operation or by the settings of a provider that loses a resource. */
function distinctReadings(plan: Plan, sources: SettingsSources): [ReadPlan, ...ReadPlan[]] {
  const leaving = plan.steps.filter(({ op, old }) => old && op !== "same" && op !== "refresh").filter(grantStepOf);
  const read = (reading: Partial<Reading>): ReadPlan => {
    const as = { ...plan, ...reading };
    return { plan: as, settings: providerSettings(as, sources) };
  };
  const settingsIn = ({ settings }: ReadPlan) =>
    leaving.map(({ type, old }) => {
      const { values, hidden, isKnown } = settings.of({ type, provider: old?.provider });
      return [values, hidden, isKnown];
    });
  const keyOf = (each: ReadPlan) => JSON.stringify([each.plan.operation, settingsIn(each)]);
  const first = read({});
  const seen = new Set([keyOf(first)]);
  const others = leaving.length === 0 ? [] : (plan.otherReadings ?? []).map(read);
  return [first, ...others.filter((each) => !seen.has(keyOf(each)) && seen.add(keyOf(each)))];
}

function outcomeOf({ resources, refused, unknown }: Unjudged): string {
  const policies = resources.filter((each) => each.changes.length + each.unknown.length > 0);
  return JSON.stringify([
    policies.map((each) => [each.endpoint, each.resource, each.changes, each.unknown]),
    refused,
    unknown,
  ]);
}

/** Sentences on the losses that only one of the results has. */
function lossesOf(result: Unjudged, other: Unjudged): string[] {
  const sentence = ({ resource, endpoint }: ReviewedResource, { principal, role }: AccessChanged) =>
    `${principalText(principal)} loses ${role} on ${resource}${endpoint ? ` at ${endpoint}` : ""}`;
  const sentences = ({ resources }: Unjudged) =>
    resources.flatMap((each) =>
      each.changes.filter(({ change }) => change !== "gained").map((change) => sentence(each, change)),
    );
  const known = new Set(sentences(other));
  return sentences(result).filter((each) => !known.has(each));
}

const COMMANDS = { update: "pulumi up", destroy: "pulumi destroy" } as const;

function whichCommand(first: Plan, other: Plan, [loss, ...more]: readonly string[]): Uncertainty {
  const [shown, otherwise] = [COMMANDS[first.operation], COMMANDS[other.operation]];
  const what =
    shown === otherwise
      ? "a default provider that no resource of the plan uses has the settings of the state, or those of the stack if the " +
        "program calls a function with it. This review used those of the state"
      : `${shown} and ${otherwise} can print this plan. This review is for ${shown}. For a review of the other command, use ` +
        `--stack${otherwise === COMMANDS.destroy ? " and --destroy" : ""}`;
  const losses = loss === undefined ? "" : `. Otherwise, ${loss}${andMore(more.length)}`;
  return { code: "incomplete plan", message: `It is unknown who loses access: ${what}${losses}` };
}
