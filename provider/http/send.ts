/** One HTTP request, with a body that is already text. */
export interface HttpRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** From 1: how many times this request has been sent, this time included. */
  attempt?: number;
}

/** One HTTP answer, read to its end. Header names are lower case. */
export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/** Adds one concern to a `Send`, such as a header or a time limit. */
export type Layer = (next: Send) => Send;

/** The innermost first: `compose(fetchSend(fetch), timeout, auth)` runs auth, then the timeout, then the request. */
export function compose(innermost: Send, ...layers: readonly Layer[]): Send {
  return layers.reduce((next, layer) => layer(next), innermost);
}

/** The URL as messages and logs show it: a query string holds request ids, and a custom endpoint's may hold a key. */
export function withoutQuery(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
}

/** The server's id of a request, as the headers of its answer tell it. */
export function requestIdIn({ headers }: HttpResponse): string | undefined {
  return headers["x-request-id"] ?? headers["x-goog-request-id"];
}
