import { constants } from "node:os";
import { BadAnswerError, causesOf, detailsOfType, isRpcStatus, messageOf, systemCodeOf } from "../core/errors";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";
import { adviceOnCertificate } from "./authorities";
import { refusalOfProxy } from "./proxies";

/**
 * Describes an error of google-auth-library in the provider's own words. The library quotes the credentials file, the output of
 * a command, or the answer of a token endpoint, and each of these may contain a token. The result contains only texts from the
 * lists below and numbers.
 *
 * @param exchanged what the credentials exchange for a token, if known.
 */
export function failureInWords(error: unknown, exchanged?: Exchanged): string {
  const causes = causesOf(error).filter(isRecord);
  const answered = causes.find(({ response }) => isRecord(response) && typeof response.status === "number");
  if (answered) return answerInWords(answered, exchanged);
  const failed = causes.find(({ config }) => isRecord(config));
  const refusal = refusalOfProxy(error);
  if (failed && refusal) return `the request to ${serverOf(failed)} was not sent: ${refusal.words}`;
  if (failed) return `${serverOf(failed)} gave no answer: ${adviceOnCertificate(error) ?? lossInWords(causes)}`;
  return contentInWords(causes) ?? "they cannot be used. The reason is not shown, because it may quote them";
}

/** Errors of OAuth 2.0 (RFC 6749 section 5.2, RFC 8693 section 2.2.2) and of Google's endpoints. */
const OAUTH_ERRORS: Readonly<Record<string, string>> = {
  access_denied: "",
  admin_policy_enforced: "a policy of the organization forbids it",
  deleted_client: "the OAuth client was deleted",
  disabled_client: "the OAuth client is disabled",
  invalid_client: "the client id or secret is wrong",
  invalid_grant: "",
  invalid_request: "",
  invalid_scope: "the scopes are wrong",
  invalid_target: "the audience of the workload identity is wrong",
  server_error: "",
  temporarily_unavailable: "",
  unauthorized_client: "the subject token or the client was refused",
  unsupported_grant_type: "",
};

/** What a client exchanges for a token: a key, a user's login, or the identity of a workload. */
export type Exchanged = "key" | "login" | "identity";

/** The meaning of `invalid_grant`, which is the answer to anything that is exchanged for a token. */
const INVALID_GRANTS: Readonly<Record<Exchanged, string>> = {
  key: "the key was deleted or disabled, its account does not exist, or the clock of this machine is wrong",
  login: "the login is expired or revoked; log in again with `gcloud auth application-default login`",
  identity:
    "the identity token of this workload is expired or not valid, or the clock of this machine is wrong; in CI, get a new " +
    "token: run the job again, or request the token shortly before `pulumi`",
};

/** Reasons in an ErrorInfo of the API that impersonates. */
const REASONS: Readonly<Record<string, string>> = {
  IAM_PERMISSION_DENIED: "the caller needs iam.serviceAccounts.getAccessToken on the service account",
  SERVICE_DISABLED: "enable the IAM Service Account Credentials API (iamcredentials.googleapis.com)",
};

function answerInWords(error: Values, exchanged: Exchanged | undefined): string {
  const { status, data } = error.response as Values;
  const body = isRecord(data) ? data : {};
  const details = isRecord(body.error) ? body.error : {};
  const host = hostOf(error);
  const impersonates = host?.startsWith("iamcredentials.") === true;
  const [info] = detailsOfType(listOf(details.details), "ErrorInfo");
  const reason = textOf(info?.reason);
  const word = isRpcStatus(details.status) ? details.status : knownOf(OAUTH_ERRORS, textOf(body.error));
  const advice = [
    word === "invalid_grant" && exchanged !== undefined ? INVALID_GRANTS[exchanged] : undefined,
    word === undefined ? undefined : OAUTH_ERRORS[word],
    REASONS[knownOf(REASONS, reason) ?? (impersonates && status === 403 ? "IAM_PERMISSION_DENIED" : "")],
    impersonates && status === 404 ? "the service account to impersonate does not exist" : undefined,
  ].find(Boolean);
  return `${serverOf(error)} answered HTTP ${Number(status)}${word ? ` (${word})` : ""}${advice ? `: ${advice}` : ""}`;
}

function knownOf(known: object, word: string): string | undefined {
  return Object.hasOwn(known, word) ? word : undefined;
}

/** The names of Google's servers. Credentials name all other servers. */
const GOOGLES_HOST =
  /^((?:oauth2|sts|iamcredentials|accounts|cloudresourcemanager)\.(?:googleapis|google)\.com|metadata\.google\.internal)$/;

function serverOf(error: Values): string {
  const host = hostOf(error);
  return host !== undefined && GOOGLES_HOST.test(host) ? host : "the server that the credentials name";
}

