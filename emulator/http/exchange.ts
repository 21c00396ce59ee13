import type { IncomingMessage, ServerResponse } from "node:http";
import { errorAnswer, htmlAnswer, type Answer } from "./answer";
import { readBody } from "./body";
import { ApiError } from "./errors";

/** One HTTP request, its address split into path and query, and the response to it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  /** As sent, percent-encoded, without the query. */
  path: string;
  parameters: URLSearchParams;
  /** By lower-case name; a header that was sent more than once is one text. */
  headers: Record<string, string | undefined>;
}

export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  return {
    request,
    response,
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    parameters: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
    ),
  };
}

/** The body of the request, or the answer that refuses it. */
export async function bodyOrRefusal(exchange: Exchange, maxBytes: number): Promise<Buffer | Answer> {
  const { request, method } = exchange;
  if (!/^[A-Z]+$/.test(method)) {
    return htmlAnswer(400, "Bad Request", "Your client has issued a malformed or illegal request.");
  }
  try {
    return await readBody(request, maxBytes);
  } catch (error) {
    if (error instanceof ApiError) {
      return withoutBody(exchange, error);
    }
    throw error;
  }
}

/** The answer of an error whose request has a body that stays unread. The connection cannot serve another request. */
export function withoutBody({ request, response }: Exchange, error: ApiError): Answer {
  response.setHeader("Connection", "close");
  request.resume();
  return errorAnswer(error);
}

export function acceptsGzip({ headers }: Exchange): boolean {
  return /\bgzip\b/i.test(headers["accept-encoding"] ?? "");
}
