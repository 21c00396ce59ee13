import { InputError } from "./errors";

/** Lists of the resources in the cloud: what the engine asks for, and a page of the answer. */

/** A page that the engine asks for. */
export interface ListPage {
  /** The largest number of resources on the page; undefined: the lifecycle decides. */
  readonly size: number | undefined;
  /** Where the page begins: the `next` of the page before, or empty for the first one. */
  readonly token: string;
}

/** A resource in the cloud. */
export interface Listed {
  /** The id for a read or an import. */
  readonly id: string;
  /** A name for the resource in a program. Resources of one list have different names. */
  readonly name: string;
}

/** A page of resources. */
export interface Listing {
  readonly found: readonly Listed[];
  /** The token of the next page; empty after the last one. */
  readonly next: string;
}

/**
 * A request of the engine for a page. Numbers below 1 are no limits.
 * Source: `ListRequest` in https://github.com/pulumi/pulumi/blob/master/proto/pulumi/provider.proto
 */
export interface ListRequest {
  /** The largest number of resources on all pages together. */
  readonly limit: number;
  readonly pageSize: number;
  /** The `continuation` of the page before, or empty for the first page. */
  readonly continuation: string;
}

/** `{number of resources that are still wanted, or empty}:{token}` */
const CONTINUATION = /^(\d*):(.+)$/s;

/**
 * Reads a page within the limit of its list. The protocol sends the limit of the whole list with each page, and `pulumi do … list
 * --count` sends what remains of it. The continuation has the rest, so the smaller number is right for both.
 *
 * @throws InputError for a continuation that no page had.
 */
export async function limitedPage(
  { limit, pageSize, continuation }: ListRequest,
  read: (page: ListPage) => Promise<Listing>,
): Promise<{ found: readonly Listed[]; continuation: string }> {
  const [, left = "", token = ""] = continuation === "" ? [] : (CONTINUATION.exec(continuation) ?? []);
  if (continuation !== "" && token === "") throw badToken();
  const limits = [limit, left === "" ? 0 : Number(left)].filter((each) => each >= 1);
  const wanted = limits.length > 0 ? Math.min(...limits) : undefined;
  const sizes = [wanted ?? 0, pageSize].filter((each) => each >= 1);
  const { found, next } = await read({ size: sizes.length > 0 ? Math.min(...sizes) : undefined, token });
  const rest = wanted === undefined ? "" : wanted - found.length;
  return { found: found.slice(0, wanted), continuation: next === "" || rest === 0 ? "" : `${rest}:${next}` };
}

/**
 * What a list says of the resources in the cloud that it leaves out, because a program cannot declare them.
 *
 * @param noun what they are: `association`
 * @param place where they are, with its preposition: `on projects/p/topics/t`
 * @param type the resource type that cannot declare them
 * @param problem what is wrong with the first of them
 */
export function leftOutOfList(count: number, noun: string, place: string, type: string, problem: string): string {
  return `The list lacks ${count} ${noun}${count === 1 ? "" : "s"} ${place} that no ${type} can declare: ${problem}`;
}

/** The error for a token that no page had. */
export function badToken(): InputError {
  return new InputError("Cannot list", [{ path: "continuationToken", reason: "must be from the page before" }]);
}
