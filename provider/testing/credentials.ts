import type { TokenSource } from "../http/credentials";

/** Credentials with a token and without a project. @param given functions that replace these */
export function testCredentials(given: Partial<TokenSource> = {}): TokenSource {
  return {
    token: () => Promise.resolve("t"),
    quotaProject: () => Promise.resolve(undefined),
    project: () => Promise.resolve(undefined),
    serviceAccount: () => Promise.resolve(undefined),
    ...given,
  };
}
