import { PACKAGE_NAME } from "../../provider/core/definition";
import type { Environment } from "../../provider/core/environment";
import { textOf, type Values } from "../../provider/core/unknown";
import { foreignSteps, namedSteps, statedSteps } from "../plan/foreign-steps";
import { HiddenValues } from "../plan/hidden-values";
import { NewResources } from "../plan/new-resources";
import type { Plan, PlanStep } from "../plan/plan";
import { planLimits } from "../plan/plan-limits";
import { differInDestroy, providerSettings } from "../plan/provider-settings";
import { sourcesOf } from "../plan/sources";
import { readStackState, whyOfAnotherPlan, withReadableSecrets } from "../plan/state";
import { stepsOf } from "../plan/steps";
import { GCP, NATIVE, packageOf } from "../result/packages";
import { itemsOf, type Item } from "../result/items";
import { NOT_READ } from "../result/notes";
import type { Found } from "../result/result";
import { stackIn } from "../result/urn";
import { rehearse, type Rehearsed } from "./rehearse";
import { declaredByStated, takenByStated } from "./stated-claims";
import { unchangedIn, type RehearsalRequest } from "./tasks";

/** What is known beside a plan. */
export interface PlanContext extends Pick<RehearsalRequest, "live" | "inherited" | "all"> {
  /** The output of `pulumi stack export`. */
  state?: string;
  /** The reason for a missing state, as a clause. */
  stateProblem?: string;
  configuration?: Readonly<Values>;
  environment?: Environment;
  /** What a rule about other providers says of a type that it names; undefined for all others. @default it names none */
  verdictOn?: (type: string) => "unknown" | "fail" | undefined;
  /** Sentences for the notes. */
  notes?: readonly string[];
  /** The folder of the plan's project, or a folder below. */
  cwd?: string;
}

/** What a review of a plan finds, before the verdict of rules. */
interface PlanFindings extends Rehearsed {
  /** The values that must leave the review only through `scrubbed`. */
  hidden: HiddenValues;
}

export async function foundIn(shown: Plan, options: PlanContext): Promise<PlanFindings> {
  const { environment = process.env, inherited, all, live } = options;
  const exported = options.state === undefined ? undefined : readStackState(options.state);
  // A preview that ended before its first step names no stack.
  const plan = { ...stackIn(exported?.resources ?? []), ...shown };
  const whyNot = exported && whyOfAnotherPlan(plan, exported);
  const state = whyNot === undefined ? exported : undefined;
  const resources = state?.resources;
  const given = withNamespace(options.configuration ?? {});
  const hidden = new HiddenValues(plan, exported?.resources, given);
  const readable = withReadableSecrets(plan, resources ?? []);
  const sources = { state: resources, given };
  const settings = providerSettings(readable, sources);
  const steps = stepsOf(plan, resources);
  const created = new NewResources(steps);
  const projectOf = (step: PlanStep) => {
    const { places = {}, values } = settings.of(step);
    const ofProvider = packageOf(step.type) === NATIVE ? values : places;
    const ofStack = [packageOf(step.type), GCP].map((name) => plan.config[`${name}:project`]);
    return [ofProvider.project, ...ofStack].map(textOf).find((text) => text !== "");
  };
  const foreign = foreignSteps(steps, created, projectOf);
  const request = {
    plan: readable,
    // A state with secrets in plain text shows what the plan hides. Without one, the two plans are the same.
    steps: readable === plan ? steps : stepsOf(readable, resources),
    settings,
    state: resources,
    hidden,
    environment,
    created,
    inherited,
    all,
    foreign,
    ...(live && { live }),
  };
  const rehearsal = await rehearse(request).catch((error: unknown) => {
    throw hidden.scrubbedError(error);
  });
  const { found: rehearsed, declared, takes } = rehearsal;
  const limits = planLimits(plan, steps, state, {
    why: whyNot ?? options.stateProblem,
    differs: plan.mayBeDestroy === true && differInDestroy(readable, sources),
  });
  const { verdictOn } = options;
  const named = verdictOn ? namedSteps(steps, verdictOn, stepsSaidIn(rehearsed)) : [];
  const unknown = [...limits.unknown, ...rehearsed.unknown, ...named];
  const found = {
    ...rehearsed,
    ...(options.cwd !== undefined && (await sourcesOf({ ...rehearsed, unknown }, plan, resources ?? [], options.cwd))),
    unknown,
    notes: [
      ...limits.notes,
      ...foreign.flatMap(({ note }) => note ?? []),
      ...rehearsed.notes,
      ...(options.notes ?? []),
      NOT_READ,
    ],
  };
  const stated = statedSteps([...unchangedIn(plan, resources), ...steps], projectOf);
  return {
    found,
    declared: [...declared, ...declaredByStated(stated)],
    takes: [...takes, ...takenByStated(foreign)],
    hidden,
  };
}

/** The steps of which a rule about other providers can say something. */
function stepsSaidIn(rehearsed: Found): Parameters<typeof namedSteps>[2] {
  const items = itemsOf({ ...rehearsed, unknown: [] });
  const stepsOf = (said: readonly Item[]) => new Set(said.flatMap(({ steps }) => steps));
  return {
    unknown: stepsOf(items.filter(({ fact }) => fact?.code === "other provider")),
    changed: stepsOf(items.filter(({ change }) => change)),
  };
}

function withNamespace(configuration: Readonly<Values>): Values {
  const entries = Object.entries(configuration);
  return Object.fromEntries(entries.map(([key, value]) => [key.includes(":") ? key : `${PACKAGE_NAME}:${key}`, value]));
}
