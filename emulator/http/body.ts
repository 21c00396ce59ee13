import type { IncomingMessage } from "node:http";
import { gunzip } from "node:zlib";
import { ApiError, invalidArgument } from "./errors";

/**
 * The body of a request, unpacked.
 *
 * @throws ApiError (HTTP 413) where it is larger than `maxBytes`, packed or unpacked; (HTTP 400) where its gzip is broken
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
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
    request.on("close", () => reject(new Error("The client left before its request was complete.")));
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
