/**
 * Listening to abort signals, with an end.
 *
 * Not `AbortSignal.any`: the signal of a run lives as long as the process, and Node keeps what `any` makes of such a signal
 * for as long (nodejs/node#54614, #55351). From Node 24.16 on it can also lose an abort (nodejs/node#65995). Not
 * `AbortSignal.timeout` either: it cannot be turned off, and a test cannot own its time.
 */

/** Runs `listener` once the signal is aborted, at once where it is aborted already. @returns stops listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/**
 * What the promise gives, unless the signal is aborted first: then the promise goes on, and nobody waits for it.
 *
 * @throws the signal's reason
 */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let stopListening = () => {};
  const aborted = new Promise<void>((resolve) => {
    stopListening = onAbort(signal, resolve);
  });
  try {
    return await Promise.race([promise, aborted.then(() => Promise.reject<T>(signal.reason))]);
  } finally {
    stopListening();
  }
}
