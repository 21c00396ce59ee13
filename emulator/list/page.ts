import { invalidArgument, type ApiError } from "../base/errors";
import type { QueryValues } from "../base/api";
import type { JsonObject } from "../base/json";
import type { Message } from "../base/schema";
import { compileFilter } from "./filter";
import { parseOrder, type Order, type SortKey } from "./order";
import { ListSyntaxError } from "./parse-filter";

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1000;

export interface Page {
  items: JsonObject[];
  nextPageToken?: string;
}

/** An item of a list. Its body is made only where a filter, an order or the page needs it. */
export interface ListItem {
  readonly name: string;
  body(): JsonObject;
}

/** The call of a list method: the method, its parent, and its `filter`, `orderBy`, `pageSize` and `pageToken`. */
export interface ListCall {
  readonly method: { readonly id: string };
  readonly name: string;
  readonly query: QueryValues;
}

/**
 * Answers a list method: filters (AIP-160), sorts (AIP-132) and selects a page (AIP-158) of 50 items by default and 1,000 at
 * most. A page token contains the sort key of the last item, so the next page is right even if that item was deleted in the
 * meantime. A token is valid for one method, parent, filter and order.
 *
 * @param all items of the parent, in any order
 * @param shape the message of the bodies. Filters and orders may name its fields only
 * @throws ApiError INVALID_ARGUMENT
 */
export function listPage(all: readonly ListItem[], { method, name, query }: ListCall, shape: Message): Page {
  const size = Number(query.pageSize ?? 0);
  if (size < 0) {
    throw invalidArgument("page_size must not be negative", [{ field: "page_size", description: "Negative." }]);
  }
  const filter = String(query.filter ?? "");
  const orderBy = String(query.orderBy ?? "");
  const order = understood("order_by", orderBy, () => parseOrder(orderBy, shape));
  const wanted = understood("filter", filter, () => compileFilter(filter, shape));
  const scope = JSON.stringify([method.id, name, filter, orderBy]);
  const after = query.pageToken ? readToken(String(query.pageToken), scope, order) : undefined;
  const isByName = filter === "" && orderBy.trim() === "";
  const read = ({ name: own, body }: ListItem) => {
    if (isByName) return [{ key: order.keyOf({ name: own }), body }];
    const made = body();
    return wanted(made) ? [{ key: order.keyOf(made), body: () => made }] : [];
  };
  const isNext = ({ key }: { key: SortKey }) => after === undefined || order.compare(key, after) > 0;
  const rest = understood("order_by", orderBy, () =>
    all
      .flatMap(read)
      .filter(isNext)
      .sort((a, b) => order.compare(a.key, b.key)),
  );
  const page = rest.slice(0, Math.min(size || DEFAULT_PAGE, MAX_PAGE));
  const last = page[page.length - 1];
  const items = page.map(({ body }) => body());
  return last === undefined || page.length === rest.length
    ? { items }
    : { items, nextPageToken: Buffer.from(JSON.stringify([scope, last.key])).toString("base64url") };
}

function readToken(token: string, scope: string, order: Order): SortKey {
  try {
    const [tokenScope, key] = JSON.parse(Buffer.from(token, "base64url").toString()) as [unknown, SortKey];
    // Comparing the key with itself checks that it is a valid key of this order.
    if (tokenScope === scope && Array.isArray(key) && order.compare(key, key) === 0) {
      return key;
    }
  } catch {
    // The token is refused below, like every token of another list.
  }
  throw invalidArgument("The page token is not valid for this request", [
    { field: "page_token", description: "Not a token of this list." },
  ]);
}

function understood<T>(field: "filter" | "order_by", text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ListSyntaxError ? refusal(field, text, error) : error;
  }
}

function refusal(field: "filter" | "order_by", text: string, { message }: ListSyntaxError): ApiError {
  const what = field === "filter" ? "list filter" : "order_by";
  return invalidArgument(`Invalid ${what}: ${text.slice(0, 200)}: ${message}`, [{ field, description: message }]);
}
