import { DEFAULTS } from "../core/config/definition";
import { sourceOf, type ResolvedConfiguration } from "../core/config/resolve";
import { CredentialsError, PerimeterError } from "../core/errors";
import { once } from "../core/once";
import { recordIn } from "../core/json";
import type { Values } from "../core/unknown";
import { configuredToken } from "./access-token";
import { failureInWords } from "./credential-failures";
import { universeOfProvider } from "./endpoints";
import {
  defaultCredentials,
  forgetToken,
  googleAuthLibrary,
  serviceAccountOf,
  signOutsideDefaultUniverse,
  transporter,
  universeOf,
  type GoogleAuth,
  type GoogleClient,
} from "./google-clients";
import { readNamedFile } from "./named-file";
import { quotaProjectOf, type TokenSource } from "./token-source";

/**
 * Seconds for which the tokens of an impersonated account are good. More than an hour needs a policy of the organization:
 * https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
 */
const LIFETIME_S = 3600;

/**
 * The tokens of google-auth-library, which does the protocols and the caching. This decides what the library is given, and
 * words its failures.
 */
export class GoogleAuthSource implements TokenSource {
  private readonly auth = once(() => this.loadAuth());
  private readonly client = once(() => this.loadClient());
  private readonly inFlight = new Map<boolean, Promise<string>>();

  /** @param accessToken the value of that key, where impersonation is to go over it. Default: credentials. */
  constructor(
    private readonly configuration: ResolvedConfiguration,
    private readonly accessToken: string | undefined,
  ) {}

  async token(options?: { fresh?: boolean }): Promise<string> {
    // Concurrent requests share one refresh; the library itself refreshes ahead of the expiry. A fresh token is not
    // shared with a request that only wants the cached one, which may be the very token that was refused.
    const fresh = options?.fresh === true;
    const running = this.inFlight.get(fresh) ?? this.fetchToken(fresh).finally(() => this.inFlight.delete(fresh));
    this.inFlight.set(fresh, running);
    return running;
  }

  private async fetchToken(fresh: boolean): Promise<string> {
    const client = await this.client();
    try {
      if (fresh) forgetToken(client);
      const { token } = await client.getAccessToken();
      if (!token)
        throw new CredentialsError("The credentials gave no access token: the answer to the request for one has none");
      return token;
    } catch (error) {
      if (error instanceof PerimeterError) throw error;
      // Not with the library's error as its cause, which may quote a token or a file.
      throw new CredentialsError(`The credentials gave no access token: ${failureInWords(error)}`);
    }
  }

  async quotaProject(): Promise<string | undefined> {
    return quotaProjectOf(this.configuration.environment) ?? (await this.client()).quotaProjectId ?? undefined;
  }

  async project(): Promise<string | undefined> {
    try {
      // The library looks into files and the metadata server, but into explicit credentials only once they are a client.
      await this.client();
      return (await (await this.auth()).getProjectId()) || undefined;
    } catch {
      return undefined;
    }
  }

  async serviceAccount(): Promise<string | undefined> {
    const { impersonateServiceAccount } = this.configuration.values;
    if (impersonateServiceAccount !== undefined) return impersonateServiceAccount;
    return serviceAccountOf(await this.client());
  }

  private async loadAuth(): Promise<GoogleAuth> {
    const { values } = this.configuration;
    const { credentials } = values;
    return defaultCredentials({
      scopes: values.scopes ?? [...DEFAULTS.scopes],
      clientOptions: { transporter: transporter() },
      // Without the universe: given here, it would take the place of the credentials' own.
      ...(credentials === undefined
        ? {}
        : { credentials: await configuredCredentials(credentials, this.configuration) }),
    });
  }

  private async loadClient(): Promise<GoogleClient> {
    const { values } = this.configuration;
    const source = this.accessToken === undefined ? await this.defaultClient() : this.tokenClient(this.accessToken);
    if (values.impersonateServiceAccount === undefined) return source;
    const { Impersonated } = googleAuthLibrary();
    return new Impersonated({
      sourceClient: source,
      targetPrincipal: values.impersonateServiceAccount,
      delegates: values.impersonateServiceAccountDelegates ?? [],
      targetScopes: values.scopes ?? [...DEFAULTS.scopes],
      lifetime: LIFETIME_S,
    });
  }

  /** A client for impersonation over an access token. A token does not say its universe: it is taken for the provider's. */
  private tokenClient(accessToken: string): GoogleClient {
    const { OAuth2Client } = googleAuthLibrary();
    const universeDomain = universeOfProvider(this.configuration);
    const client = new OAuth2Client({ universeDomain, transporter: transporter() });
    // Expired at once, so that the file that may hold the token is read for each use.
    client.refreshHandler = async () => ({
      access_token: await configuredToken(accessToken, this.configuration),
      expiry_date: 1,
    });
    return client;
  }

  private async defaultClient(): Promise<GoogleClient> {
    try {
      const client = await (await this.auth()).getClient();
      await this.checkUniverse(client);
      signOutsideDefaultUniverse(client);
      return client;
    } catch (error) {
      if (error instanceof PerimeterError) throw error;
      throw new CredentialsError(
        [
          `No usable Google Cloud credentials: ${failureInWords(error)}`,
          "Looked at, in this order: accessToken and credentials in the perimeter configuration, GOOGLE_OAUTH_ACCESS_TOKEN,",
          "GOOGLE_CREDENTIALS, GOOGLE_CLOUD_KEYFILE_JSON, GCLOUD_KEYFILE_JSON, GOOGLE_APPLICATION_CREDENTIALS, gcloud's",
          "application default credentials, and the metadata server.",
          "Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.",
        ].join("\n  "),
      );
    }
  }

  private async checkUniverse(client: GoogleClient): Promise<void> {
    const actual = await universeOf(client, this.auth);
    const wanted = universeOfProvider(this.configuration);
    if (actual === wanted) return;
    throw new CredentialsError(
      `The credentials belong to the universe ${actual}, the provider is set to ${wanted}: ` +
        "set universeDomain to match, or give other credentials",
    );
  }
}

/**
 * The credentials that the key `credentials` gives: JSON text, or the path of a file that holds it.
 *
 * @throws CredentialsError where that is no JSON object. It never quotes the text, which may be key material.
 */
async function configuredCredentials(given: string, configuration: ResolvedConfiguration): Promise<Values> {
  const key = sourceOf("credentials", configuration);
  const parsed = recordIn(given.trimStart().startsWith("{") ? given : await readNamedFile(given, key));
  if (parsed) return parsed;
  throw new CredentialsError(`${key} must be the JSON of a credentials file, or the path of one`);
}
