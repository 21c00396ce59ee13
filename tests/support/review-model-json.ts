/** The JSON of `pulumi preview --json`, `--save-plan` and `pulumi stack export`, as the real engine writes them. */
import type { Values } from "../../provider/core/unknown";
import type { Parent, ParentStep } from "./review-model-parents";
import { STORE_BINDING, STORE_GRANT, urnOf } from "./tokens";

/** A grant as the state has it. */
export interface Held {
  name: string;
  id: string;
  inputs: Values;
  outputs: Values;
  dependsOn: string[];
  /** `URN::ID`. */
  provider: string;
  retainOnDelete: boolean;
  /** Name of the resource that takes it along when it is deleted. */
  deletedWith?: string | undefined;
  /** The program reads it (`get`). */
  isRead: boolean;
  /** An update that failed deleted it and did not replace it (`pending`), or replaced it and did not delete it (`left`). */
  unfinished?: "pending" | "left";
}

/** A provider as the state has it, or as the program declares it. */
export interface HeldProvider {
  name: string;
  /** `URN::ID`. */
  reference: string;
  inputs: Values;
}

/** A step of the model on a grant. `left out`: by `--target`. */
export interface ModelStep {
  op: "create" | "same" | "update" | "replace" | "import" | "read" | "discard" | "delete" | "left out";
  name: string;
  /** The program reads the grant from now on. */
  isRead?: boolean;
  /** It takes over what is in the cloud. */
  isImport?: boolean;
  /** `URN::ID`. */
  provider: string;
  id?: string;
  inputs?: Values;
  old?: Held | undefined;
  next?: { retainOnDelete?: boolean; alias?: string; deletedWith?: string };
  deleteFirst?: boolean;
  /** Inputs that force the replacement. */
  keys?: string[];
}

/** What a plan has beside the steps on grants. */
export interface PlanContext {
  /** The stack's. */
  settings: Values;
  /** Providers in the state. */
  before: readonly HeldProvider[];
  /** Explicit providers of the program; undefined where no program runs. */
  now: readonly HeldProvider[] | undefined;
  /** False for a destroy of some resources. */
  deletesStack: boolean;
  hasOutputs: boolean;
  showSames: boolean;
  errors: readonly string[];
  /** Steps of other providers. */
  parents?: readonly ParentStep[];
  /** The messages of the provider. */
  said?: readonly Said[];
}

export interface Said {
  urn: string;
  message: string;
  severity: "info" | "warning";
}

type JsonStep = { op: string; urn: string } & Record<string, unknown>;

const STACK = "urn:pulumi:test::p::pulumi:pulumi:Stack::p-test";
const EXPLICIT = "pulumi:providers:perimeter";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/** The provider that the engine makes itself. */
export const DEFAULT = `${urnOf("default", EXPLICIT)}::a414745b-f797-4926-8a5f-7e9d91d97c37`;
/** The engine leaves the times of a plan's resources empty. */
const NEVER = { created: "0001-01-01T00:00:00Z", modified: "0001-01-01T00:00:00Z" };

/** Parents' names begin with the kind of resource that they are. */
const PARENTS = { store: "gcp:healthcare/fhirStore:FhirStore", dataset: "gcp:healthcare/dataset:Dataset" };
const FOREIGN_PROVIDER = `${urnOf("default", "pulumi:providers:gcp")}::6b1f2c0e-9b0f-4a4e-8f57-0c4f0f9a6a52`;

/** The names of role bindings; every other grant has one member. */
export const BINDING_NAMES = ["whole-a", "whole-b", "whole-c"];

/** The type of a resource of the model by its name: a grant, a role binding, or the parent of one. */
export function typeOf(name: string): string {
  if (BINDING_NAMES.includes(name)) return STORE_BINDING;
  return Object.entries(PARENTS).find(([kind]) => name.startsWith(kind))?.[1] ?? STORE_GRANT;
}

export const urnNamed = (name: string) => urnOf(name, typeOf(name));

export function referenceOf(name: string, id: string): string {
  return `${urnOf(name, EXPLICIT)}::${id}`;
}

const urnIn = (reference: string) => reference.slice(0, reference.lastIndexOf("::"));
const idIn = (reference: string) => reference.slice(reference.lastIndexOf("::") + 2);
/** The engine takes each provider with such a name for its own, and shows it in no plan. */
export const isDefaultName = (name: string) => name.startsWith("default");

