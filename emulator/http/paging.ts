import { invalidArgument } from "./errors";
import type { QueryValues } from "./query";

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1000;

export interface Page<T> {
  items: T[];
  nextPageToken?: string;
}

/**
 * One page of a list (AIP-158): 50 items by default, 1,000 at most. The page token holds the name of the last item, with
 * the filter and the order of the call.
 *
 * @throws ApiError INVALID_ARGUMENT for a token of another filter or order, and for what is no token
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
    // No token at all, which is refused below.
  }
  throw invalidArgument("The page token is not valid for this request", [
    { field: "page_token", description: "Not a token of this list." },
  ]);
}
