import { stripVTControlCharacters } from "node:util";
import * as z from "zod";
import { isRecord, type Values } from "../core/unknown";
import { objectIn, wrong } from "./json-text";
import { readValues, SECRET } from "./plan-values";
import { plannedState, resourceShape, type PlannedState } from "./planned-state";

export type { PlannedState } from "./planned-state";

/** A plan as `pulumi preview --json` or `pulumi destroy --preview-only --json` writes it. */
export interface Plan {
  /**
   * A destroy of some resources alone (`--target`) looks like an update, and is one here. `access`: no plan of the engine,
   * but one in which nothing changes, to tell who has access now (`access/no-change.ts`).
   */
  operation: "update" | "destroy" | "access";
  /** Absent where no step names it. */
  stack?: string;
  project?: string;
  /** The stack's configuration by full key (`perimeter:project`). Secrets are `SECRET`. */
  config: Values;
  /** In the order in which the engine takes them. */
  steps: PlanStep[];
  /** The error messages of a preview that failed. Its steps are not all that the update would take. */
  errors: string[];
  /** Whether unchanged resources are in the plan: `--show-sames` was given, or there are none. */
  hasUnchanged: boolean;
}

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
}

const SUBJECT = "The plan cannot be read";
const COMMAND = "pulumi preview --json";
const STACK_TYPE = "pulumi:pulumi:Stack";

/** `PreviewDigest` of sdk/go/common/display/json.go, as far as it matters here. */
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
      }),
    )
    .nullish(),
  diagnostics: z.array(z.looseObject({ message: z.string().optional(), severity: z.string().optional() })).nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});
type Digest = z.infer<typeof digest>;
type Diagnostic = NonNullable<Digest["diagnostics"]>[number];

/**
 * Reads a plan.
 *
 * @param text what `pulumi preview --json` or `pulumi destroy --preview-only --json` printed.
 * @throws InputError, with one message that quotes nothing of the text, for what is no plan.
 */
export function readPlan(text: string): Plan {
  const json = objectIn(text, SUBJECT, COMMAND);
  const { success, data, error } = digest.safeParse(json);
  if (!success) throw wrong(SUBJECT, `is not what \`${COMMAND}\` prints: ${placeOf(error)} is not as it should be`);
  if (!data.steps && !data.changeSummary && !data.diagnostics) throw wrong(SUBJECT, otherKindOf(json));
  return planOf(data);
}

function planOf(data: Digest): Plan {
  const steps = (data.steps ?? []).map(stepOf);
  const [, stack, project] = steps.map(({ urn }) => /^urn:pulumi:(.+?)::(.+?)::/.exec(urn)).find(Boolean) ?? [];
  const unchanged = steps.filter(({ op }) => op === "same").length;
  return {
    operation: isDestroy(steps) ? "destroy" : "update",
    ...(stack === undefined ? {} : { stack }),
    ...(project === undefined ? {} : { project }),
    config: readConfig(data.config ?? {}),
    steps,
    errors: (data.diagnostics ?? []).filter(isError).map(messageOf),
    hasUnchanged: unchanged >= (data.changeSummary?.same ?? 0),
  };
}

function stepOf({ op, urn, provider, oldState, newState }: NonNullable<Digest["steps"]>[number]): PlanStep {
  return {
    op,
    urn,
    type: newState?.type ?? oldState?.type ?? typeIn(urn),
    ...(provider ? { provider } : {}),
    ...(oldState ? { old: plannedState(oldState) } : {}),
    ...(newState ? { new: plannedState(newState) } : {}),
  };
}

/** `urn:pulumi:{stack}::{project}::{types of the parents$}{type}::{name}`. */
function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** A setting of several values is a JSON text. One that has a secret in it is as good as secret. */
function readConfig(config: Values): Values {
  return Object.fromEntries(
    Object.entries(readValues(config)).map(([key, value]) => {
      const hasSecret = typeof value === "string" && value.includes('"[secret]"');
      return [key, hasSecret ? SECRET : value];
    }),
  );
}

function isDestroy(steps: readonly PlanStep[]): boolean {
  const changes = steps.filter(({ op }) => op !== "refresh");
  const deletes = changes.filter(({ op }) => op === "delete");
  return deletes.length > 0 && (deletes.length === changes.length || deletes.some(({ type }) => type === STACK_TYPE));
}

/**
 * A YAML program that cannot be evaluated has no diagnostic of severity `error`: its language host prints the error, with
 * this beginning (`hcl.NewDiagnosticTextWriter`).
 */
const YAML_ERROR = "\u001b[31mError\u001b[0m:";

function isError({ severity, message }: Diagnostic): boolean {
  return severity === "error" || (severity === "info#err" && message?.startsWith(YAML_ERROR) === true);
}

function messageOf({ message }: Diagnostic): string {
  return stripVTControlCharacters(message ?? "").trim();
}

/** What else of Pulumi's JSON it is, reads on from "The plan". */
function otherKindOf(json: Values): string {
  if (isRecord(json.deployment)) return `is a stack's state. Print the plan with \`${COMMAND}\``;
  if (isRecord(json.resourcePlans)) {
    return `is an update plan (\`--save-plan\`), which does not say enough. Print the plan with \`${COMMAND}\``;
  }
  return `is not what \`${COMMAND}\` prints`;
}

/** The place of the first problem: `steps[3].urn`. */
function placeOf(error: z.ZodError): string {
  const path = error.issues[0]?.path ?? [];
  return path.map((each, at) => (typeof each === "number" ? `[${each}]` : `${at ? "." : ""}${String(each)}`)).join("");
}
