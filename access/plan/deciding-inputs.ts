import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { jsonIn } from "../../provider/core/json";
import { isRecord, textOf } from "../../provider/core/unknown";
import { valueAt, type ForeignKind } from "../meaning/meaning";
import { hiddenReasonOf } from "./hidden-values";
import type { PlanStep } from "./plan";
import { SECRET } from "./plan-values";
import type { PlannedState } from "./planned-state";
import { isDelete } from "./removals";
import type { Step } from "./steps";

/** The inputs of a step that decide about access: whether the step changes them, and a digest by which two reviews compare them. */

/** A step without the secrets that a plan and an export made with `--show-secrets` have in plain text. */
export function withoutSecrets(step: Step): Step {
  const [old, next] = [step.old, step.new].map((state) => state && hidesSecrets(state));
  return { ...step, ...(old && { old }), ...(next && { new: next }) };
}

function hidesSecrets(state: PlannedState): PlannedState {
  const { secrets = [], inputs, stableInputs } = state;
  const hidden = Object.fromEntries(secrets.filter((name) => name in inputs).map((name) => [name, SECRET]));
  return {
    ...state,
    inputs: { ...inputs, ...hidden },
    ...(stableInputs && { stableInputs: { ...stableInputs, ...hidden } }),
  };
}

/** Whether a step changes what a kind says that decides about access. */
export function movesAccess(step: Step, kind: ForeignKind): boolean {
  const { inputs, parts, onlyUpdates, isRemoval, isOfNobody, isIdentity, isSetting, ofType } = kind;
  const { op, old, new: next, removal } = step;
  if ((old ?? next)?.external) return false;
  if (isDelete(op) && (isRemoval || isSetting || (old && removal === "never"))) return false;
  if (op === "create" && isOfNobody) return false;
  if (onlyUpdates && !(old && next)) return false;
  if (ofType && ![old, next].some((state) => isOfType(state, ofType))) return false;
  if (isIdentity && old && removal !== "never") return true;
  return inputs === undefined || inputs.some((name) => mayChange(step, [name].flat(), parts));
}

/** Where an input says of which type a resource is. Those of Config Connector have theirs in `spec`. */
const TYPES = [["type"], ["userType"], ["spec", "type"], ["spec", "userType"]];

/** A hidden type may be any. */
function isOfType(state: PlannedState | undefined, pattern: RegExp): boolean {
  const given = TYPES.map((path) => valueAt(state?.inputs, path));
  return given.some((each) => isHiddenValue(each) || pattern.test(textOf(each)));
}

function isHiddenValue(value: unknown): boolean {
  return hiddenReasonOf(value) !== undefined;
}

/** Whether an update may give an input this value. */
export function mayTurn(step: PlanStep, path: readonly string[], value: unknown): boolean {
  const after = valueAt(step.new?.inputs, path);
  return step.op === "update" && (after === value || isHiddenValue(after)) && mayChange(step, path);
}

/**
 * Whether a step changes an input. A hidden value may be another one afterwards, unless the step names what it changes. What it
 * names, it changes, also if the inputs are the same: somebody has changed it in the cloud.
 */
function mayChange({ old, new: next, changed }: PlanStep, path: readonly string[], parts?: readonly string[]): boolean {
  const [before, after, live] = [old?.inputs, next?.inputs, old?.outputs].map((values) => {
    const value = valueAt(values, path, isHiddenValue);
    return comparable(
      parts === undefined || isHiddenValue(value)
        ? value
        : partsOf(typeof value === "string" ? jsonIn(value) : value, parts),
      path,
    );
  });
  if (!isDeepStrictEqual(before, after)) return true;
  if (!old || !next) return false;
  const isNamed = changed?.includes(path[0] ?? "");
  if (isHiddenValue(before)) return isNamed !== false;
  return isNamed === true && ((path.length === 1 && parts === undefined) || !isDeepStrictEqual(live, after));
}

/** The properties of these names in a value, each with its path. The entry of a list has its `name` in the path. */
function partsOf(value: unknown, names: readonly string[], place = ""): unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((each: unknown, at) =>
      partsOf(each, names, `${place}/${isRecord(each) ? textOf(each.name) : at}`),
    );
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    names.includes(name) ? [[`${place}/${name}`, each]] : partsOf(each, names, `${place}/${name}`),
  );
}

/** The collection that the name in an input can have in front: `folders/1` is `1`. */
const COLLECTIONS: Readonly<Record<string, RegExp>> = { folderId: /^folders\//, orgId: /^organizations\// };

/** False and empty values are those that are not set. The order of a list means nothing. */
function comparable(value: unknown, path: readonly string[]): unknown {
  if (value === false || value === "" || value === null) return undefined;
  if (typeof value === "string") return value.replace(COLLECTIONS[path[0] ?? ""] ?? "", "");
  if (!Array.isArray(value)) return value;
  return value.length === 0
    ? undefined
    : value.toSorted((left, right) => (textOfValue(left) < textOfValue(right) ? -1 : 1));
}

function textOfValue(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

/**
 * The digest of what a step does to the inputs that decide about access: SHA-256 of its operation and of their values before and after.
 * The values themselves may be long.
 *
 * @returns null if a value is hidden or not known yet: then it can be another one in each preview
 */
export function digestOf(given: Step): string | null {
  const step = withoutSecrets(given);
  const { op, old, new: next, meaning } = step;
  const kinds = meaning.kinds.filter((kind) => movesAccess(step, kind));
  const ofKinds = kinds.flatMap(({ inputs = [] }) => inputs.map((path) => [path].flat()));
  const isOfAll = kinds.length === 0 || kinds.some(({ inputs }) => inputs === undefined);
  const paths = isOfAll ? inputsOf([old, next]) : ofKinds;
  const values = paths.map((path) => [path, ...valuesOf(step, path)]);
  if (hiddenReasonOf(values) !== undefined) return null;
  return createHash("sha256")
    .update(canonical([op, values]))
    .digest("hex");
}

/** All but those of the engine and of bridged providers (`__defaults`). */
function inputsOf(states: ReadonlyArray<PlannedState | undefined>): string[][] {
  const names = states.flatMap((state) => Object.keys(state?.inputs ?? {}));
  return [...new Set(names)]
    .filter((name) => !name.startsWith("__"))
    .sort()
    .map((name) => [name]);
}

/** An input before and after. Where a step takes back what somebody has changed in the cloud, the output of the state is before. */
function valuesOf({ old, new: next, changed }: PlanStep, path: readonly string[]): unknown[] {
  const [before, after, live] = [old?.inputs, next?.stableInputs ?? next?.inputs, old?.outputs].map((values) =>
    valueAt(values, path, isHiddenValue),
  );
  const isTakenBack = next !== undefined && changed?.includes(path[0] ?? "") && isDeepStrictEqual(before, after);
  return [isTakenBack ? live : before, after];
}

/** JSON with the names of each object in order. */
function canonical(value: unknown): string {
  const inOrder = (_name: string, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1))) : each;
  return JSON.stringify(value, inOrder);
}
