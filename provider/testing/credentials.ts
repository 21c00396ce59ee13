import type { TokenSource } from "../http/credentials";

/** Credentials that have a token, and what else the test gives them. */
export function testCredentials(given: Partial<TokenSource> = {}): TokenSource {
  return {
    token: () => Promise.resolve("t"),
    quotaProject: () => Promise.resolve(undefined),
    project: () => Promise.resolve(undefined),
    serviceAccount: () => Promise.resolve(undefined),
    ...given,
  };
}
