/**
 * What google-auth-library leaves to its callers, or gets wrong for ours: how each kind of client is told to forget its
 * token, whose it is, and how a key of another universe gives a token.
 */

type GoogleAuthLibrary = typeof import("google-auth-library");

let loaded: GoogleAuthLibrary | undefined;

/** Loaded at first use: a plugin starts faster than that. `import()` in CommonJS would fail under jest without a flag. */
export function googleAuthLibrary(): GoogleAuthLibrary {
  if (loaded) return loaded;
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  loaded = require("google-auth-library") as GoogleAuthLibrary;
  // The requests to the metadata server take no other options.
  loaded.gaxios.instance.defaults.noProxy = neverProxied();
  return loaded;
}

/**
 * What is on this machine or its link, and the metadata server wherever it is: a proxy cannot reach the one that is meant,
 * and has no business with its tokens. The library sends all of it through `HTTP_PROXY` where `NO_PROXY` does not name it.
 */
export function neverProxied(): (string | RegExp)[] {
  const { GCE_METADATA_IP, GCE_METADATA_HOST } = process.env;
  const server = GCE_METADATA_IP || GCE_METADATA_HOST || "metadata.google.internal";
  const url = /^https?:/.test(server) ? server : `http://${server}`;
  return [
    /^https?:\/\/(localhost|[^/:]+\.localhost|127(\.\d{1,3}){3}|\[::1\])[:/]/,
    /^https?:\/\/(169\.254(\.\d{1,3}){2}|\[f[de][0-9a-f]{2}:[0-9a-f:]+\]|metadata\.google\.internal\.?)[:/]/,
    ...(URL.canParse(url) ? [new URL(url).origin] : []),
  ];
}

export type GoogleAuth = import("google-auth-library").GoogleAuth;
export type GoogleClient = import("google-auth-library").AuthClient;

export const DEFAULT_UNIVERSE = "googleapis.com";

/** The client that an impersonating client gets its own token from. */
function sourceOf(client: GoogleClient): GoogleClient | undefined {
  return client instanceof googleAuthLibrary().Impersonated
    ? (client as unknown as { sourceClient: GoogleClient }).sourceClient
    : undefined;
}

/**
 * Makes every key among these clients sign its tokens itself where its universe is not Google's own: nobody there
 * exchanges them. The library does so for the requests that it sends itself; `getAccessToken`, which impersonation calls
 * too, would ask the token endpoint of the default universe.
 */
export function signOutsideDefaultUniverse(client: GoogleClient): void {
  const source = sourceOf(client);
  if (source) signOutsideDefaultUniverse(source);
  if (!(client instanceof googleAuthLibrary().JWT) || client.universeDomain === DEFAULT_UNIVERSE) return;
  const getAccessToken = async () => {
    const headers = await client.getRequestHeaders();
    return { token: headers.get("authorization")?.replace(/^Bearer /, "") };
  };
  Object.assign(client, { getAccessToken });
}

/** Makes the client, and the one behind it, get another token for the next request: the last one was refused. */
export function forgetToken(client: GoogleClient): void {
  const source = sourceOf(client);
  if (source) forgetToken(source);
  client.credentials = { ...client.credentials, access_token: null, expiry_date: 1 };
  // Caches beside it: of workload and workforce identities, and of keys that sign their tokens.
  if ("cachedAccessToken" in client) client.cachedAccessToken = null;
  if ("access" in client) client.access = undefined;
}

/** The universe that the credentials belong to. Only the metadata server knows that of a machine's. */
export async function universeOf(client: GoogleClient, auth: () => Promise<GoogleAuth>): Promise<string> {
  if (!(client instanceof googleAuthLibrary().Compute)) return client.universeDomain;
  try {
    return await (await auth()).getUniverseDomainFromMetadataServer();
  } catch (error) {
    // Servers that stand in for Google's (GKE's, those of other tools) need not know the question.
    if (typeof error === "object" && error !== null && "response" in error && error.response) return DEFAULT_UNIVERSE;
    throw error;
  }
}

/** The service account that the client's requests are made as; undefined for users and where nothing says. */
export function serviceAccountOf(client: GoogleClient): string | undefined {
  const { Impersonated, BaseExternalAccountClient, JWT } = googleAuthLibrary();
  if (client instanceof Impersonated) return client.getTargetPrincipal();
  if (client instanceof BaseExternalAccountClient) return client.getServiceAccountEmail() ?? undefined;
  return client instanceof JWT ? client.email : undefined;
}
