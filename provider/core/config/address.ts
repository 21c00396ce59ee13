import { isIPv6 } from "node:net";

/** The form of a setting that names an address. */
interface AddressForm {
  /** For messages, after "must be". */
  is: string;
  example: string;
  /** The allowed schemes. When given, an address must have one of them. */
  schemes: readonly string[];
  userinfo: "allowed" | "none";
  port: "required" | "allowed" | "none";
  path: "allowed" | "none";
}

const FORMS = {
  "host:port": {
    is: "host:port",
    example: "127.0.0.1:8790 or [::1]:8790",
    schemes: [],
    userinfo: "none",
    port: "required",
    path: "none",
  },
  "base URL": {
    is: "an http or https URL",
    example: "https://host/v1/",
    schemes: ["http", "https"],
    userinfo: "none",
    port: "allowed",
    path: "allowed",
  },
  "proxy URL": {
    is: "the URL of a proxy",
    example: "http://host:3128",
    schemes: ["http", "https", "socks5", "socks"],
    userinfo: "allowed",
    port: "allowed",
    path: "allowed",
  },
  domain: {
    is: "a domain",
    example: "googleapis.com",
    schemes: [],
    userinfo: "none",
    port: "none",
    path: "none",
  },
  host: {
    is: "a host name or an IP address",
    example: "127.0.0.1 or ::1",
    schemes: [],
    userinfo: "none",
    port: "none",
    path: "none",
  },
  "host with or without port": {
    is: "a host name or an IP address",
    example: "emulator.example or emulator.example:8790",
    schemes: [],
    userinfo: "none",
    port: "allowed",
    path: "none",
  },
} as const satisfies Record<string, AddressForm>;

/** The forms in which settings name addresses. */
export type AddressFormName = keyof typeof FORMS;

/** The rule that an address violates, and the corrected address if it can be derived. */
interface Fault {
  rule: string;
  corrected?: string;
}

/**
 * What is wrong with an address, as a phrase after the name of its setting: `must be host:port, such as [::1]:8790, with an
 * IPv6 address in brackets`. Undefined for a valid address. Messages never quote the address.
 */
export function addressProblem(text: string, name: AddressFormName): string | undefined {
  const form = FORMS[name];
  const fault = faultOf(text, form);
  return fault && `must be ${form.is}, such as ${fault.corrected ?? form.example}, ${fault.rule}`;
}

/** Credentials have separate settings; addresses appear in messages and logs. */
const NO_USERINFO = "without user and password";

const PARTS = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:([^/?#]*)@)?([^/?#]*)(.*)$/i;
/** A host (an IPv6 address in brackets) and a port. */
const AUTHORITY = /^(\[[^\]]*\]|[^:[\]]*)(?::([^:]*))?$/;
const HIGHEST_PORT = 65_535;

/** The first rule of the form that the text violates. */
function faultOf(text: string, form: AddressForm): Fault | undefined {
  if (/[\s\\\p{Cc}]/u.test(text)) return { rule: "without spaces and backslashes" };
  const [, scheme, userinfo, authority = "", path = ""] = PARTS.exec(text) ?? [];
  // In a malformed address, any part with "@" may be a user or password.
  const hasUserinfo = userinfo !== undefined || (scheme === undefined && text.includes("@"));
  if (form.userinfo === "none" && hasUserinfo) return { rule: NO_USERINFO };
  if (form.schemes.length === 0) {
    if (scheme !== undefined) return { rule: `without ${scheme}:// in front` };
  } else if (scheme === undefined || !form.schemes.includes(scheme.toLowerCase())) {
    return { rule: "starting with http:// or https://" };
  }
  if (/%(?![0-9a-f]{2})/i.test(userinfo ?? "")) return { rule: "with %25 for a percent sign in user and password" };
  const prefix = scheme === undefined ? "" : `${scheme}://`;
  return (
    faultOfAuthority(authority, form, prefix, path) ??
    faultOfPath(path, form) ??
    (isIPv6(text) || URL.canParse(scheme === undefined ? `http://${text}` : text)
      ? undefined
      : { rule: "with a host that is a name or an IP address" })
  );
}

function faultOfAuthority(authority: string, form: AddressForm, prefix: string, path: string): Fault | undefined {
  const [, host, port] = AUTHORITY.exec(authority) ?? [];
  if (host === undefined) return faultOfColons(authority, form, prefix, path);
  if (host === "") return { rule: "with a host name" };
  if (port === undefined) return form.port === "required" ? { rule: "with a port" } : undefined;
  if (form.port === "none") return { rule: "without a port" };
  if (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= HIGHEST_PORT) return undefined;
  return { rule: `with a port from 1 to ${HIGHEST_PORT}` };
}

/** An authority with several colons outside of brackets, perhaps an IPv6 address, whose last part may be the port. */
function faultOfColons(authority: string, form: AddressForm, prefix: string, path: string): Fault | undefined {
  const at = authority.lastIndexOf(":");
  const [address, port] = [authority.slice(0, at), authority.slice(at + 1)];
  const hasPort = form.port !== "none" && isIPv6(address) && /^\d+$/.test(port);
  if (form.port === "none" && isIPv6(authority)) return undefined;
  const rule = "with an IPv6 address in brackets";
  if (hasPort) return { rule, corrected: `${prefix}[${address}]:${port}${path}` };
  if (isIPv6(authority) && form.port === "allowed") return { rule, corrected: `${prefix}[${authority}]${path}` };
  return { rule };
}

function faultOfPath(path: string, form: AddressForm): Fault | undefined {
  if (form.path === "none") return path === "" ? undefined : { rule: "without a path" };
  return /[?#]/.test(path) ? { rule: "without a query and a fragment" } : undefined;
}
