import type { ResolvedConfiguration } from "../core/config/resolve";
import { CredentialsError, redact } from "../core/errors";
import { configuredCredentials, configuredToken } from "./access-token";
import { DEFAULT_UNIVERSE } from "./endpoints";
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

/** A token endpoint that does not answer must not hang the run. */
const TOKEN_TIMEOUT_MS = 30_000;
const CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform";

/**
 * The token source that a configuration asks for: an access token, or credentials, or Application Default Credentials,
 * with impersonation over any of them. What is set explicitly beats what the environment has; on one level, a token
 * beats credentials (wire reference section 13).
 */
export function tokenSource(configuration: ResolvedConfiguration): TokenSource {
  const { values, fromEnvironment } = configuration;
  const explicit = (key: "accessToken" | "credentials") => values[key] !== undefined && !fromEnvironment.has(key);
  const useToken = values.accessToken !== undefined && (explicit("accessToken") || !explicit("credentials"));
  const source =
    useToken && values.impersonateServiceAccount === undefined
      ? new AccessTokenSource(configuration)
      : new GoogleAuthSource(configuration, useToken);
  return source;
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

/** Loaded at first use: a plugin starts faster than that. `import()` in CommonJS would fail under jest without a flag. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const googleAuthLibrary = () => require("google-auth-library") as typeof import("google-auth-library");

type GoogleClient = import("google-auth-library").AuthClient;

/** google-auth-library does the protocols and the caching; this decides what it is given and words its failures. */
class GoogleAuthSource implements TokenSource {
  private readonly client: Lazy<GoogleClient>;
  private readonly auth: Lazy<import("google-auth-library").GoogleAuth>;
  private readonly inFlight = new Map<boolean, Promise<string>>();

  constructor(
    private readonly configuration: ResolvedConfiguration,
    useToken: boolean,
  ) {
    this.auth = lazy(() => this.loadAuth());
    this.client = lazy(() => this.loadClient(useToken));
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
      if (fresh) client.credentials = { ...client.credentials, access_token: null, expiry_date: 1 };
      const { token } = await client.getAccessToken();
      if (!token) throw new Error("the token endpoint answered without a token");
      return token;
    } catch (error) {
      if (error instanceof CredentialsError) throw error;
      // Not with the library's error as its cause, which may quote a token or a file.
      throw new CredentialsError(`The credentials gave no access token: ${messageOf(error)}`);
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
    const { email } = (await this.client()) as { email?: unknown };
    return typeof email === "string" ? email : undefined;
  }

  private async loadAuth() {
    const { GoogleAuth } = googleAuthLibrary();
    const { values } = this.configuration;
    const credentials = values.credentials === undefined ? undefined : await configuredCredentials(this.configuration);
    return new GoogleAuth({
      scopes: values.scopes ?? [CLOUD_PLATFORM],
      clientOptions: { transporterOptions: { timeout: TOKEN_TIMEOUT_MS } },
      ...(credentials ? { credentials } : {}),
      ...(values.universeDomain ? { universeDomain: values.universeDomain } : {}),
    });
  }

  private async loadClient(useToken: boolean): Promise<GoogleClient> {
    const { values } = this.configuration;
    const source = useToken ? await this.tokenClient() : await this.defaultClient();
    await this.checkUniverse(source);
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

  private async tokenClient(): Promise<GoogleClient> {
    const { OAuth2Client } = googleAuthLibrary();
    const client = new OAuth2Client();
    client.setCredentials({ access_token: await configuredToken(this.configuration) });
    return client;
  }

  private async defaultClient(): Promise<GoogleClient> {
    try {
      return await (await this.auth()).getClient();
    } catch (error) {
      if (error instanceof CredentialsError) throw error;
      throw new CredentialsError(
        [
          `No usable Google Cloud credentials: ${messageOf(error)}`,
          "Looked at, in this order: accessToken and credentials in the perimeter configuration, GOOGLE_OAUTH_ACCESS_TOKEN,",
          "GOOGLE_CREDENTIALS, GOOGLE_CLOUD_KEYFILE_JSON, GCLOUD_KEYFILE_JSON, GOOGLE_APPLICATION_CREDENTIALS, gcloud's",
          "application default credentials, and the metadata server.",
          "Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.",
        ].join("\n  "),
      );
    }
  }

  private async checkUniverse(client: GoogleClient): Promise<void> {
    const wanted = this.configuration.values.universeDomain ?? DEFAULT_UNIVERSE;
    const actual = client.universeDomain;
    if (actual && actual !== wanted) {
      throw new CredentialsError(
        `The credentials belong to the universe ${actual}, the provider is set to ${wanted}: set universeDomain to match`,
      );
    }
  }
}

function ambientQuotaProject({ environment }: ResolvedConfiguration): string | undefined {
  return environment.GOOGLE_CLOUD_QUOTA_PROJECT || environment.CLOUDSDK_BILLING_QUOTA_PROJECT || undefined;
}

/** The library words a lost connection as "Unexpected Gaxios Error"; what happened is in the causes. */
function messageOf(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; at !== undefined && messages.length < 4; at = (at as { cause?: unknown }).cause) {
    const message = withoutQuotes(at instanceof Error ? at.message : String(at));
    if (message !== "Unexpected Gaxios Error") messages.push(message);
  }
  return redact(messages.join(": "));
}

/** V8 quotes the beginning of what is not JSON, and fetch implementations whole headers: either may be a secret. */
function withoutQuotes(message: string): string {
  return message
    .replace(/Unexpected token [\s\S]*is not valid JSON$/, "it is not JSON")
    .replace(/"[\s\S]*" is an? invalid header value/, "a header would have an invalid value");
}

type Lazy<T> = () => Promise<T>;

/** Computes once; a failure is not remembered, so that a later call can succeed. */
function lazy<T>(compute: () => Promise<T>): Lazy<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= compute().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}

/** Adds the token; an answer 401 gets one more try with a fresh one. */
export function authLayer(source: TokenSource): Layer {
  return (next) => async (request) => {
    const quota = request.headers["x-goog-user-project"] ? undefined : await source.quotaProject();
    const send = async (fresh: boolean) =>
      next({
        ...request,
        headers: {
          ...(quota ? { "x-goog-user-project": quota } : {}),
          ...request.headers,
          authorization: `Bearer ${await source.token({ fresh })}`,
        },
      });
    const response = await send(false);
    return response.status === 401 ? send(true) : response;
  };
}
