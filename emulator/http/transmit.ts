import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Answer } from "./answer";
import type { Fault } from "./faults";

/** The headers that the real front end sends with every response (docs/wire.md section 1). */
const HEADERS = {
  Vary: "Origin, X-Origin, Referer",
  Server: "ESF",
  "Cache-Control": "private",
  "X-XSS-Protection": "0",
  "X-Frame-Options": "SAMEORIGIN",
  "X-Content-Type-Options": "nosniff",
};

const GZIP_FROM_BYTES = 512;

export interface Transmission {
  answer: Answer;
  /** Whether the client accepts gzip. */
  gzip: boolean;
  fault?: Fault;
  /** Aborted when the server stops. */
  signal: AbortSignal;
}

/** Sends a response. A fault can truncate it or send it in slow pieces. */
export async function transmit(response: ServerResponse, { answer, gzip, fault, signal }: Transmission): Promise<void> {
  const plain = Buffer.from(answer.body, "utf8");
  const pack = gzip && plain.length >= GZIP_FROM_BYTES && fault?.truncate === undefined;
  const body = pack ? gzipSync(plain) : plain;
  const cut = typeof fault?.truncate === "number" ? { bytes: fault.truncate, clean: false } : fault?.truncate;
  const sent = cut === undefined ? body : body.subarray(0, cut.bytes);
  response.writeHead(answer.status, {
    ...HEADERS,
    "Content-Type": answer.contentType,
    "Content-Length": cut?.clean ? sent.length : body.length,
    ...(pack ? { "Content-Encoding": "gzip" } : {}),
    ...answer.headers,
  });
  if (fault?.slowBody === undefined && cut === undefined) {
    if (answer.openUntil === undefined) {
      response.end(sent);
      return;
    }
    response.write(sent);
    await answer.openUntil;
    response.end();
    return;
  }
  const step = fault?.slowBody?.chunkBytes ?? (sent.length || 1);
  for (let at = 0; at < sent.length && !response.destroyed; at += step) {
    if (at > 0) {
      await sleep(fault?.slowBody?.delayMs ?? 0, undefined, { signal });
    }
    await write(response, sent.subarray(at, at + step));
  }
  if (sent.length < body.length && !cut?.clean) {
    // The body is shorter than the declared length, so the client sees a broken connection.
    response.flushHeaders();
    await sleep(0, undefined, { signal });
    response.destroy();
    return;
  }
  response.end();
}

function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    // Also resolves if the client disconnected.
    response.write(chunk, () => resolve());
  });
}
