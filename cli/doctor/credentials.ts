import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { settingOf, type ResolvedConfiguration } from "../../provider/core/config/resolve";
import { isExpected, messageOf, TimeoutError } from "../../provider/core/errors";
import { fileText, type Environment } from "../../provider/core/environment";
import { recordIn } from "../../provider/core/json";
import { textOf } from "../../provider/core/unknown";
import { asCall, unlessAborted } from "../../provider/http/call";
import { systemClock } from "../../provider/http/clock";
import { expanded, type TokenSource } from "../../provider/http/credentials";
import type { FindingOf } from "./result";

/** Milliseconds. Without a metadata server, the library needs some seconds to detect that. */
const TOKEN_MS = 30_000;

/** Whether the credentials yield a token, and their kind. The token itself is dropped. */
export async function checkCredentials(
  configuration: ResolvedConfiguration,
  tokens: TokenSource,
  isNeeded: boolean,
): Promise<FindingOf<"credentials">> {
  const check = "credentials";
  if (!isNeeded) {
    return { check, status: "ok", message: "Credentials are not needed: no endpoint receives credentials" };
  }
  const { source, kind } = credentialSource(configuration);
  const base = { check, source, kind } as const;
  const from = `Credentials: ${source}${kind === undefined ? "" : ` (${kind})`}`;
  try {
    const identity = await inTime(async () => {
      await tokens.token();
      return tokens.serviceAccount();
    });
    const as = identity === undefined ? "" : `, as ${identity}`;
    return { ...base, identity, status: "ok", message: `${from}${as}` };
  } catch (error) {
    if (!isExpected(error)) throw error;
    if (source === METADATA_SERVER) return { check, status: "error", message: NOT_FOUND, remedy: LOGIN };
    // The first line states the problem; the lines below list all sources, and the source is known here.
    const [what = ""] = messageOf(error).split("\n");
    return { ...base, status: "error", message: `${from}: ${what}`, remedy: `Correct or remove ${source}` };
  }
}

/** @throws TimeoutError, and what `run` throws. */
function inTime<T>(run: () => Promise<T>): Promise<T> {
  return asCall(systemClock, TOKEN_MS, ({ signal }) => unlessAborted(signal, run())).catch((error: unknown) => {
    throw error instanceof TimeoutError
      ? new TimeoutError(`No token was received within ${TOKEN_MS / 1000} s`, { cause: error })
      : error;
  });
}

const NOT_FOUND =
  "Credentials: none are set (docs/configuration.md), gcloud has none, and there is no metadata server on this machine";
const LOGIN = "Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file";
const METADATA_SERVER = "the metadata server";

/**
 * The source of the credentials, by the rules of `tokenSource` and then of google-auth-library
 * (https://cloud.google.com/docs/authentication/application-default-credentials). It names the place, never the content.
 */
export function credentialSource(configuration: ResolvedConfiguration): { source: string; kind?: string } {
  const { values, fromEnvironment, environment } = configuration;
  const { accessToken, credentials } = values;
  const tokenLoses =
    fromEnvironment.has("accessToken") && credentials !== undefined && !fromEnvironment.has("credentials");
  if (accessToken !== undefined && !tokenLoses)
    return { source: settingOf("accessToken", configuration), kind: "access_token" };
  if (credentials !== undefined) {
    return { source: settingOf("credentials", configuration), kind: kindIn(credentials) };
  }
  const file = environment.GOOGLE_APPLICATION_CREDENTIALS;
  if (file) return { source: "GOOGLE_APPLICATION_CREDENTIALS", kind: kindIn(file) };
  const login = loginFile(environment);
  if (existsSync(login)) return { source: "gcloud auth application-default login", kind: kindIn(login) };
  return { source: METADATA_SERVER };
}

/** The folder of gcloud's credentials. */
function loginFile({ CLOUDSDK_CONFIG, APPDATA, HOME }: Environment): string {
  const folder =
    CLOUDSDK_CONFIG ||
    (process.platform === "win32" ? join(APPDATA ?? "", "gcloud") : join(HOME || homedir(), ".config", "gcloud"));
  return join(folder, "application_default_credentials.json");
}

/** The `type` of credentials, which are JSON text or the path of a JSON file. */
function kindIn(given: string): string | undefined {
  const type = textOf(recordIn(given.trimStart().startsWith("{") ? given : fileText(expanded(given)))?.type);
  // Shows only plain words: any other text could be a secret.
  return /^[a-z_]{1,40}$/.test(type) ? type : undefined;
}
