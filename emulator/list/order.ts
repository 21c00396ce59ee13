import type { Json, JsonObject } from "../base/json";
import type { Message } from "../base/schema";
import { comparable, defaultValue, findField, valuesAt, type FieldPath } from "./fields";
import { ListSyntaxError } from "./parse-filter";

/** The sort key of a message: the values of the order, and then its name. Page tokens contain it. */
export type SortKey = Array<string | number | boolean | null>;

export interface Order {
  keyOf(body: JsonObject): SortKey;
  compare(a: SortKey, b: SortKey): number;
}

/**
 * Parses `orderBy` (AIP-132): fields between commas, each with an optional ` desc` or ` asc`. Equal messages are ordered by
 * name, so that the order is total. Unset values come first.
 *
 * @throws ListSyntaxError for an unknown field, or a field that has no order
 */
export function parseOrder(orderBy: string, shape: Message): Order {
  const terms = orderBy.trim() === "" ? [] : orderBy.split(",").map((term) => readTerm(term, shape));
  const name = { field: findField(shape, ["name"]), path: "name", sign: 1 };
  const all = [...terms, name];
  return {
    keyOf: (body) => all.map(({ field }) => scalar(valuesAt(body, field.steps)[0] ?? defaultValue(field.type))),
    compare: (a, b) => {
      for (const [index, { field, path, sign }] of all.entries()) {
        const difference = compareValues(field, path, a[index] ?? null, b[index] ?? null);
        if (difference !== 0) {
          return sign * difference;
        }
      }
      return 0;
    },
  };
}

function readTerm(term: string, shape: Message): { field: FieldPath; path: string; sign: number } {
  const [, path = "", direction] = /^\s*([^\s]+)(?:\s+(asc|desc))?\s*$/.exec(term) ?? [];
  if (path === "") {
    throw new ListSyntaxError(`'${term}' is not a field with an optional asc or desc`);
  }
  const field = findField(shape, path.split("."));
  if (field.repeated || ["list", "map", "message", "struct"].includes(field.type.kind)) {
    throw new ListSyntaxError(`'${path}' holds more than one value and has no order`);
  }
  return { field, path, sign: direction === "desc" ? -1 : 1 };
}

function scalar(value: Json | undefined): SortKey[number] {
  return typeof value === "object" || value === undefined ? null : value;
}

function compareValues({ type }: FieldPath, path: string, a: SortKey[number], b: SortKey[number]): number {
  if (a === null || b === null) {
    return a === b ? 0 : a === null ? -1 : 1;
  }
  const [left, right] =
    type.kind === "enum"
      ? [type.values.indexOf(String(a)), type.values.indexOf(String(b))]
      : [comparable(type, a, path), comparable(type, b, path)];
  return left < right ? -1 : left > right ? 1 : 0;
}
