/* eslint-disable @typescript-eslint/no-require-imports */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { DEFAULTS } from "../core/config/definition";
import { CredentialsError, messageOf } from "../core/errors";
import { once } from "../core/once";
import { isRecord } from "../core/unknown";
import type { Exchanged } from "./credential-failures";
import { pooledFetch, sharedPools } from "./pool";

/**
 * Settings and corrections of google-auth-library: how its requests are sent, how each kind of client forgets its token, the
 * service account of a client, and how a key of another universe gets a token.
 */

export type GoogleAuth = import("google-auth-library").GoogleAuth;
export type GoogleClient = import("google-auth-library").AuthClient;
type ExternalClient = import("google-auth-library").BaseExternalAccountClient;
type Gaxios = import("google-auth-library").gaxios.Gaxios;

export const googleAuthLibrary = once(() => {
  // Loaded at the first token. Not with `import()`, which fails in users' jest tests without a flag.
  const library = require("google-auth-library") as typeof import("google-auth-library");
  // Requests to the metadata server accept no other options.
  library.gaxios.instance.defaults.noProxy = metadataServers().flatMap((url) =>
    URL.canParse(url) ? [new URL(url).origin] : [],
  );
  // The library does not handle the error event of a command that cannot be started: it would end the process.
  const { prototype } = library.PluggableAuthClient;
  const { retrieveSubjectToken } = prototype;
  prototype.retrieveSubjectToken = async function () {
    const command: unknown = Reflect.get(this, "command");
    if (typeof command === "string") await requireRunnable(command);
    return retrieveSubjectToken.call(this);
  };
  return library;
});

/** The metadata server by its address and by its name, or the one that the environment names. */
function metadataServers(): string[] {
  const { GCE_METADATA_IP, GCE_METADATA_HOST } = process.env;
  const server = GCE_METADATA_IP || GCE_METADATA_HOST;
  if (!server) return ["http://169.254.169.254", "http://metadata.google.internal."];
  return [/^https?:/.test(server) ? server : `http://${server}`];
}

/**
 * The library's Application Default Credentials, with a search for the metadata server that prints nothing. The library's own
 * search prints a MetadataLookupWarning on a machine without such a server (googleapis/google-cloud-node#7668). Releases that
 * print it less often need Node.js 22.
 *
 * A token needs no project, so none is searched for: the library would ask gcloud, the metadata server and the Resource Manager
 * before it gives a client, and would give none if the Resource Manager refuses (`ownProjectOf` searches).
 *
 * @param options as for the library's `GoogleAuth`
 */
export function defaultCredentials(options: import("google-auth-library").GoogleAuthOptions): GoogleAuth {
  const { BaseExternalAccountClient, GoogleAuth, gcpMetadata, gaxios } = googleAuthLibrary();
  const headers = gcpMetadata.HEADERS;
  const answers = async (server: string): Promise<void> => {
    const url = new URL(`${gcpMetadata.BASE_PATH}/instance`, server);
    const response = await gaxios.request({ url, headers, responseType: "text", timeout: 3_000, retry: false });
    if (response.headers.get(gcpMetadata.HEADER_NAME) !== gcpMetadata.HEADER_VALUE) throw new Error("another server");
  };
  const hasServer = once(async () => {
    const { METADATA_SERVER_DETECTION: how } = process.env;
    // The library decides the cases that need no request.
    if (how && how.trim().toLowerCase() !== "ping-only") return gcpMetadata.isAvailable();
    return Promise.any(metadataServers().map(answers)).then(
      () => true,
      () => false,
    );
  });
  return new (class extends GoogleAuth {
    override async _checkIsGCE(): Promise<boolean> {
      return gcpMetadata.getGCPResidency() || hasServer();
    }

    /** The library also calls this for the source of an impersonated account, without the options of the other clients. */
    override fromJSON(...[json, more]: Parameters<GoogleAuth["fromJSON"]>): ReturnType<GoogleAuth["fromJSON"]> {
      const client = super.fromJSON(json, { ...options.clientOptions, ...more });
      if (client instanceof BaseExternalAccountClient) exchangeOverSharedPools(client);
      return client;
    }
  })({ ...options, projectId: NO_PROJECT });
}

/** With any project, the library does not search for one. Nothing uses this text. */
const NO_PROJECT = "none";

/**
 * Checks that the program of a command line exists. The line is split as in the library.
 *
 * @throws CredentialsError if it does not, without the line, whose arguments may be secret.
 */
