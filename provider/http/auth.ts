import { CancelledError, messageOf, TimeoutError } from "../core/errors";
import { unlessAborted } from "./abort";
import type { Layer } from "./send";
import type { TokenSource } from "./token-source";

/** Adds the token; an answer 401 gets one more try with a fresh one. The wait for a token ends with the request. */
export function authLayer(source: TokenSource): Layer {
  return (next) => async (request) => {
    const { signal, headers } = request;
    const waitFor = async <T>(promise: Promise<T>): Promise<T> => {
      try {
        return await unlessAborted(signal, promise);
      } catch (error) {
        throw signal.aborted ? unsent(signal.reason) : error;
      }
    };
    const quota = headers["x-goog-user-project"] ? undefined : await waitFor(source.quotaProject());
    const send = async (fresh: boolean) =>
      next({
        ...request,
        headers: {
          ...(quota ? { "x-goog-user-project": quota } : {}),
          ...headers,
          authorization: `Bearer ${await waitFor(source.token({ fresh }))}`,
        },
      });
    const response = await send(false);
    return response.status === 401 ? send(true) : response;
  };
}

/** The error of a request that ended before it was sent: whatever it was to change is not changed. */
function unsent(reason: unknown): TimeoutError | CancelledError {
  return reason instanceof TimeoutError
    ? new TimeoutError(messageOf(reason), { effect: "none" })
    : new CancelledError(messageOf(reason), { effect: "none" });
}
