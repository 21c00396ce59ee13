import * as z from "zod";
import { jsonIn } from "../../provider/core/json";
import { parsePath } from "../../provider/core/problem";
import { isRecord, type Values } from "../../provider/core/unknown";
import { isView } from "../result/packages";
import { stackIn, typeIn } from "../result/urn";
import { diagnosticShape, saidIn, type Said } from "./diagnostics";
import { objectIn, wrong } from "./json-text";
import { withoutMadeUpNames } from "./made-up-names";
import { readValues, SECRET } from "./plan-values";
import {
  inCamelCase,
  plannedState,
  PROVIDER_TYPE,
  resourceShape,
  STACK_TYPE,
  type PlannedState,
} from "./planned-state";

/** A plan as `pulumi preview --json` or `pulumi destroy --preview-only --json` writes it. */
export interface Plan extends Said {
  /** The command of the plan: `pulumi up` or `pulumi destroy`. */
  operation: Command;
  /** Whether nobody said which command it is, and the plan does not show it: that of an update, or of a destroy of some resources. */
  mayBeDestroy?: boolean;
  /** Absent when no step names it. */
  stack?: string;
  project?: string;
  /** The stack's configuration by full key (`perimeter:project`). Secrets are `SECRET`. */
  config: Values;
  /** In the order of the engine. */
  steps: PlanStep[];
  /** The version of Pulumi that made the plan, `v3.250.0`. Absent where nothing names it: the printed plan does not. */
  engine?: string;
  /** Whether the preview ended before its first step: then the plan has neither steps nor a summary, and perhaps no error. */
  isCut?: true;
  /** Whether the plan has all unchanged resources: `--show-sames` was given, or there are none. */
  hasUnchanged: boolean;
  /** The number of unchanged resources that the plan counts but does not show. */
  unchangedNotShown: number;
  /**
   * Whether the plan has all providers, including those whose names begin with `default`, which the printed plan always omits.
   */
  hasAllProviders?: boolean;
}

export type Command = "update" | "destroy";

export interface PlanStep {
  /** `create`, `update`, `replace` (one step with both states), `delete`, `same`, `refresh`, `read`, `import` and others. */
  op: string;
  urn: string;
  /** The resource's type: `perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember`. */
  type: string;
  /** `URN::ID` of the provider. Absent for components and for providers themselves. */
  provider?: string;
  old?: PlannedState;
  new?: PlannedState;
  /** Of an update or a replacement: the inputs that the provider says to change. Absent if it says nothing. */
  changed?: readonly string[];
}

const SUBJECT = "The plan cannot be read";
const COMMAND = "pulumi preview --json";

