/** The JSON of `pulumi preview --json --show-sames`, as the real engine writes it. */
import type { Values } from "../../provider/core/unknown";
import { STORE_GRANT, urnOf } from "./tokens";

/** A grant as the state has it. */
export interface Held {
  name: string;
  id: string;
  inputs: Values;
  outputs: Values;
  dependsOn: string[];
  provider: string | undefined;
  retainOnDelete: boolean;
}

/** A step of the model on a grant. `left out`: by `--target`. */
export interface ModelStep {
  op: "create" | "same" | "update" | "replace" | "delete" | "left out";
  name: string;
  provider: string | undefined;
  inputs?: Values;
  old?: Held | undefined;
  next?: { retainOnDelete?: boolean; alias?: string };
  deleteFirst?: boolean;
  /** Inputs that force the replacement. */
  keys?: string[];
}

type JsonStep = { op: string } & Record<string, unknown>;

const STACK = "urn:pulumi:test::p::pulumi:pulumi:Stack::p-test";
const DEFAULT = "urn:pulumi:test::p::pulumi:providers:perimeter::default::a414745b-f797-4926-8a5f-7e9d91d97c37";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const EXPLICIT = "pulumi:providers:perimeter";
/** The engine leaves the times of a plan's resources empty. */
const NEVER = { created: "0001-01-01T00:00:00Z", modified: "0001-01-01T00:00:00Z" };

/**
 * @param before explicit providers in the state, by name.
 * @param now explicit providers of the program; undefined for a destroy.
 */
export function planJson(
  steps: readonly ModelStep[],
  settings: Values,
  before: Record<string, Values>,
  now: Record<string, Values> | undefined,
  errors: readonly string[],
): string {
  const isNew = (provider: string) => !(provider in before);
  const reference = (provider: string | undefined, old: boolean) =>
    provider === undefined
      ? DEFAULT
      : `${urnOf(provider, EXPLICIT)}::${!old && isNew(provider) ? UNKNOWN : `id-of-${provider}`}`;
  const grants = steps.map((step) => grantStep(step, reference));
  const stack = { urn: STACK, custom: false, type: "pulumi:pulumi:Stack", ...NEVER };
  const isDelete = (step: { op: string }) => step.op === "delete";
  const all: JsonStep[] = now
    ? [
        { op: "same", urn: STACK, oldState: stack, newState: stack, detailedDiff: null },
        ...Object.entries(now).map(([name, inputs]) => providerStep(name, before[name], inputs)),
        ...grants.filter((step) => !isDelete(step)),
        ...grants.filter(isDelete),
        ...(errors.length > 0
          ? []
          : Object.entries(before)
              .filter(([name]) => !(name in now))
              .map(([name, inputs]) => providerStep(name, inputs, undefined))),
      ]
    : [
        ...grants,
        ...Object.entries(before).map(([name, inputs]) => providerStep(name, inputs, undefined)),
        { op: "delete", urn: STACK, oldState: stack, detailedDiff: null },
      ];
  const changeSummary: Record<string, number> = {};
  for (const { op } of all) changeSummary[op] = (changeSummary[op] ?? 0) + 1;
  const config = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`perimeter:${key}`, String(value)]),
  );
  const diagnostics = errors.map((message) => ({ message: `error: ${message}\n`, severity: "error" }));
  return JSON.stringify({ config, steps: all, diagnostics, duration: 698602778, changeSummary }, null, 2);
}

function grantStep(step: ModelStep, reference: (provider: string | undefined, old: boolean) => string): JsonStep {
  const { name, old, inputs, op, next = {}, keys } = step;
  const urn = urnOf(name);
  const common = { custom: true, type: STORE_GRANT, parent: STACK, propertyDependencies: {}, ...NEVER };
  const provider = op === "delete" ? reference(old?.provider, true) : reference(step.provider, false);
  const oldState = old && {
    ...common,
    urn: urnOf(old.name),
    ...(op === "replace" ? (step.deleteFirst ? { pendingReplacement: true } : { delete: true }) : {}),
    id: old.id,
    inputs: old.inputs,
    outputs: old.outputs,
    ...(old.dependsOn.length > 0 ? { dependencies: old.dependsOn.map((each) => urnOf(each)) } : {}),
    ...(old.retainOnDelete ? { retainOnDelete: true } : {}),
    provider: reference(old.provider, true),
  };
  if (op === "left out") {
    const nothing = { ...common, urn, provider };
    if (!oldState) return { op: "same", urn, provider, oldState: nothing, newState: nothing, detailedDiff: null };
    const { id: _id, ...copied } = oldState;
    return { op: "same", urn, provider: oldState.provider, oldState, newState: copied, detailedDiff: null };
  }
  if (op === "delete") return { op, urn, provider, oldState, detailedDiff: null };
  const newState = {
    ...common,
    urn,
    inputs,
    ...(next.retainOnDelete ? { retainOnDelete: true } : {}),
    ...(next.alias === undefined ? {} : { aliases: [urnOf(next.alias)] }),
    provider,
  };
  const reasons = keys ? { diffReasons: keys, replaceReasons: keys } : {};
  return { op, urn, provider, ...(oldState ? { oldState } : {}), newState, ...reasons, detailedDiff: null };
}

function providerStep(name: string, old: Values | undefined, now: Values | undefined): JsonStep {
  const urn = urnOf(name, EXPLICIT);
  const common = { urn, custom: true, type: EXPLICIT, parent: STACK, ...NEVER };
  const oldState = old && { ...common, id: `id-of-${name}`, inputs: old, outputs: old };
  if (!now) return { op: "delete", urn, oldState, detailedDiff: null };
  const newState = { ...common, inputs: now };
  if (!oldState) return { op: "create", urn, newState, detailedDiff: null };
  const changed = JSON.stringify(old) !== JSON.stringify(now);
  return { op: changed ? "update" : "same", urn, oldState, newState, detailedDiff: null };
}
