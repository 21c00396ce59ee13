import type { Dispatcher } from "undici";
import { onAbort } from "./abort";
import { LARGEST_ANSWER, tooLarge } from "./bounded-body";

/** An answer, read to its end and as it was sent: it may be packed. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/**
 * Sends one request over a pool of connections. Much less work than `fetch`, whose streams and signals were a quarter of
 * the processor time of a create: the answers here are small, and all of each is read anyway. A redirect is an answer.
 *
 * @throws the signal's reason, once it is aborted. BadAnswerError for more bytes than `LARGEST_ANSWER`: the rest is not read.
 *   undici's error where no complete answer came back.
 */
export function dispatch(
  pool: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Record<string, string> = {};
    const pieces: Buffer[] = [];
    let size = 0;
    if (signal.aborted) return reject(signal.reason as Error);
    const fail = (error: Error) => {
      stopListening();
      reject(error);
      controller?.abort(error);
    };
    const stopListening = onAbort(signal, () => fail(signal.reason as Error));
    pool.dispatch(request, {
      onRequestStart: (started) => {
        controller = started;
        // It waited for a connection, and nobody waits for it any more.
        if (signal.aborted) started.abort(signal.reason as Error);
      },
      onResponseStart: (_controller, code, received) => {
        status = code;
        headers = joined(received);
      },
      onResponseData: (_controller, piece) => {
        size += piece.length;
        if (size > LARGEST_ANSWER) fail(tooLarge());
        else pieces.push(piece);
      },
      onResponseEnd: () => {
        stopListening();
        const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
        // undici frees the connection in an immediate that it starts after this. Whoever sends the next request before
        // that opens another connection.
        queueMicrotask(() => setImmediate(() => resolve({ status, headers, bytes })));
      },
      onResponseError: (_controller, error) => {
        stopListening();
        reject(error);
      },
    });
  });
}

/** Headers that came more than once are one list, as in `fetch`. */
function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