async function requireRunnable(command: string): Promise<void> {
  const program = (/(?:[^\s"]+|"[^"]*")+/.exec(command)?.[0] ?? "").replace(/^"(.*)"$/, "$1");
  const folders = /[\\/]/.test(program) ? [""] : (process.env.PATH ?? "").split(delimiter);
  const endings = process.platform === "win32" ? ["", ".exe", ".com"] : [""];
  for (const file of folders.flatMap((folder) => endings.map((ending) => join(folder, program) + ending))) {
    try {
      await access(file, constants.X_OK);
      if ((await stat(file)).isFile()) return;
    } catch {
      // Another folder may have the program.
    }
  }
  throw new CredentialsError(
    "The credentials gave no access token: their command cannot be run: its program does not exist or is not executable",
  );
}

/** Milliseconds: a token endpoint must not block the run. */
const TOKEN_MS = 30_000;

/**
 * Sends the library's requests over the connections of the API requests, which know the proxy and the authorities of the
 * environment.
 *
 * @throws ConfigurationError if these are wrong.
 */
export function transporter(): Gaxios {
  const { Gaxios } = googleAuthLibrary().gaxios;
  sharedPools();
  return new Gaxios(OVER_SHARED_POOLS);
}

/** Without an agent of the library for the proxy. */
const OVER_SHARED_POOLS = { timeout: TOKEN_MS, fetchImplementation: pooledFetch, noProxy: [/^/] };

/**
 * Sends the exchange of an identity for a token in the same way. The library gives the exchange a transporter of its own, and
 * another one with the certificate of the machine after it read the identity. No option changes that.
 */
function exchangeOverSharedPools(client: ExternalClient): void {
  const retrieveSubjectToken = client.retrieveSubjectToken.bind(client);
  client.retrieveSubjectToken = async () => {
    const token = await retrieveSubjectToken();
    // Protected fields.
    const exchange: unknown = Reflect.get(client, "stsCredential");
    const sender: unknown = isRecord(exchange) ? exchange.transporter : undefined;
    if (sender instanceof googleAuthLibrary().gaxios.Gaxios) Object.assign(sender.defaults, OVER_SHARED_POOLS);
    return token;
  };
}

/** The client whose token an impersonating client uses. */
function sourceOf(client: GoogleClient): GoogleClient | undefined {
  const { AuthClient, Impersonated } = googleAuthLibrary();
  if (!(client instanceof Impersonated)) return undefined;
  // A private field, which is not in the library's types.
  const source: unknown = Reflect.get(client, "sourceClient");
  return source instanceof AuthClient ? source : undefined;
}

/**
 * Makes each key of another universe sign its own tokens, because only Google's universe has a server that exchanges a key's
 * signature for a token. The library does so for its own requests, but `getAccessToken`, which impersonation also calls, asks
 * the token endpoint of Google's universe.
 */
export function signOutsideDefaultUniverse(client: GoogleClient): void {
  const { JWT } = googleAuthLibrary();
  const source = sourceOf(client);
  if (source) signOutsideDefaultUniverse(source);
  if (!(client instanceof JWT) || client.universeDomain === DEFAULTS.universeDomain) return;
  const getAccessToken = async () => {
    const headers = await client.getRequestHeaders();
    return { token: headers.get("authorization")?.replace(/^Bearer /, "") };
  };
  Object.assign(client, { getAccessToken });
}

/** Makes the client and its source get another token for the next request, because the API refused the last one. */
export function forgetToken(client: GoogleClient): void {
  const source = sourceOf(client);
  if (source) forgetToken(source);
  client.credentials = { ...client.credentials, access_token: null, expiry_date: 1 };
  // More caches: of workload and workforce identities, and of keys that sign their tokens.
  if ("cachedAccessToken" in client) client.cachedAccessToken = null;
  if ("access" in client) client.access = undefined;
}

/** The universe of the credentials. For a machine's own credentials, only the metadata server knows it. */
export async function universeOf(client: GoogleClient, auth: () => Promise<GoogleAuth>): Promise<string> {
  const { Compute } = googleAuthLibrary();
  if (!(client instanceof Compute)) return client.universeDomain;
  try {
    return await (await auth()).getUniverseDomainFromMetadataServer();
  } catch (error) {
    // Replacements of Google's server (of GKE and of other tools) may not know this request.
    if (isRecord(error) && error.response) return DEFAULTS.universeDomain;
    throw error;
  }
}

/**
 * The project of the credentials; undefined if neither they nor the machine have one. It is searched in the environment, in the
 * credentials, in gcloud's configuration and at the metadata server. The project of a workload identity is the one of its pool,
 * which only the Resource Manager knows.
 */
export async function ownProjectOf(client: GoogleClient): Promise<string | undefined> {
  const { GoogleAuth, BaseExternalAccountClient } = googleAuthLibrary();
  try {
    return (await new GoogleAuth({ authClient: client }).getProjectId()) || undefined;
  } catch (error) {
    // The library's error for this case has no code.
    if (!messageOf(error).startsWith("Unable to detect a Project Id")) throw error;
    return client instanceof BaseExternalAccountClient ? ((await client.getProjectId()) ?? undefined) : undefined;
  }
}

/** What the client, or the source of an impersonated account, exchanges for a token; undefined if it exchanges nothing. */
export function exchangedBy(client: GoogleClient): Exchanged | undefined {
  const { BaseExternalAccountClient, JWT, UserRefreshClient } = googleAuthLibrary();
  const source = sourceOf(client) ?? client;
  if (source instanceof BaseExternalAccountClient) return "identity";
  if (source instanceof UserRefreshClient) return "login";
  return source instanceof JWT ? "key" : undefined;
}

/** The service account that sends the client's requests; undefined for users and if unknown. */
export async function serviceAccountOf(client: GoogleClient): Promise<string | undefined> {
  const { Compute, Impersonated, BaseExternalAccountClient, JWT, gcpMetadata } = googleAuthLibrary();
  if (client instanceof Compute) {
    const property = `service-accounts/${client.serviceAccountEmail}/email`;
    // Replacements of Google's server may not know this request. That of GKE has the name of a pool for identities of clusters.
    const email: unknown = await gcpMetadata.instance({ property }).catch(() => undefined);
    return typeof email === "string" && email.includes("@") ? email.trim() : undefined;
  }
  if (client instanceof Impersonated) return client.getTargetPrincipal();
  if (client instanceof BaseExternalAccountClient) return client.getServiceAccountEmail() ?? undefined;
  return client instanceof JWT ? client.email : undefined;
}
