import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { ResourceDefinition } from "./definition";
import { findMeta, metaOf, propertiesOf, propertyOf, shapeOf } from "./field";
import type { PathSegment } from "./problem";
import { sameName, sameProject } from "./reference";
import { containsUnknown, isRecord, isUnknown, type Values } from "./unknown";

/** One property whose current value differs from the desired value. */
export interface PropertyChange {
  path: PathSegment[];
  kind: "add" | "update" | "delete";
  replaces: boolean;
}

/** What a change of inputs means for a resource: nothing, an update in place, or a replacement. */
export type Diff =
  { action: "none" } | (Change & ({ action: "update" } | { action: "replace"; deleteBeforeReplace: boolean }));

interface Change {
  changes: PropertyChange[];
  /** A message for the user: the reason for the change, when the program did not change. */
  reason?: string;
}

/**
 * Compares the current values with the desired inputs, one by one. The definition of each input states whether it is
 * compared (`change`), and how: references as names, projects as projects, other strings by `same`. An unknown value counts
 * as a change, because its final value may differ.
 */
export function changesOf(definition: ResourceDefinition, current: Values, wanted: Values): PropertyChange[] {
  return propertiesOf(definition.inputs).flatMap(([name, schema]) => {
    const meta = metaOf(schema);
    if (meta.change === "none") return [];
    const replaces = meta.change === "replace";
    // The server or the configuration chose the value. A program that omits the input accepts the current value.
    if (wanted[name] === undefined && definition.computedInputs.includes(name)) return [];
    return compare([name], schema, current[name], wanted[name]).map((change) => ({ ...change, replaces }));
  });
}

type Difference = Omit<PropertyChange, "replaces">;

function compare(
  path: PathSegment[],
  schema: z.ZodType,
  current: unknown,
  wanted: unknown,
  absent = isEmpty,
): Difference[] {
  if (isUnknown(wanted)) return [{ path, kind: absent(current) ? "add" : "update" }];
  if (absent(current)) return absent(wanted) ? [] : [{ path, kind: "add" }];
  if (absent(wanted)) return [{ path, kind: "delete" }];
  const shape = shapeOf(schema);
  if (isRecord(current) && isRecord(wanted) && (shape.kind === "map" || shape.kind === "object")) {
    const keys = [...new Set([...Object.keys(current), ...Object.keys(wanted)])];
    return keys.flatMap((key) => {
      if (shape.kind === "map") {
        return compare([...path, key], shape.element, own(current, key), own(wanted, key), isUndefined);
      }
      const property = propertyOf(shape.object, key);
      return property ? compare([...path, key], property, current[key], wanted[key]) : [];
    });
  }
  if (containsUnknown(wanted)) return [{ path, kind: "update" }];
  return equal(schema, current, wanted) ? [] : [{ path, kind: "update" }];
}

function equal(schema: z.ZodType, current: unknown, wanted: unknown): boolean {
  if (typeof current === "string" && typeof wanted === "string") {
    const meta = findMeta(schema);
    if (meta?.reference) return sameName(current, wanted);
    if (meta?.isProject) return sameProject(current, wanted);
    if (meta?.same) return meta.same(current, wanted);
  }
  const sameList = findMeta(schema)?.sameList;
  if (sameList && areTexts(current) && areTexts(wanted)) return sameList(current, wanted);
  return isDeepStrictEqual(current, wanted);
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** Compares only the user's keys, without inherited ones such as `constructor`. */
function own(map: Values, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The API does not distinguish an absent property from an empty one (docs/wire.md section 1), so they are equal here. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** An entry of a map exists even when its value is empty: a label with an empty value is a label. */
function isUndefined(value: unknown): boolean {
  return value === undefined;
}

/** Names of the top-level properties among some changes, each once. */
export function changedProperties(changes: readonly PropertyChange[]): string[] {
  return [...new Set(changes.map((change) => String(change.path[0])))];
}
