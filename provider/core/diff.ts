import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { ResourceDefinition } from "./definition";
import { findMeta, metaOf, propertiesOf, propertyOf, shapeOf } from "./field";
import type { PathSegment } from "./problem";
import { sameName, sameProject } from "./reference";
import { containsUnknown, isRecord, isUnknown, type Values } from "./unknown";

/** One property that differs between what is and what the program asks for. */
export interface PropertyChange {
  path: PathSegment[];
  kind: "add" | "update" | "delete";
  replaces: boolean;
}

/** What a change of inputs means for a resource: nothing, an update in place, or a replacement. */
export type Diff =
  | { action: "none" }
  | {
      action: "update";
      changes: PropertyChange[];
      /** Why there is something to do, where the changes do not say it. */
      reason?: string;
    }
  | { action: "replace"; changes: PropertyChange[]; deleteBeforeReplace: boolean };

/**
 * Compares what is with what the program asks for, input by input, as the definition says of each: `none` never
 * differs, `replace` replaces. References are compared as names, projects as projects, and other texts as the cloud
 * compares them, so two spellings of one thing are equal. An unknown value is a change: nobody can promise that it will
 * turn out the same.
 */
export function changesOf(definition: ResourceDefinition, current: Values, wanted: Values): PropertyChange[] {
  return propertiesOf(definition.inputs).flatMap(([name, schema]) => {
    const meta = metaOf(schema);
    if (meta.change === "none") return [];
    const replaces = meta.change === "replace";
    // An input that the finished resource always has a value for: leaving it out leaves it to the server.
    if (wanted[name] === undefined && definition.presentWhenOmitted.includes(name)) return [];
    return compare([name], schema, current[name], wanted[name]).map((change) => ({ ...change, replaces }));
  });
}

type Change = Omit<PropertyChange, "replaces">;

function compare(
  path: PathSegment[],
  schema: z.ZodType,
  current: unknown,
  wanted: unknown,
  absent = isEmpty,
): Change[] {
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
  return isDeepStrictEqual(current, wanted);
}

/** Keys of a map are the user's: `constructor` is one of them only where it is written down. */
function own(map: Values, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The wire does not tell an absent property from an empty one, so neither does the diff. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** An entry of a map exists even when its value is empty: a label without a value is a label. */
function isUndefined(value: unknown): boolean {
  return value === undefined;
}

/** Names of the top-level properties among some changes, each once. */
export function changedProperties(changes: readonly PropertyChange[]): string[] {
  return [...new Set(changes.map((change) => String(change.path[0])))];
}
