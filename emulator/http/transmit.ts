import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Answer } from "./answer";
import type { Fault } from "./faults";

/** What the real front end sends with every answer (docs/wire.md section 1). */
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

/** Sends an answer, whole or as the fault asks: cut off, or in slow pieces. */
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
    response.end(sent);
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
    // Less than the declared length was sent, so the client sees the connection break off.
    response.flushHeaders();
    await sleep(0, undefined, { signal });
    response.destroy();
    return;
  }
  response.end();
}

function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    // Also resolves where the client left.
    response.write(chunk, () => resolve());
  });
}
