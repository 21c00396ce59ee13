import type { Environment } from "../core/config/environment";

/** Gives access tokens, and what else credentials know. */
export interface TokenSource {
  /**
   * A token that is good for at least some minutes.
   *
   * @param options `fresh`: the API refused the last token, get another.
   * @throws CredentialsError
   */
  token(options?: { fresh?: boolean }): Promise<string>;
  /** The project to bill quota to: the one that the environment names, else the one in the credentials. */
  quotaProject(): Promise<string | undefined>;
  /** The project that the credentials belong to. */
  project(): Promise<string | undefined>;
  /** The email of the service account that requests are made as; undefined for users and where nothing says. */
  serviceAccount(): Promise<string | undefined>;
}

/** The project to bill quota to that the environment names: Google's own variable first, then gcloud's. */
export function quotaProjectOf(environment: Environment): string | undefined {
  return environment.GOOGLE_CLOUD_QUOTA_PROJECT || environment.CLOUDSDK_BILLING_QUOTA_PROJECT || undefined;
}
