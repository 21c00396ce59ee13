import { isObject, textOf, toCamel, type JsonObject } from "../messages/json";
import { invalidArgument } from "./errors";

/** One term of a filter: the value of a field, or of an entry of a map (`labels.env`), is or contains a text. */
interface Comparison {
  field: string;
  entry?: string;
  value: string;
  contains: boolean;
}

/**
 * The predicate of a list filter, a small part of AIP-160: `field=value`, `field:value` and AND between them, on strings,
 * booleans and labels (`labels.env=prod`).
 *
 * @throws ApiError INVALID_ARGUMENT for any other filter
 */
export function parseFilter(filter: string): (body: JsonObject) => boolean {
  if (filter.trim() === "") {
    return () => true;
  }
  const comparisons = filter.split(/\s+AND\s+/).map((term): Comparison => {
    const found = /^\s*([A-Za-z_]+(?:\.[\w-]+)?)\s*(=|:)\s*("(?:[^"\\]|\\.)*"|[^\s"()]+)\s*$/.exec(term);
    if (found === null) {
      throw invalidArgument(`Invalid list filter: ${filter.slice(0, 200)}`, [
        { field: "filter", description: "Supported: field=value, field:value and AND." },
      ]);
    }
    const [, path = "", operator, raw = ""] = found;
    const [field = "", entry] = path.split(".");
    const value = raw.startsWith('"') ? raw.slice(1, -1).replace(/\\(.)/g, "$1") : raw;
    return { field: toCamel(field), entry, value, contains: operator === ":" };
  });
  return (body) => comparisons.every((comparison) => matches(body, comparison));
}

function matches(body: JsonObject, { field, entry, value, contains }: Comparison): boolean {
  const map = body[field];
  const held = entry === undefined ? map : isObject(map) ? map[entry] : undefined;
  if (contains && value === "*") {
    return held !== undefined;
  }
  const shown = typeof held === "object" || held === undefined ? "" : String(held);
  return contains ? shown.includes(value) : shown === value;
}

/**
 * The comparison of a list order: `name` (the default), `createTime` or `updateTime`, each with an optional `asc` or `desc`.
 *
 * @throws ApiError INVALID_ARGUMENT for any other order
 */
export function parseOrder(orderBy: string): (a: JsonObject, b: JsonObject) => number {
  const found = /^\s*(name|createTime|create_time|updateTime|update_time)?(?:\s+(asc|desc))?\s*$/.exec(orderBy);
  if (found === null) {
    throw invalidArgument(`Invalid order_by: ${orderBy.slice(0, 200)}`, [
      { field: "order_by", description: "Supported: name, createTime, updateTime, with asc or desc." },
    ]);
  }
  const field = toCamel(found[1] ?? "name");
  const sign = found[2] === "desc" ? -1 : 1;
  return (a, b) => {
    const [left, right] = [textOf(a[field]), textOf(b[field])];
    return left < right ? -sign : left > right ? sign : 0;
  };
}