function hostOf({ config }: Values): string | undefined {
  const url = isRecord(config) ? String(config.url) : "";
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Codes of lost connections, in addition to those of the operating system. */
const LOSSES = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EPROTO", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"];

function lossInWords(causes: readonly Values[]): string {
  if (causes.some(({ name, code, type }) => [name, code].includes("TimeoutError") || type === "aborted")) {
    return "the time limit was reached";
  }
  const tooLarge = causes.find((each) => each instanceof BadAnswerError);
  if (tooLarge) return messageOf(tooLarge);
  const code = codeIn(causes);
  return code === undefined ? "the connection failed" : `the connection failed (${code})`;
}

function codeIn(causes: readonly Values[]): string | undefined {
  const isKnown = (code: string | undefined) =>
    code !== undefined && (Object.hasOwn(constants.errno, code) || LOSSES.includes(code));
  return causes.map(systemCodeOf).find(isKnown);
}

/** The beginnings of the library's messages, and their meanings. Quoted texts come after the beginning. */
const CONTENTS: readonly [RegExp, string][] = [
  [/^Could not load the default credentials/, "Could not load the default credentials"],
  [/^The executable failed with exit code: (\d{1,3}) /, "their command failed with code $1; run it by hand to see why"],
  [/^The executable failed with exit code: /, "their command reported a failure; run it by hand to see why"],
  [
    /^The executable returned an invalid response/,
    "their command printed something that is not the JSON of a response",
  ],
  [/^The executable failed to finish within/, "their command did not end within its timeout"],
  [/^The output file contained an invalid response/, "the output file of their command is not the JSON of a response"],
  [/^Executable response must contain an? '(\w{1,20})' field/, "the response of their command has no valid field $1"],
  [/^The executable response must contain the `(\w{1,20})`/, "the response of their command has no field $1"],
  [/^Executable response is expired/, "the response of their command is expired"],
  [/^Version of executable is not currently supported/, "the response of their command has an unknown version"],
  [
    /^Pluggable Auth executables need to be explicitly allowed/,
    "they run a command, which is not allowed: set GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES to 1 if you trust it",
  ],
  [/^The incoming JSON object does not contain an? ([a-z_]{1,40}) field/, "they have no field $1"],
  [/^(?:No valid|Invalid) .*credential_source/, "their credential_source is not valid"],
  [/^Missing subject_token_field_name/, "their credential_source has no subject_token_field_name"],
  [
    /^Unable to parse the subject_token from the credential_source (file|URL)/,
    "the $1 that they name has no subject token",
  ],
  [/^Unable to determine AWS (region|role name)/, "the AWS $1 is not known"],
  [/^No refresh token/, "they have no refresh token"],
  [
    /^(?:Cannot extract target principal|Target principal is too long|URL is too long)/,
    "the account that they impersonate is not valid",
  ],
  [/^Universe domain /, "their source belongs to another universe"],
  [
    /^(?:Failed to (?:read|parse)|Certificate config|Provided certificate|Leaf certificate|Could not find certificate)/,
    "their certificate or its key cannot be used",
  ],
  [/^(?:error:[0-9A-F]{8}:|Invalid PEM|Failed to read private key)/, "their private key cannot be read"],
  [/invalid header value|Invalid character in header/, "a header would have a value that HTTP does not allow"],
];

/** The library puts this before an error of the credentials that impersonate. */
const BEHIND_IMPERSONATION = /^unable to impersonate: (?:\w*Error: )?/;
const FROM_ENVIRONMENT =
  /^Unable to read the credential file specified by the GOOGLE_APPLICATION_CREDENTIALS environment variable: /;

function contentInWords(causes: readonly Values[]): string | undefined {
  const messages = causes.map((each) => messageOf(each).replace(BEHIND_IMPERSONATION, ""));
  const fromEnvironment = messages.some((message) => FROM_ENVIRONMENT.test(message));
  const file = fromEnvironment ? "the file that GOOGLE_APPLICATION_CREDENTIALS names" : "a file that they name";
  for (const message of messages) {
    const text = message.replace(FROM_ENVIRONMENT, "");
    if (text.startsWith("The file at ")) return `${file} does not exist, or is not a file`;
    for (const [pattern, words] of CONTENTS) {
      const found = pattern.exec(text);
      if (found) return words.replace("$1", found[1] ?? "") + (fromEnvironment ? ` (${file})` : "");
    }
  }
  if (causes.some(({ name }) => name === "SyntaxError")) return `${fromEnvironment ? file : "their text"} is not JSON`;
  if (causes.some((each) => systemCodeOf(each)?.startsWith("ERR_OSSL_"))) return "their private key cannot be read";
  if (causes.some(({ name }) => name === "TypeError")) return "a file or a response does not have the expected format";
  const code = codeIn(causes);
  return code === undefined && !fromEnvironment ? undefined : `${file} cannot be read${code ? `: ${code}` : ""}`;
}
