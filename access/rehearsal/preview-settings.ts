import type { ServiceDefinition } from "../../provider/core/definition";
import { isDecisiveKey } from "../../provider/core/config/definition";
import { textOfSetting, type Setting, type StatedSettings } from "../../provider/services/shared/stated-settings";
import { grantKindOf, resourceNamed } from "../meaning/grant-kinds";
import { grantStepOf, hasGrantMode, type GrantStep } from "../plan/steps";
import type { Plan } from "../plan/plan";
import type { AccessPolicy } from "../live/access-policy";
import type { Uncertainty } from "../result/result";
import { shortNameOf, typeIn } from "../result/urn";
import type { StackClouds } from "../live/clouds";
import type { PlannedGrant } from "../plan/planned-grant";
import type { Tasks } from "./tasks";

/**
 * The settings of a plan's preview, as far as the preview stated them (`unplannedSettings`). A provider that previewed a grant
 * and stated nothing used the settings in the plan.
 */
export class PreviewSettings {
  /** By front and API, and by provider; without a provider for a grant that has no step in the plan because of `--target`. */
  private readonly stated = new Map<string, StatedSettings>();

  constructor(
    { previewed }: Plan,
    { inOrder }: Tasks,
    private readonly clouds: StackClouds,
  ) {
    const previewedGrants = new Map(inOrder.map(({ step, wanted }) => [step.urn, wanted]));
    for (const { urn, settings } of previewed) {
      const wanted = previewedGrants.get(urn);
      const grant = grantStepOf({ op: "create", urn, type: typeIn(urn) });
      const key = wanted ? this.keyOf(wanted) : grant && keyOf(grant);
      if (key !== undefined) this.stated.set(key, { ...this.stated.get(key), ...settings });
    }
  }

  /** Notes when the provider of a grant may have other settings in the update than in the rehearsal. */
  noteDoubts(policy: AccessPolicy, grant: PlannedGrant): void {
    const { key, doubt, isKnown } = this.clouds.of(grant.step).settings;
    const note = (code: Uncertainty["code"], why: string) => {
      const message = `It is unknown which settings the provider ${shortNameOf(key)} has in the update: ${why}`;
      policy.noteUnknown({ code, message });
    };
    const used = isKnown ? ". The review used the known settings" : "";
    if (doubt !== undefined) note("incomplete plan", `${doubt}${used}`);
    const difference = this.doubtOf(grant);
    if (difference !== undefined) note("differs from preview", difference);
  }

  /** The reason why the update may use other settings than the rehearsal, as a clause; undefined without such a reason. */
  doubtOf(grant: PlannedGrant): string | undefined {
    const stated = this.stated.get(this.keyOf(grant));
    const cloud = this.clouds.of(grant.step);
    const { isKnown, hidden } = cloud.settings;
    if (!stated || !isKnown || hidden.some(isDecisiveKey)) return undefined;
    const service = serviceOf(grant);
    const used = cloud.grantSettings(service);
    const previewed = { ...cloud.plannedSettings(service), ...this.stated.get(keyOf(grant.step)), ...stated };
    const deciding = hasGrantMode(grant.step) ? (["grantMode", "endpoint"] as const) : (["endpoint"] as const);
    const differences = deciding.flatMap((name) => {
      const [then, now] = [previewed[name], used[name]];
      return then && then.value !== now.value ? [{ name, then, now }] : [];
    });
    if (differences.length === 0) return undefined;
    const isOfEnvironment = differences.some(({ then, now }) => (then.variable ?? now.variable) !== undefined);
    const clauses = differences.map(({ name, then, now }) => DIFFERENCE[name](then, now));
    return `the preview worked ${clauses.join("; ")}. ${isOfEnvironment ? ONE_ENVIRONMENT : ANOTHER_NAME}`;
  }

  private keyOf(grant: PlannedGrant): string {
    const { step } = grant;
    return `${step.front} ${serviceOf(grant).api} ${this.clouds.of(step).settings.key}`;
  }
}

/** The API of a grant; that of its type, where the plan does not show the resource. */
function serviceOf({ resource, step }: PlannedGrant): ServiceDefinition {
  return resource === undefined ? grantKindOf(step.token).definition.service : resourceNamed(resource).kind.service;
}

function keyOf({ front, token }: Pick<GrantStep, "front" | "token">): string {
  return `${front} ${grantKindOf(token).definition.service.api}`;
}

const DIFFERENCE = {
  grantMode: (then: Setting, now: Setting) =>
    `in grant mode ${textOfSetting(then)}, and this review in ${textOfSetting(now)}`,
  endpoint: (then: Setting, now: Setting) =>
    `with the API at ${textOfSetting(then)}, and this review with ${textOfSetting(now)}`,
};

const ONE_ENVIRONMENT =
  "Run the preview, the review and the update with the same environment variables and the same version of this package";
/** The plan has no settings of such a provider. */
const ANOTHER_NAME =
  "The program seems to declare this provider, and Pulumi shows no provider whose name begins with `default` in a plan: give " +
  "it another name";
