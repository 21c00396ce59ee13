import { DEFAULTS } from "../core/config/definition";
import { causesOf, messageOf, redact } from "../core/errors";
import { once } from "../core/once";
import { isRecord } from "../core/unknown";
import { loadGoogleAuth } from "./libraries";
import { LOOPBACK } from "./loopback";

/**
 * What google-auth-library leaves to its callers, or gets wrong for this one: how each kind of client forgets its token,
 * whose it is, how a key of another universe gives a token, and what went wrong.
 */

export type GoogleAuth = import("google-auth-library").GoogleAuth;
export type GoogleClient = import("google-auth-library").AuthClient;

export const googleAuthLibrary = once(() => {
  const library = loadGoogleAuth();
  // The requests to the metadata server take no other options.
  library.gaxios.instance.defaults.noProxy = neverProxied();
  return library;
});

/**
 * Servers that a proxy must never be asked for: those of this machine, those of its link, and the metadata server wherever
 * that is. A proxy would reach others of that name, and it has no business with their tokens. The library sends all
 * requests through `HTTP_PROXY` that `NO_PROXY` does not name.
 */
export function neverProxied(): (string | RegExp)[] {
  const { GCE_METADATA_IP, GCE_METADATA_HOST } = process.env;
  const server = GCE_METADATA_IP || GCE_METADATA_HOST || "metadata.google.internal";
  const url = /^https?:/.test(server) ? server : `http://${server}`;
  return [
    new RegExp(`^https?://${LOOPBACK}[:/]`),
    /^https?:\/\/(169\.254(\.\d{1,3}){2}|\[f[de][0-9a-f]{2}:[0-9a-f:]+\]|metadata\.google\.internal\.?)[:/]/,
    ...(URL.canParse(url) ? [new URL(url).origin] : []),
  ];
}

/** The client that an impersonating client gets its own token from. */
function sourceOf(client: GoogleClient): GoogleClient | undefined {
  const { AuthClient, Impersonated } = googleAuthLibrary();
  if (!(client instanceof Impersonated)) return undefined;
  // A private field, which the library's types do not show.
  const source: unknown = Reflect.get(client, "sourceClient");
  return source instanceof AuthClient ? source : undefined;
}

/**
 * Makes each key among these clients sign its own tokens where its universe is not Google's: in other universes, nobody
 * exchanges a key's signature for a token. The library does so for the requests that it sends itself; `getAccessToken`,
 * which impersonation calls too, would ask the token endpoint of Google's universe.
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

/** Makes the client, and the one behind it, get another token for the next request: the API refused the last one. */
export function forgetToken(client: GoogleClient): void {
  const source = sourceOf(client);
  if (source) forgetToken(source);
  client.credentials = { ...client.credentials, access_token: null, expiry_date: 1 };
  // Further caches: of workload and workforce identities, and of keys that sign their tokens.
  if ("cachedAccessToken" in client) client.cachedAccessToken = null;
  if ("access" in client) client.access = undefined;
}

/** The universe that the credentials belong to. Of a machine's credentials, only the metadata server knows it. */
export async function universeOf(client: GoogleClient, auth: () => Promise<GoogleAuth>): Promise<string> {
  const { Compute } = googleAuthLibrary();
  if (!(client instanceof Compute)) return client.universeDomain;
  try {
    return await (await auth()).getUniverseDomainFromMetadataServer();
  } catch (error) {
    // Servers that stand in for Google's (GKE's, those of other tools) need not know the question.
    if (isRecord(error) && error.response) return DEFAULTS.universeDomain;
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

/** What went wrong in the library, without secrets. For a lost connection it says only "Unexpected Gaxios Error". */
export function failureInWords(error: unknown): string {
  const messages = causesOf(error)
    .map(messageOf)
    .filter((message) => message !== "" && message !== "Unexpected Gaxios Error");
  return redact(messages.slice(0, 4).map(withoutQuotes).join(": "));
}

/** V8 quotes the beginning of what is not JSON, and fetch implementations quote whole headers: either may be a secret. */
function withoutQuotes(message: string): string {
  return message
    .replace(/Unexpected token [\s\S]*is not valid JSON$/, "it is not JSON")
    .replace(/"[\s\S]*" is an? invalid header value/, "a header would have an invalid value");
}
