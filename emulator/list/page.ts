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

/** The call of a list method: where it looks, and its `filter`, `orderBy`, `pageSize` and `pageToken`. */
export interface ListCall {
  readonly name: string;
  readonly query: QueryValues;
}

/**
 * Answers a list method: filters (AIP-160), orders (AIP-132) and cuts one page out (AIP-158), 50 items by default and
 * 1,000 at most. A page token holds the place of the last item in the order, so the next page is right even when that
 * item has been deleted since. It belongs to one parent, filter and order.
 *
 * @param bodies all that the parent holds, each with a `name`
 * @param shape the message that the bodies are of; filters and orders may only name its fields
 * @throws ApiError INVALID_ARGUMENT
 */
export function listPage(bodies: readonly JsonObject[], { name, query }: ListCall, shape: Message): Page {
  const size = Number(query.pageSize ?? 0);
  if (size < 0) {
    throw invalidArgument("page_size must not be negative", [{ field: "page_size", description: "Negative." }]);
  }
  const filter = String(query.filter ?? "");
  const orderBy = String(query.orderBy ?? "");
  const order = understood("order_by", orderBy, () => parseOrder(orderBy, shape));
  const wanted = understood("filter", filter, () => compileFilter(filter, shape));
  const scope = JSON.stringify([name, filter, orderBy]);
  const after = query.pageToken ? readToken(String(query.pageToken), scope, order) : undefined;
  const sorted = understood("order_by", orderBy, () =>
    bodies
      .filter(wanted)
      .map((body) => ({ body, key: order.keyOf(body) }))
      .sort((a, b) => order.compare(a.key, b.key)),
  );
  const rest = after === undefined ? sorted : sorted.filter(({ key }) => order.compare(key, after) > 0);
  const page = rest.slice(0, Math.min(size || DEFAULT_PAGE, MAX_PAGE));
  const last = page[page.length - 1];
  const items = page.map(({ body }) => body);
  return last === undefined || page.length === rest.length
    ? { items }
    : { items, nextPageToken: Buffer.from(JSON.stringify([scope, last.key])).toString("base64url") };
}

function readToken(token: string, scope: string, order: Order): SortKey {
  try {
    const [tokenScope, key] = JSON.parse(Buffer.from(token, "base64url").toString()) as [unknown, SortKey];
    // Comparing the key with itself finds out whether it is one of this order.
    if (tokenScope === scope && Array.isArray(key) && order.compare(key, key) === 0) {
      return key;
    }
  } catch {
    // Refused below, like every other token that this list did not make.
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
