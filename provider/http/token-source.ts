/** Provides access tokens and the properties of the credentials. */
export interface TokenSource {
  /**
   * A token that is valid for at least some minutes.
   *
   * @param options `fresh`: the API refused the last token, get another.
   * @throws CredentialsError
   */
  token(options?: { fresh?: boolean }): Promise<string>;
  /** The project to bill quota to: from the environment, or else from the credentials. */
  quotaProject(): Promise<string | undefined>;
  /**
   * The project of the credentials; undefined if they have none.
   *
   * @throws CredentialsError if they cannot be used.
   */
  project(): Promise<string | undefined>;
  /** The email of the service account that sends the requests; undefined for users and if unknown. */
  serviceAccount(): Promise<string | undefined>;
}
