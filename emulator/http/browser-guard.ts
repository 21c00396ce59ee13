import { isIP } from "node:net";
import { serviceOfHost } from "./router";
import { ApiError, invalidArgument } from "../base/errors";
import type { Answer } from "./answer";
import { withoutBody, type Exchange } from "./exchange";

/** What the guard needs to know about a request. */
export interface GuardedRequest {
  method: string;
  headers: Readonly<Record<string, string | undefined>>;
}

export interface GuardOptions {
  /** The address that the emulator listens on. */
  listensOn: string;
  /** Further names that clients may reach it by. */
  allowedHosts: readonly string[];
  /** What only the emulator's own page knows: its writes carry it in `PAGE_TOKEN_HEADER`. */
  pageToken: string;
}

/** Carries the token of the emulator's own page. */
const PAGE_TOKEN_HEADER = "x-perimeter-page-token";

/** Hosts of Google that the emulator answers for besides those of its APIs. */
const OTHER_HOSTS = ["oauth2.googleapis.com", "sts.googleapis.com", "iamcredentials.googleapis.com"];

/** The answer to a request that a web page may have sent, or that a further check refuses; undefined lets it in. */
export function refusal(
  exchange: Exchange,
  options: GuardOptions,
  check?: (exchange: Exchange) => void,
): Answer | undefined {
  try {
    requireOneHost(exchange);
    keepPagesOut(exchange, options);
    check?.(exchange);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) {
      return withoutBody(exchange, error);
    }
    throw error;
  }
}

/** A proxy in front may have read another one of them (RFC 9112, 3.2). @throws ApiError INVALID_ARGUMENT */
function requireOneHost({ request }: Exchange): void {
  const names = request.rawHeaders.filter((_text, index) => index % 2 === 0);
  if (names.filter((name) => name.toLowerCase() === "host").length > 1) {
    throw invalidArgument("The request has several Host headers.");
  }
}

/**
 * Keeps web pages out. A page that the user happens to visit can send requests to an emulator on the same machine, and
 * reads the answers if its own name resolves to this machine (DNS rebinding). Programs send neither `Origin` nor
 * `Sec-Fetch-Site` and are not affected.
 *
 * - The host must be one that the emulator goes by.
 * - A browser must ask from a page of the same origin, or because its user typed the address.
 * - A write by a browser must carry the token that only the emulator's own page has.
 *
 * @throws ApiError PERMISSION_DENIED
 */
export function keepPagesOut({ method, headers }: GuardedRequest, options: GuardOptions): void {
  const { host, origin } = headers;
  const site = headers["sec-fetch-site"];
  if (host !== undefined && !isOwnHost(host, options)) {
    const name = hostName(host);
    throw new ApiError(
      "PERMISSION_DENIED",
      `The emulator does not accept the host name '${name.slice(0, 200)}', because a web page could make it resolve to ` +
        `this machine. If the name is yours, start the emulator with --allow-host ${name.slice(0, 200)}.`,
    );
  }
  const fromElsewhere = origin !== undefined && !isSameOrigin(origin, host);
  if (fromElsewhere || (site !== undefined && site !== "same-origin" && site !== "none")) {
    throw new ApiError(
      "PERMISSION_DENIED",
      `The emulator refuses requests from other web pages (Origin ${origin ?? "not sent"}, Sec-Fetch-Site ` +
        `${site ?? "not sent"}). To open it in a browser, type its address.`,
    );
  }
  const isWrite = method !== "GET" && method !== "HEAD";
  const isBrowser = origin !== undefined || site !== undefined;
  if (isWrite && isBrowser && headers[PAGE_TOKEN_HEADER] !== options.pageToken) {
    throw new ApiError("PERMISSION_DENIED", "Only the emulator's own page may write from a browser.");
  }
}

/**
 * A form or a script of any page can send other types of content without the browser asking first.
 *
 * @throws ApiError (HTTP 415) for a control request that may change something and does not say that it is JSON or YAML
 */
export function requireContentType({ method, headers }: GuardedRequest): void {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (method !== "GET" && method !== "HEAD" && !/^(application|text)\/([\w.-]+\+)?(json|x-yaml|yaml)$/.test(type)) {
    throw new ApiError(
      "INVALID_ARGUMENT",
      `A ${method} of a control route needs the header Content-Type: application/json or application/yaml, also without ` +
        `a body; it was '${type.slice(0, 100)}'.`,
      [],
      415,
    );
  }
}

function isOwnHost(host: string, { listensOn, allowedHosts }: GuardOptions): boolean {
  const name = hostName(host);
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name)) {
    return true;
  }
  // An address in place of a name cannot have been made to resolve here by somebody else.
  const listensEverywhere = listensOn === "0.0.0.0" || listensOn === "::";
  return (
    (listensEverywhere && isIP(name) !== 0) ||
    [listensOn, ...allowedHosts].some((allowed) => hostName(allowed) === name) ||
    serviceOfHost(name) !== undefined ||
    OTHER_HOSTS.includes(name)
  );
}

/** A host as in a URL, without port, brackets and the dot of a full name, in lower case. */
function hostName(host: string): string {
  const lower = host.trim().toLowerCase();
  const bracketed = /^\[([^\]]*)\]/.exec(lower)?.[1];
  if (bracketed !== undefined || isIP(lower) === 6) {
    return bracketed ?? lower;
  }
  return lower.replace(/:\d*$/, "").replace(/\.$/, "");
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  const lower = origin.toLowerCase();
  return host !== undefined && ["http", "https"].some((scheme) => lower === `${scheme}://${host.toLowerCase()}`);
}
