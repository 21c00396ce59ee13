import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzip } from "node:zlib";
import { errorAnswer, htmlAnswer, type Answer } from "./answer";
import { ApiError, invalidArgument } from "../base/errors";

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

/** A request for a proxy has the whole URL as its target. Its host then counts, and not that of the header (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const [origin = "", host] = ABSOLUTE.exec(request.url ?? "") ?? [];
  const rest = (request.url ?? "").slice(origin.length);
  const target = rest.startsWith("/") ? rest : `/${rest}`;
  const mark = target.indexOf("?");
  return {
    request,
    response,
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    parameters: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)),
    headers: {
      ...Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
      ),
      ...(host !== undefined && { host }),
    },
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

/**
 * The answer of an error whose request has a body that is not used. The connection cannot serve another request. It stays open
 * while the client sends: a client that still writes to a closed connection gets an error of the network in place of the answer.
 */
export function withoutBody({ request, response }: Exchange, error: ApiError): Answer {
  response.setHeader("Connection", "close");
  return { ...errorAnswer(error), openUntil: restRead(request) };
}

/** What is read, and dropped, of a body that is not used. */
const MOST_REST_BYTES = 256 * 1024 * 1024;
const MOST_REST_MS = 10_000;

/** Resolves when the client has sent all, has gone, or sends too much or for too long. */
function restRead(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, MOST_REST_MS);
    if (request.complete || request.destroyed) {
      end();
      return;
    }
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_REST_BYTES) end();
    });
    request.on("end", end).on("error", end).on("close", end);
    request.resume();
  });
}

/** Whether the client accepts gzip: a coding that it gives the weight 0 is one that it refuses (RFC 9110). */
export function acceptsGzip({ headers }: Exchange): boolean {
  const weights = new Map(
    (headers["accept-encoding"] ?? "").split(",").map((entry) => {
      const [coding = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [coding, weight === undefined ? 1 : Number(weight)];
    }),
  );
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

/**
 * The body of a request, unpacked.
 *
 * @throws ApiError (HTTP 413) where it is larger than `maxBytes`, packed or unpacked; (HTTP 400) where its gzip is broken
 */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > maxBytes) {
    throw tooLarge(maxBytes);
  }
  const body = await collect(request, maxBytes);
  const encoding = (request.headers["content-encoding"] ?? "identity").toLowerCase();
  if (encoding === "identity" || body.length === 0) {
    return body;
  }
  if (encoding !== "gzip") {
    throw invalidArgument("Unsupported content encoding: only gzip is accepted.");
  }
  return unpack(body, maxBytes);
}

/** Listens to events, because leaving `for await` early would destroy the socket, and with it the answer that refuses. */
function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        chunks.length = 0;
        reject(tooLarge(maxBytes));
      } else {
        chunks.push(chunk);
      }
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("close", () => {
      // An error has a stack, which takes longer than the rest of this function.
      if (!request.complete) reject(new Error("The client disconnected before its request was complete."));
    });
  });
}

function unpack(body: Buffer, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(body, { maxOutputLength: maxBytes }, (error, unpacked) => {
      if (error === null) {
        resolve(unpacked);
      } else {
        const code = (error as NodeJS.ErrnoException).code;
        reject(code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(maxBytes) : invalidArgument("The gzip body is broken."));
      }
    });
  });
}

function tooLarge(maxBytes: number): ApiError {
  const message = `Request payload size exceeds the limit: ${maxBytes} bytes.`;
  return new ApiError("INVALID_ARGUMENT", message, [], 413);
}
