import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { DEFAULTS } from "../core/config/definition";
import { settingOf, sourceOf, type ResolvedConfiguration } from "../core/config/resolve";
import { CredentialsError, PerimeterError, systemCodeOf } from "../core/errors";
import { recordIn } from "../core/json";
import { once } from "../core/once";
import type { Values } from "../core/unknown";
import { failureInWords } from "./credential-failures";
import { universeOfProvider } from "./endpoints";
import {
  defaultCredentials,
  exchangedBy,
  forgetToken,
  googleAuthLibrary,
  ownProjectOf,
  serviceAccountOf,
  signOutsideDefaultUniverse,
  transporter,
  universeOf,
  type GoogleAuth,
  type GoogleClient,
} from "./google-clients";
import type { TokenSource } from "./token-source";

export type { TokenSource } from "./token-source";

/**
 * The tokens of a configuration: of an access token, of credentials, or of Application Default Credentials, each with or
 * without impersonation. Explicit settings are preferred to the environment's, and then a token to credentials (docs/wire.md
 * section 13).
 */
export function tokenSource(configuration: ResolvedConfiguration): TokenSource {
  return new Credentials(configuration);
}

/** The value of `accessToken`, if it is preferred to `credentials`. */
function accessTokenOf({ values, fromEnvironment }: ResolvedConfiguration): string | undefined {
  const explicit = (key: "accessToken" | "credentials") => values[key] !== undefined && !fromEnvironment.has(key);
  return explicit("accessToken") || !explicit("credentials") ? values.accessToken : undefined;
}

/** What a user can do if an API refuses the configured access token; undefined for tokens that the provider gets itself. */
export function whenTokenRefused(configuration: ResolvedConfiguration): string | undefined {
  const { values, fromEnvironment } = configuration;
  if (accessTokenOf(configuration) === undefined || values.impersonateServiceAccount !== undefined) return undefined;
  const refused = `The token in ${settingOf("accessToken", configuration)} was refused: it may be expired`;
  if (fromEnvironment.has("accessToken")) return refused;
  return (
    `${refused}. With the plugin, pulumi refresh and pulumi destroy use the token that the last pulumi up wrote to the state. ` +
    "If you replaced it since then, run pulumi up first, or add --run-program"
  );
}

/**
 * Seconds for which the tokens of an impersonated account are valid. More than an hour needs a policy of the organization:
 * https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
 */
const LIFETIME_S = 3600;

/**
 * google-auth-library implements the protocols and caches the tokens. This class chooses its inputs and describes its failures.
 * An access token without impersonation needs no library, whose loading takes 45 ms of processor time.
 */
class Credentials implements TokenSource {
  private readonly auth = once(() => this.loadAuth());
  /** The configured credentials, which may impersonate an account. */
  private readonly source = once(() => this.loadSource());
  private readonly client = once(() => this.loadClient());
  private readonly ownAccount = once(async () => serviceAccountOf(await this.client()));
  private readonly inFlight = new Map<boolean, Promise<string>>();
  /** The value of that key, if it is used. */
  private readonly accessToken: string | undefined;
  /** The access token if the requests are sent with it, and not with a token from the library. */
  private readonly ownToken: string | undefined;

  constructor(private readonly configuration: ResolvedConfiguration) {
    const { impersonateServiceAccount } = configuration.values;
    this.accessToken = accessTokenOf(configuration);
    this.ownToken = impersonateServiceAccount === undefined ? this.accessToken : undefined;
  }