export function planJson(steps: readonly ModelStep[], context: PlanContext): string {
  const { settings, before, now, deletesStack, hasOutputs, showSames, errors, parents = [], said = [] } = context;
  const known = new Set([DEFAULT, ...before.map(({ reference }) => reference)]);
  const shown = (reference: string) => (known.has(reference) ? reference : `${urnIn(reference)}::${UNKNOWN}`);
  const grants = [...parents.map(parentStep), ...steps.map((step) => grantStep(step, shown))];
  const explicit = before.filter(({ reference, name }) => reference !== DEFAULT && !isDefaultName(name));
  const stack = { urn: STACK, custom: false, type: "pulumi:pulumi:Stack", ...NEVER };
  const old = hasOutputs ? { ...stack, outputs: { shown: 1 } } : stack;
  const isDelete = ({ op }: JsonStep) => op === "delete" || op === "discard";
  const providers = (now ?? []).filter(({ name }) => !isDefaultName(name));
  const gone = explicit.filter(({ name }) => now && !now.some((each) => each.name === name));
  const same: JsonStep = { op: "same", urn: STACK, oldState: old, newState: now ? stack : old, detailedDiff: null };
  const all: JsonStep[] = deletesStack
    ? [
        ...grants,
        ...explicit.map((each) => providerStep(each, undefined)),
        { op: "delete", urn: STACK, oldState: old, detailedDiff: null },
      ]
    : [
        same,
        ...providers.map((each) => providerStep(newest(explicit, each.name), each)),
        ...grants.filter((step) => !isDelete(step)),
        ...grants.filter(isDelete),
        ...(errors.length > 0 ? [] : gone.map((each) => providerStep(each, undefined))),
      ];
  const changeSummary: Record<string, number> = {};
  for (const { op } of all) changeSummary[op] = (changeSummary[op] ?? 0) + 1;
  const config = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`perimeter:${key}`, String(value)]),
  );
  const diagnostics = [
    // Pulumi writes the severity in front of a message, except that of information.
    ...said.map(({ urn, message, severity }) => {
      return { urn, message: `${severity === "info" ? "" : "warning: "}${message}\n`, severity };
    }),
    ...errors.map((message) => ({ message: `error: ${message}\n`, severity: "error" })),
  ];
  // The step on the stack is always shown.
  const written = showSames ? all : all.filter((step) => step.op !== "same" || step === same);
  return JSON.stringify({ config, steps: written, diagnostics, duration: 698602778, changeSummary }, null, 2);
}

/** What `--save-plan` saves, as far as a review reads it: the providers, those with default names too. */
export function savedPlanJson({ before, now = [], settings }: PlanContext, usesDefault: boolean): string {
  const own = usesDefault ? [{ name: "default", reference: DEFAULT, inputs: settings }] : [];
  const plans = [...now, ...own].map(({ reference, inputs }) => {
    const old = before.find((each) => each.reference === reference);
    const op = old ? (JSON.stringify(old.inputs) === JSON.stringify(inputs) ? "same" : "update") : "create";
    const goal = { goal: reference === DEFAULT ? {} : { parent: STACK } };
    return [urnIn(reference), { ...goal, steps: [op], state: inputs }] as const;
  });
  return JSON.stringify({ resourcePlans: Object.fromEntries(plans) });
}

/** What `pulumi stack export` prints. */
export function stateJson(
  held: readonly Held[],
  parents: ReadonlyMap<string, Parent>,
  providers: readonly HeldProvider[],
  hasOutputs: boolean,
): string {
  const resources = [
    { urn: STACK, custom: false, type: "pulumi:pulumi:Stack", ...(hasOutputs ? { outputs: { shown: 1 } } : {}) },
    ...providers.map((each) => ({
      ...providerState(each),
      ...(each === newest(providers, each.name) ? {} : { delete: true }),
    })),
    ...[...parents].map(([name, parent]) => parentState(name, parent)),
    ...held.map((old) => ({
      ...grantState(old, old.provider),
      ...(old.unfinished ? { [old.unfinished === "left" ? "delete" : "pendingReplacement"]: true } : {}),
    })),
  ];
  return JSON.stringify({ version: 3, deployment: { resources } });
}

function grantState(old: Held, provider: string): Record<string, unknown> {
  return {
    custom: true,
    type: typeOf(old.name),
    parent: STACK,
    propertyDependencies: {},
    ...NEVER,
    urn: urnNamed(old.name),
    id: old.id,
    // The state has only what was read, and not what the program asked for.
    ...(old.isRead ? { external: true } : { inputs: old.inputs }),
    outputs: old.outputs,
    ...(old.dependsOn.length > 0 ? { dependencies: old.dependsOn.map((each) => urnNamed(each)) } : {}),
    ...optionsOf(old),
    provider,
  };
}

