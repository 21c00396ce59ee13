import type { ResolvedConfiguration } from "../core/config/resolve";
import { CredentialsError, redact } from "../core/errors";
import { once } from "../core/once";
import { isRecord, textOf } from "../core/unknown";
import { configuredCredentials, configuredToken } from "./access-token";
import type { TokenSource } from "./auth";
import {
  DEFAULT_UNIVERSE,
  forgetToken,
  googleAuthLibrary,
  neverProxied,
  serviceAccountOf,
  signOutsideDefaultUniverse,
  universeOf,
  type GoogleAuth,
  type GoogleClient,
} from "./google-clients";

/** A token endpoint that does not answer must not hang the run, nor one that answers without end fill the memory. */
const tokenRequests = () => ({ timeout: 30_000, size: 2 ** 20, noProxy: neverProxied() });
const CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform";

/** google-auth-library does the protocols and the caching; this decides what it is given and words its failures. */
export class GoogleAuthSource implements TokenSource {
  private readonly client: () => Promise<GoogleClient>;
  private readonly auth: () => Promise<GoogleAuth>;
  private readonly inFlight = new Map<boolean, Promise<string>>();

  constructor(
    private readonly configuration: ResolvedConfiguration,
    useToken: boolean,
  ) {
    this.auth = once(() => this.loadAuth());
    this.client = once(() => this.loadClient(useToken));
  }

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
      if (!token) throw new Error("the token endpoint answered without a token");
      return token;
    } catch (error) {
      if (error instanceof CredentialsError) throw error;
      // Not with the library's error as its cause, which may quote a token or a file.
      throw new CredentialsError(`The credentials gave no access token: ${causesInWords(error)}`);
    }
  }

  async quotaProject(): Promise<string | undefined> {
    return ambientQuotaProject(this.configuration) ?? (await this.client()).quotaProjectId ?? undefined;
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

  private async loadAuth() {
    const { GoogleAuth } = googleAuthLibrary();
    const { values } = this.configuration;
    const credentials = values.credentials === undefined ? undefined : await configuredCredentials(this.configuration);
    return new GoogleAuth({
      scopes: values.scopes ?? [CLOUD_PLATFORM],
      clientOptions: { transporterOptions: tokenRequests() },
      // Without the universe: given here, it would take the place of the credentials' own.
      ...(credentials ? { credentials } : {}),
    });
  }

  private async loadClient(useToken: boolean): Promise<GoogleClient> {
    const { values } = this.configuration;
    const source = useToken ? this.tokenClient() : await this.defaultClient();
    if (values.impersonateServiceAccount === undefined) return source;
    const { Impersonated } = googleAuthLibrary();
    return new Impersonated({
      sourceClient: source,
      targetPrincipal: values.impersonateServiceAccount,
      delegates: values.impersonateServiceAccountDelegates ?? [],
      targetScopes: values.scopes ?? [CLOUD_PLATFORM],
      lifetime: 3600,
    });
  }

  /** For impersonation by an access token, which is of the provider's universe, for it does not say of which. */
  private tokenClient(): GoogleClient {
    const { OAuth2Client } = googleAuthLibrary();
    const client = new OAuth2Client({ universeDomain: this.universe, transporterOptions: tokenRequests() });
    // Over at once, so that the file that may hold the token is read for each use.
    client.refreshHandler = async () => ({ access_token: await configuredToken(this.configuration), expiry_date: 1 });
    return client;
  }

  private async defaultClient(): Promise<GoogleClient> {
    try {
      const client = await (await this.auth()).getClient();
      await this.checkUniverse(client);
      signOutsideDefaultUniverse(client);
      return client;
    } catch (error) {
      if (error instanceof CredentialsError) throw error;
      throw new CredentialsError(
        [
          `No usable Google Cloud credentials: ${causesInWords(error)}`,
          "Looked at, in this order: accessToken and credentials in the perimeter configuration, GOOGLE_OAUTH_ACCESS_TOKEN,",
          "GOOGLE_CREDENTIALS, GOOGLE_CLOUD_KEYFILE_JSON, GCLOUD_KEYFILE_JSON, GOOGLE_APPLICATION_CREDENTIALS, gcloud's",
          "application default credentials, and the metadata server.",
          "Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.",
        ].join("\n  "),
      );
    }
  }

  private get universe(): string {
    return this.configuration.values.universeDomain ?? DEFAULT_UNIVERSE;
  }

  private async checkUniverse(client: GoogleClient): Promise<void> {
    const actual = await universeOf(client, this.auth);
    if (actual === this.universe) return;
    throw new CredentialsError(
      `The credentials belong to the universe ${actual}, the provider is set to ${this.universe}: ` +
        "set universeDomain to match, or give other credentials",
    );
  }
}

/** The project to bill quota to that the environment names. */
export function ambientQuotaProject({ environment }: ResolvedConfiguration): string | undefined {
  return environment.GOOGLE_CLOUD_QUOTA_PROJECT || environment.CLOUDSDK_BILLING_QUOTA_PROJECT || undefined;
}

/** The library words a lost connection as "Unexpected Gaxios Error"; what happened is in the causes. */
function causesInWords(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; at !== undefined && messages.length < 4; at = (at as { cause?: unknown }).cause) {
    const message = at instanceof Error || isRecord(at) ? textOf(at.message) : String(at);
    if (message !== "" && message !== "Unexpected Gaxios Error") messages.push(withoutQuotes(message));
  }
  return redact(messages.join(": "));
}

/** V8 quotes the beginning of what is not JSON, and fetch implementations whole headers: either may be a secret. */
function withoutQuotes(message: string): string {
  return message
    .replace(/Unexpected token [\s\S]*is not valid JSON$/, "it is not JSON")
    .replace(/"[\s\S]*" is an? invalid header value/, "a header would have an invalid value");
}
