import { TimeoutError } from "../core/errors";
import { onAbort } from "./abort";
import { systemClock, type Clock } from "./clock";
import { withoutQuery, type Layer } from "./send";

/**
 * Bounds one request, the reading of its body included, to `ms` milliseconds.
 *
 * @param alarm starts the timer; tests pass their own.
 * @throws TimeoutError when the time is over.
 */
export function timeoutLayer(ms: number, alarm: Clock["alarm"] = systemClock.alarm): Layer {
  return (next) => async (request) => {
    const what = `${request.method} ${withoutQuery(request.url)}`;
    const controller = new AbortController();
    const stopListening = onAbort(request.signal, () => controller.abort(request.signal.reason));
    const turnOff = alarm(ms, () =>
      controller.abort(new TimeoutError(`${what} was not answered within ${ms / 1000} s`)),
    );
    try {
      return await next({ ...request, signal: controller.signal });
    } finally {
      turnOff();
      stopListening();
    }
  };
}

/** Adds headers that are the same for every request; a header that the request has already stays. */
export function headersLayer(headers: Readonly<Record<string, string>>): Layer {
  return (next) => (request) => next({ ...request, headers: { ...headers, ...request.headers } });
}

/**
 * Bills quota to the billing project, or without one to the project in the request's URL: the configuration key
 * `userProjectOverride` (docs/wire.md section 12).
 */
export function userProjectLayer(billingProject: string | undefined): Layer {
  return (next) => (request) => {
    const ofResource = /\/projects\/([^/]+)\//.exec(new URL(request.url).pathname)?.[1];
    const project = billingProject ?? (ofResource === undefined ? undefined : decodeURIComponent(ofResource));
    if (project === undefined) return next(request);
    return next({ ...request, headers: { ...request.headers, "x-goog-user-project": project } });
  };
}
