import type { Effect } from "../core/errors";
import type { Values } from "../core/unknown";
import type { RequestKind } from "./retryable";
import { withoutQuery, type HttpRequest } from "./send";

/** One call of an API method. */
export interface ApiRequest {
  kind: RequestKind;
  method: HttpRequest["method"];
  /** Relative to the service's base URL, not encoded: `projects/p/locations/l/scopes/s`. */
  path: string;
  /** Custom verb after the path: `getIamPolicy`. */
  verb?: string;
  query?: Record<string, string | number | undefined>;
  body?: Values;
  /** For messages, to be read on from "Could not": "read the scope". */
  doing: string;
  /** For messages: the resource that the call is about. Default: the path. */
  resource?: string;
}

export function urlOf(baseUrl: string, { path, verb, query }: ApiRequest): string {
  return baseUrl + encodePath(path) + (verb ? `:${verb}` : "") + queryOf(query);
}

/**
 * Encodes each segment of a path by itself, as the expansion `{+name}` of https://www.rfc-editor.org/rfc/rfc6570 does:
 * slashes divide segments, and nothing in a name can end the path. Colons and at signs stay, for projects have them.
 */
export function encodePath(path: string): string {
  return path
    .split("/")
    .map((segment) => encodeURIComponent(segment).replaceAll("%3A", ":").replaceAll("%40", "@"))
    .join("/");
}

function queryOf(query: ApiRequest["query"]): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) given.set(key, String(value));
  return given.size === 0 ? "" : `?${given.toString()}`;
}

/** For messages: what the request does, and to what. */
export function doingOf(request: ApiRequest): string {
  return `${request.doing} ${resourceOf(request)}`;
}

/** For messages: the resource that the request is about. */
export function resourceOf({ resource, path }: ApiRequest): string {
  return resource ?? path;
}

/** For messages: the request as it was sent, without its query. */
export function requestLine({ method }: ApiRequest, url: string): string {
  return `${method} ${withoutQuery(url)}`;
}

/** The effect that every failure of the request has; undefined where each failure tells its own. */
export function effectOfFailures({ kind }: ApiRequest): Effect | undefined {
  return kind === "read" ? "none" : undefined;
}