/** The relevant part of `PreviewDigest` of sdk/go/common/display/json.go. */
const digest = z.looseObject({
  config: z.record(z.string(), z.unknown()).nullish(),
  steps: z
    .array(
      z.looseObject({
        op: z.string(),
        urn: z.string(),
        provider: z.string().optional(),
        oldState: resourceShape.nullish(),
        newState: resourceShape.nullish(),
        diffReasons: z.array(z.string()).nullish(),
        replaceReasons: z.array(z.string()).nullish(),
        detailedDiff: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .nullish(),
  diagnostics: z.array(diagnosticShape).nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});
type Digest = z.infer<typeof digest>;

/**
 * Reads a plan.
 *
 * @param text the output of `pulumi preview --json` or `pulumi destroy --preview-only --json`.
 * @param command that the plan is of; undefined if only the text can say it. Then it counts as an update.
 * @throws InputError, with one message that quotes nothing of the text, when the text is not a complete plan.
 */
export function readPlan(text: string, command?: Command): Plan {
  const json = objectIn(text, SUBJECT, COMMAND);
  const { success, data, error } = digest.safeParse(json);
  if (!success) throw wrong(SUBJECT, `is not what \`${COMMAND}\` prints: ${placeOf(error)} is invalid`);
  if (!data.steps && !data.changeSummary && !data.diagnostics) throw wrong(SUBJECT, otherKindOf(json));
  const missing = missingSteps(data);
  if (missing !== undefined) throw wrong(SUBJECT, `is only a part of what \`${COMMAND}\` prints: ${missing}`);
  return planOf(data, command);
}

/** The relevant part of `PlanDiff` and the types around it in sdk/go/common/apitype/plan.go. */
const savedPlan = z.looseObject({
  manifest: z.looseObject({ version: z.string().optional() }).nullish(),
  resourcePlans: z.record(
    z.string(),
    z.looseObject({
      goal: z.looseObject({ parent: z.string().optional() }).nullish(),
      steps: z.array(z.string()).nullish(),
      state: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
});

/**
 * Adds what a printed plan omits: the version of Pulumi, and the settings of the providers whose names begin with `default`.
 *
 * @param text the file of `pulumi preview --save-plan`. With any other text, the plan stays unchanged.
 */
export function withSavedPlan(plan: Plan, text: string): Plan {
  const { success, data } = savedPlan.safeParse(jsonIn(text));
  if (!success) return plan;
  const isShown = new Set(plan.steps.map(({ urn }) => urn));
  const hidden = Object.entries(data.resourcePlans).flatMap(([urn, saved]): PlanStep[] => {
    const { goal, steps, state: inputs } = saved;
    const type = typeIn(urn);
    if (!isProviderType(type) || isShown.has(urn) || !inputs) return [];
    const op = steps?.find((each) => each === "same" || each === "update") ?? "create";
    return [{ op, urn, type, new: plannedState({ urn, type, inputs, parent: goal?.parent }) }];
  });
  const version = data.manifest?.version ?? "";
  // A build without a version has another text, or none.
  const engine = /^v?\d+\.\d+\.\d+/.test(version) ? { engine: version } : {};
  return { ...plan, steps: [...hidden, ...plan.steps], hasAllProviders: true, ...engine };
}

/** Operations that the summary counts but the steps may omit: unchanged resources, and results of a refresh. */
const NOT_ALL_SHOWN = ["same", "refresh"];

/** The first operation that the summary counts more often than the steps. */
function missingSteps({ steps, changeSummary }: Digest): string | undefined {
  for (const [op, count] of Object.entries(changeSummary ?? {})) {
    const shown = (steps ?? []).filter((step) => step.op === op).length;
    if (shown < count && !NOT_ALL_SHOWN.includes(op)) {
      return `its summary counts the operation ${op} ${count} times, and its steps have it ${shown} times`;
    }
  }
  return undefined;
}

function planOf(data: Digest, command?: Command): Plan {
  const steps = withoutMadeUpNames((data.steps ?? []).map(stepOf));
  const unchanged = steps.filter(({ op }) => op === "same").length;
  const unchangedNotShown = Math.max(0, (data.changeSummary?.same ?? 0) - unchanged);
  const isCut = !data.steps && !data.changeSummary;
  return {
    ...commandOf(steps, command),
    ...stackIn(steps),
    config: readConfig(data.config ?? {}),
    steps,
    ...(isCut ? { isCut } : {}),
    ...saidIn(data.diagnostics ?? [], isCut),
    hasUnchanged: unchangedNotShown === 0,
    unchangedNotShown,
  };
}

function stepOf(step: NonNullable<Digest["steps"]>[number]): PlanStep {
  const { op, urn, provider, oldState, newState, diffReasons, replaceReasons, detailedDiff } = step;
  const reasons = [...(diffReasons ?? []), ...Object.keys(detailedDiff ?? {})];
  // The reasons of a replacement alone are no list of what changes.
  const paths = reasons.length > 0 ? [...reasons, ...(replaceReasons ?? [])] : [];
  const type = newState?.type ?? oldState?.type ?? typeIn(urn);
  const names = paths.map((path) => String(parsePath(path)[0] ?? ""));
  const changed = [...new Set(isView(type) ? names.map(inCamelCase) : names)];
  return {
    op,
    urn,
    type,
    ...(provider ? { provider } : {}),
    ...(oldState ? { old: plannedState(oldState) } : {}),
    ...(newState ? { new: plannedState(newState) } : {}),
    ...(changed.length > 0 ? { changed } : {}),
  };
}

/** Parts of a replacement (`--show-replacement-steps`). The plan also has a step for the whole replacement. */
const PARTS = ["create-replacement", "delete-replaced", "import-replacement", "read-replacement"];

/** The steps without the parts of replacements that have a step of their own. */
export function withoutParts(steps: readonly PlanStep[]): PlanStep[] {
  const replaced = new Set(steps.filter(({ op }) => op === "replace").map(({ urn }) => urn));
  return steps.filter(({ op, urn }) => !(PARTS.includes(op) && replaced.has(urn)));
}

/** Whether the step is on a component, which only groups resources, whatever its type is called. */
export function isOnComponent({ old, new: next }: Pick<PlanStep, "old" | "new">): boolean {
  return (next ?? old)?.isComponent === true;
}

/** A step on a resource of the state. */
export function stepOn(old: PlannedState, op: string): PlanStep {
  const { urn, type, provider } = old;
  return { op, urn, type, ...(provider ? { provider } : {}), old };
}

/** A setting of several values is a JSON text. It counts as secret when any of the values is secret. */
function readConfig(config: Values): Values {
  return Object.fromEntries(
    Object.entries(readValues(config)).map(([key, value]) => {
      const hasSecret = typeof value === "string" && value.includes('"[secret]"');
      return [key, hasSecret ? SECRET : value];
    }),
  );
}

/** A plan without steps, for the settings of a stack whose resources are in its state. @param config as in a plan */
export function emptyPlan(config: Values): Plan {
  const nothing = { steps: [], errors: [], announced: [], previewed: [] };
  return { operation: "update", ...nothing, config, hasUnchanged: false, unchangedNotShown: 0 };
}

/** Only a destroy of all resources deletes the stack. That of some resources prints the same as an update that deletes them. */
function commandOf(steps: readonly PlanStep[], given?: Command): Pick<Plan, "operation" | "mayBeDestroy"> {
  if (given !== undefined || !mayBeOfDestroy(steps)) return { operation: given ?? "update" };
  const isOfAll = steps.some(({ op, type }) => op === "delete" && type === STACK_TYPE);
  return isOfAll ? { operation: "destroy" } : { operation: "update", mayBeDestroy: true };
}

/**
 * Whether a destroy may have printed a plan: it has deletes alone, and nothing shows that a program has run. With `--run-program`, a
 * program registers resources that the destroy then deletes.
 */
function mayBeOfDestroy(steps: readonly PlanStep[]): boolean {
  const deletes = steps.filter(({ op }) => op === "delete" || op === "discard");
  const others = steps.filter(({ op, type }) => !["same", "refresh"].includes(op) && !isProviderType(type));
  if (deletes.length === 0 || others.some((step) => !deletes.includes(step))) return false;
  const registered = new Set(steps.filter(({ op }) => op === "same").map(({ urn }) => urn));
  return hasRunProgram(steps) !== true || deletes.some(({ urn }) => registered.has(urn));
}

/** Whether a program ran for a plan: that of an update, or of a destroy with `--run-program`. */
export function runsProgram({ operation, steps }: Plan): boolean {
  return operation === "update" || hasRunProgram(steps) === true;
}

/**
 * Whether a program has run: resources that it registers have no outputs yet, and others keep the outputs of the state.
 * Undefined when the stack has no outputs, because both cases then look the same.
 */
function hasRunProgram(steps: readonly PlanStep[]): boolean | undefined {
  const has = (state: PlannedState | undefined) => Object.keys(state?.outputs ?? {}).length > 0;
  const kept = steps.filter(({ op, old }) => op === "same" && has(old));
  if (kept.some(({ new: planned }) => !has(planned))) return true;
  return kept.some(({ type }) => type === STACK_TYPE) ? false : undefined;
}

export function isProviderType(type: string): boolean {
  return type.startsWith(PROVIDER_TYPE);
}

/** Names other JSON of Pulumi that was given in place of a plan: the rest of a sentence after "The plan". */
function otherKindOf(json: Values): string {
  if (isRecord(json.deployment)) return `is a stack's state. Print the plan with \`${COMMAND}\``;
  if (isRecord(json.resourcePlans)) {
    return `is an update plan (\`--save-plan\`), which has too little information. Print the plan with \`${COMMAND}\``;
  }
  return `is not what \`${COMMAND}\` prints`;
}

/** The place of the first problem: `steps[3].urn`. */
function placeOf(error: z.ZodError): string {
  const path = error.issues[0]?.path ?? [];
  return path.map((each, at) => (typeof each === "number" ? `[${each}]` : `${at ? "." : ""}${String(each)}`)).join("");
}
