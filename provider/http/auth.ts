import type { ResolvedConfiguration } from "../core/config/resolve";
import { CancelledError, TimeoutError } from "../core/errors";
import { configuredToken } from "./access-token";
import { ambientQuotaProject, GoogleAuthSource } from "./google-auth";
import type { Layer } from "./send";

/** Gives access tokens, and what else credentials know. */
export interface TokenSource {
  /** A token that is good for at least some minutes. `fresh`: the last one was refused, get another. */
  token(options?: { fresh?: boolean }): Promise<string>;
  /** Project to bill quota to, from the credentials or `GOOGLE_CLOUD_QUOTA_PROJECT`. */
  quotaProject(): Promise<string | undefined>;
  /** Project that the credentials belong to. */
  project(): Promise<string | undefined>;
  /** The service account that requests are made as; undefined for users and where nothing says. */
  serviceAccount(): Promise<string | undefined>;
}

/**
 * The token source that a configuration asks for: an access token, or credentials, or Application Default Credentials,
 * with impersonation over any of them. What is set explicitly beats what the environment has; on one level, a token
 * beats credentials (wire reference section 13).
 */
export function tokenSource(configuration: ResolvedConfiguration): TokenSource {
  const { values, fromEnvironment } = configuration;
  const explicit = (key: "accessToken" | "credentials") => values[key] !== undefined && !fromEnvironment.has(key);
  const useToken = values.accessToken !== undefined && (explicit("accessToken") || !explicit("credentials"));
  return useToken && values.impersonateServiceAccount === undefined
    ? new AccessTokenSource(configuration)
    : new GoogleAuthSource(configuration, useToken);
}

class AccessTokenSource implements TokenSource {
  constructor(private readonly configuration: ResolvedConfiguration) {}

  token(): Promise<string> {
    return configuredToken(this.configuration);
  }

  quotaProject(): Promise<string | undefined> {
    return Promise.resolve(ambientQuotaProject(this.configuration));
  }

  project(): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  serviceAccount(): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }
}

/** Adds the token; an answer 401 gets one more try with a fresh one. The wait for a token ends with the request. */
export function authLayer(source: TokenSource): Layer {
  return (next) => async (request) => {
    const waitFor = <T>(promise: Promise<T>) => unlessAborted(request.signal, promise);
    const quota = request.headers["x-goog-user-project"] ? undefined : await waitFor(source.quotaProject());
    const send = async (fresh: boolean) =>
      next({
        ...request,
        headers: {
          ...(quota ? { "x-goog-user-project": quota } : {}),
          ...request.headers,
          authorization: `Bearer ${await waitFor(source.token({ fresh }))}`,
        },
      });
    const response = await send(false);
    return response.status === 401 ? send(true) : response;
  };
}

/** What the promise gives, unless the signal is aborted first: the promise is left to itself then. Nothing was sent. */
async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(unsent(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function unsent(reason: unknown): TimeoutError | CancelledError {
  const message = reason instanceof Error ? reason.message : "Stopped while waiting for credentials";
  return reason instanceof TimeoutError
    ? new TimeoutError(message, { effect: "none" })
    : new CancelledError(message, { effect: "none" });
}