/** The options of a resource, as plans and states have them. */
function optionsOf({ retainOnDelete, deletedWith }: { retainOnDelete?: boolean; deletedWith?: string | undefined }) {
  return {
    ...(retainOnDelete ? { retainOnDelete } : {}),
    ...(deletedWith === undefined ? {} : { deletedWith: urnNamed(deletedWith) }),
  };
}

function parentState(name: string, { id, version, retainOnDelete }: Parent): Record<string, unknown> {
  const common = { custom: true, type: typeOf(name), parent: STACK, ...NEVER, ...optionsOf({ retainOnDelete }) };
  return { ...common, urn: urnNamed(name), id, inputs: { version }, outputs: { version }, provider: FOREIGN_PROVIDER };
}

function parentStep({ op, name, old, next }: ParentStep): JsonStep {
  const marks = next?.deleteBeforeReplace ? { pendingReplacement: true } : { delete: true };
  const oldState = old && { ...parentState(name, old), ...(op === "replace" ? marks : {}) };
  // What the engine leaves out keeps its outputs.
  const { id: _id, outputs, ...planned } = next ? parentState(name, next) : {};
  return {
    op: op === "left out" ? "same" : op,
    urn: urnNamed(name),
    provider: FOREIGN_PROVIDER,
    ...(oldState ? { oldState } : {}),
    ...(next ? { newState: { ...planned, ...(op === "left out" ? { outputs } : {}) } } : {}),
    detailedDiff: null,
  };
}

function grantStep(step: ModelStep, shown: (reference: string) => string): JsonStep {
  const { name, old, inputs, op, next = {}, keys, id, isRead, isImport } = step;
  const urn = urnNamed(name);
  const common = { custom: true, type: typeOf(name), parent: STACK, propertyDependencies: {}, ...NEVER };
  const provider = shown(step.provider);
  const oldState = old && {
    ...grantState(old, old.provider),
    ...(op === "replace" ? (step.deleteFirst ? { pendingReplacement: true } : { delete: true }) : {}),
  };
  if (op === "left out") {
    const nothing = { ...common, urn, provider };
    if (!oldState) return { op: "same", urn, provider, oldState: nothing, newState: nothing, detailedDiff: null };
    const { id: _id, ...copied } = oldState as { id?: unknown };
    return { op: "same", urn, provider: old?.provider, oldState, newState: copied, detailedDiff: null };
  }
  if (op === "delete" || op === "discard") return { op, urn, provider, oldState, detailedDiff: null };
  const read = { external: true, id, ...(op === "replace" ? { outputs: inputs } : {}) };
  const imported = isImport ? { id, importID: id, outputs: inputs } : {};
  const newState = {
    ...common,
    urn,
    ...(isRead ? read : { inputs, ...imported }),
    ...optionsOf(next),
    ...(next.alias === undefined ? {} : { aliases: [urnNamed(next.alias)] }),
    provider,
  };
  const reasons = keys ? { diffReasons: keys, replaceReasons: keys } : {};
  return { op, urn, provider, ...(oldState ? { oldState } : {}), newState, ...reasons, detailedDiff: null };
}

/** The last one of its name. */
export function newest(providers: readonly HeldProvider[], name: string): HeldProvider | undefined {
  return providers.filter((each) => each.name === name).at(-1);
}

function providerState({ reference, inputs }: HeldProvider): Record<string, unknown> {
  const parent = reference === DEFAULT ? {} : { parent: STACK };
  const [urn, id] = [urnIn(reference), idIn(reference)];
  return { urn, custom: true, type: EXPLICIT, ...parent, ...NEVER, id, inputs, outputs: inputs };
}

function providerStep(old: HeldProvider | undefined, now: HeldProvider | undefined): JsonStep {
  const urn = urnIn((now ?? old)?.reference ?? "");
  const oldState = old && providerState(old);
  if (!now) return { op: "delete", urn, oldState, detailedDiff: null };
  const newState = { urn, custom: true, type: EXPLICIT, parent: STACK, ...NEVER, inputs: now.inputs };
  if (!old) return { op: "create", urn, newState, detailedDiff: null };
  if (old.reference !== now.reference) {
    return { op: "replace", urn, oldState: { ...oldState, delete: true }, newState, detailedDiff: null };
  }
  const changed = JSON.stringify(old.inputs) !== JSON.stringify(now.inputs);
  return { op: changed ? "update" : "same", urn, oldState, newState, detailedDiff: null };
}
