import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { causesOf, ConfigurationError, systemCodeOf } from "../core/errors";
import { once } from "../core/once";

/**
 * The certificate authorities that the environment names. Node.js reads only `NODE_EXTRA_CA_CERTS`; Bun, the runtime of the
 * executable, also reads `SSL_CERT_FILE`. For the same behavior on both, the provider reads all three variables itself.
 */

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/**
 * The authorities to trust, in PEM form: those of the runtime, and those that the environment names at the first call.
 * Undefined if the environment names none.
 *
 * @throws ConfigurationError for a variable that names no certificates, without the variable's value.
 */
export const trustedAuthorities = once((): string[] | undefined => {
  const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR } = process.env;
  const named = [
    ...inFile("NODE_EXTRA_CA_CERTS", NODE_EXTRA_CA_CERTS),
    ...inFile("SSL_CERT_FILE", SSL_CERT_FILE),
    ...inFolders("SSL_CERT_DIR", SSL_CERT_DIR),
  ];
  return named.length === 0 ? undefined : [...new Set([...builtIn(), ...named])];
});

/** Node.js before 22.15 gives only its built-in authorities, and not those of `--use-system-ca`. */
function builtIn(): readonly string[] {
  // Loaded here, because most environments name no authorities.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const tls = require("node:tls") as typeof import("node:tls");
  const ask: unknown = Reflect.get(tls, "getCACertificates");
  return typeof ask === "function" ? (ask as () => string[])() : tls.rootCertificates;
}

function inFile(variable: string, file: string | undefined): string[] {
  if (!file) return [];
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw unusable(variable, `a file that cannot be read (${systemCodeOf(error) ?? "it is not a file"})`);
  }
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0 || !found.every(isCertificate))
    throw unusable(variable, "a file that has no valid certificates");
  return found;
}

/** Searches the folders like OpenSSL and the Pulumi CLI: missing folders and files without certificates are skipped. */
function inFolders(variable: string, folders: string | undefined): string[] {
  if (!folders) return [];
  const found = folders.split(delimiter).flatMap((folder) =>
    orNone(() => readdirSync(folder)).flatMap((name) => {
      const certificates = orNone(() => readFileSync(join(folder, name), "utf8").match(CERTIFICATE) ?? []);
      return certificates.filter(isCertificate);
    }),
  );
  if (found.length === 0) throw unusable(variable, "no folder that has a certificate");
  return found;
}

function orNone(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== "";
  } catch {
    return false;
  }
}

function unusable(variable: string, what: string): ConfigurationError {
  return new ConfigurationError(
    `${variable} in the environment names ${what}: it must name certificates of authorities in PEM form, or be unset`,
  );
}

/** The error codes of Node.js and Bun for a certificate of an untrusted authority. */
const UNTRUSTED = [
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

/** What a user can do if the server's certificate is not trusted; undefined for any other failure. */
export function adviceOnCertificate(error: unknown): string | undefined {
  const code = causesOf(error)
    .map(systemCodeOf)
    .find((each) => each !== undefined && UNTRUSTED.includes(each));
  if (code === undefined) return undefined;
  return (
    `the certificate of the server, or of a proxy before it, is not trusted (${code}). If its authority is a private one, ` +
    "set NODE_EXTRA_CA_CERTS, SSL_CERT_FILE or SSL_CERT_DIR to the authority's certificate"
  );
}