  async token(options?: { fresh?: boolean }): Promise<string> {
    if (this.ownToken !== undefined) return configuredToken(this.ownToken, this.configuration);
    // Concurrent requests share one refresh; the library refreshes before the expiry. Requests for a fresh token do not share
    // with requests for the cached one, which may be the token that was refused.
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
        throw new CredentialsError("The credentials gave no access token: the response to the token request has none");
      if (!TOKEN.test(token))
        throw new CredentialsError(
          "The credentials gave no access token: the one in the response has characters that a token cannot have",
        );
      return token;
    } catch (error) {
      if (error instanceof PerimeterError) throw error;
      // Without the library's error as its cause, because that may quote a token or a file.
      throw new CredentialsError(`The credentials gave no access token: ${failureInWords(error, exchangedBy(client))}`);
    }
  }

  async quotaProject(): Promise<string | undefined> {
    const { GOOGLE_CLOUD_QUOTA_PROJECT, CLOUDSDK_BILLING_QUOTA_PROJECT } = this.configuration.environment;
    const project = GOOGLE_CLOUD_QUOTA_PROJECT || CLOUDSDK_BILLING_QUOTA_PROJECT;
    if (project) return project;
    return this.ownToken === undefined ? ((await this.client()).quotaProjectId ?? undefined) : undefined;
  }

  async project(): Promise<string | undefined> {
    if (this.ownToken !== undefined) return undefined;
    try {
      return await ownProjectOf(await this.source());
    } catch (error) {
      if (error instanceof PerimeterError) throw error;
      throw new CredentialsError(`The credentials gave no project: ${failureInWords(error)}`);
    }
  }

  async serviceAccount(): Promise<string | undefined> {
    const { impersonateServiceAccount } = this.configuration.values;
    if (impersonateServiceAccount !== undefined) return impersonateServiceAccount;
    if (this.ownToken !== undefined) return undefined;
    return this.ownAccount();
  }

  private async loadAuth(): Promise<GoogleAuth> {
    const { values } = this.configuration;
    const { credentials } = values;
    return defaultCredentials({
      scopes: values.scopes ?? [...DEFAULTS.scopes],
      clientOptions: { transporter: transporter() },
      // Without the universe: it would replace the credentials' own.
      ...(credentials === undefined
        ? {}
        : { credentials: await configuredCredentials(credentials, this.configuration) }),
    });
  }

  private async loadSource(): Promise<GoogleClient> {
    return this.accessToken === undefined ? this.defaultClient() : this.tokenClient(this.accessToken);
  }

  private async loadClient(): Promise<GoogleClient> {
    const { values } = this.configuration;
    const source = await this.source();
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

  /** A client for impersonation with an access token. A token does not contain its universe: it counts as the provider's. */
  private tokenClient(accessToken: string): GoogleClient {
    const { OAuth2Client } = googleAuthLibrary();
    const universeDomain = universeOfProvider(this.configuration);
    const client = new OAuth2Client({ universeDomain, transporter: transporter() });
    // Expired immediately, so that a file with the token is read for each use.
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
          "Sources tried, in this order: accessToken and credentials in the perimeter configuration, GOOGLE_OAUTH_ACCESS_TOKEN,",
          "GOOGLE_CREDENTIALS, GOOGLE_CLOUD_KEYFILE_JSON, GCLOUD_KEYFILE_JSON, GOOGLE_APPLICATION_CREDENTIALS, gcloud's",
          "application default credentials, and the metadata server.",
          "Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.",
          "To use an emulator, which needs no credentials, set PERIMETER_EMULATOR_HOST: it is not set.",
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
 * The credentials in the key `credentials`: JSON text, or the path of a JSON file.
 *
 * @throws CredentialsError if it is not a JSON object. It never quotes the text, which may be key material.
 */
async function configuredCredentials(given: string, configuration: ResolvedConfiguration): Promise<Values> {
  const key = sourceOf("credentials", configuration);
  const parsed = recordIn(given.trimStart().startsWith("{") ? given : await readNamedFile(given, key));
  if (parsed) return parsed;
  throw new CredentialsError(`${key} must be the JSON of a credentials file, or the path of one`);
}

/** A bearer token by RFC 6750, section 2.1 (`b64token`). */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * The token in the key `accessToken`: the text itself, or the current text of the file that it names. Tokens do not begin with
 * a slash or with a dot and a slash, so a text that does is a path.
 *
 * @throws CredentialsError if it is not a token. It never quotes the text: another text (a key file, any file of the
 *   machine) is probably secret.
 */
async function configuredToken(given: string, configuration: ResolvedConfiguration): Promise<string> {
  const key = sourceOf("accessToken", configuration);
  if (!isPath(given)) return tokenIn(given, key, "be");
  return tokenIn(await readNamedFile(given, key), `the file that ${key} names`, "hold");
}

function tokenIn(text: string, where: string, verb: "be" | "hold"): string {
  const token = text.trim();
  const wrong = mistakeIn(token, verb);
  if (wrong === undefined) return token;
  throw new CredentialsError(`No usable access token: ${where} ${wrong}`);
}

/** The mistake in a text that should be a token, as the continuation of its source; undefined for a token. */
function mistakeIn(token: string, verb: "be" | "hold"): string | undefined {
  if (token === "") return `is empty; it must ${verb} one token`;
  if (token.startsWith("{")) return "holds JSON: give credentials as perimeter:credentials, not as an access token";
  if (/[\r\n]/.test(token)) return `has several lines; it must ${verb} one token`;
  if (/\s/.test(token)) return `must ${verb} only a token, without spaces and without the word Bearer`;
  if (!TOKEN.test(token)) {
    return "has characters that are not allowed in a token: it must consist of letters, digits and - . _ ~ + /, with = at its end only";
  }
  return undefined;
}

/** Whether a configured text begins like the path of a file. `~/` is the home folder. */
function isPath(text: string): boolean {
  return /^(~?\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(text);
}

/** Replaces `~/` in a configured path, which Node.js does not do. */
export function expanded(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

/**
 * The text of a file that the configuration names.
 *
 * @param key the setting with the path, for the message: the path itself may be a secret by mistake.
 * @throws CredentialsError if it cannot be read.
 */
async function readNamedFile(path: string, key: string): Promise<string> {
  try {
    return await readFile(expanded(path), "utf8");
  } catch (error) {
    throw new CredentialsError(`Cannot read the file that ${key} names: ${systemCodeOf(error) ?? "it is not a file"}`);
  }
}
