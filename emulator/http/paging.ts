import { invalidArgument } from "./errors";
import { textOf, type JsonObject } from "../messages/json";
import type { QueryValues } from "./query";

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1000;

export interface Page<T> {
  items: T[];
  nextPageToken?: string;
}

/**
 * One page of a list (AIP-158): 50 by default, at most 1,000. A token holds the name of the last item and belongs to
 * one list call; it is refused with another filter or order.
 */
export function paginate<T>(items: readonly T[], query: QueryValues, nameOf: (item: T) => string): Page<T> {
  const size = Number(query.pageSize ?? 0);
  if (size < 0) {
    throw invalidArgument("page_size must not be negative", [{ field: "page_size", description: "Negative." }]);
  }
  const scope = JSON.stringify([query.filter ?? "", query.orderBy ?? ""]);
  const start = query.pageToken ? afterToken(items, String(query.pageToken), scope, nameOf) : 0;
  const end = start + Math.min(size || DEFAULT_PAGE, MAX_PAGE);
  const page = items.slice(start, end);
  const last = page[page.length - 1];
  if (end >= items.length || last === undefined) {
    return { items: page };
  }
  return { items: page, nextPageToken: Buffer.from(JSON.stringify([scope, nameOf(last)])).toString("base64url") };
}

function afterToken<T>(items: readonly T[], token: string, scope: string, nameOf: (item: T) => string): number {
  try {
    const [tokenScope, name] = JSON.parse(Buffer.from(token, "base64url").toString()) as unknown[];
    const index = items.findIndex((item) => nameOf(item) === name);
    if (tokenScope === scope && index >= 0) {
      return index + 1;
    }
  } catch {
    // Refused below, like every other token that this list did not make.
  }
  throw invalidArgument("The page token is not valid for this request", [
    { field: "page_token", description: "Not a token of this list." },
  ]);
}

type Comparison = { path: string; value: string; contains: boolean };

/**
 * A small part of AIP-160: `field=value`, `field:value` and their conjunction with AND, on strings, booleans and
 * labels (`labels.env=prod`). Anything else is refused rather than ignored.
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
    const value = raw.startsWith('"') ? raw.slice(1, -1).replace(/\\(.)/g, "$1") : raw;
    return { path, value, contains: operator === ":" };
  });
  return (body) => comparisons.every((comparison) => matches(body, comparison));
}

function matches(body: JsonObject, { path, value, contains }: Comparison): boolean {
  const dot = path.indexOf(".");
  const field = (dot < 0 ? path : path.slice(0, dot)).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const inner = dot < 0 ? undefined : path.slice(dot + 1);
  const outer = body[field];
  const held = inner === undefined ? outer : (outer as JsonObject | undefined)?.[inner];
  if (contains && value === "*") {
    return held !== undefined;
  }
  const shown = typeof held === "object" || held === undefined ? "" : String(held);
  return contains ? shown.includes(value) : shown === value;
}

/** Orders by `name` (default), `createTime` or `updateTime`, each with an optional ` desc`; another order is refused. */
export function parseOrder(orderBy: string): (a: JsonObject, b: JsonObject) => number {
  const found = /^\s*(name|createTime|create_time|updateTime|update_time)?(?:\s+(asc|desc))?\s*$/.exec(orderBy);
  if (found === null) {
    throw invalidArgument(`Invalid order_by: ${orderBy.slice(0, 200)}`, [
      { field: "order_by", description: "Supported: name, createTime, updateTime, with asc or desc." },
    ]);
  }
  const field = (found[1] ?? "name").replace("_t", "T");
  const sign = found[2] === "desc" ? -1 : 1;
  return (a, b) => {
    const [left, right] = [textOf(a[field]), textOf(b[field])];
    return left < right ? -sign : left > right ? sign : 0;
  };
}
