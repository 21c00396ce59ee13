import { sourceOf, type ResolvedConfiguration } from "../core/config/resolve";
import { CredentialsError } from "../core/errors";
import { isPath, readNamedFile } from "./named-file";
import { quotaProjectOf, type TokenSource } from "./token-source";

/** A bearer token as RFC 6750, section 2.1, has it (`b64token`). */
const TOKEN = /^[\w.~+/-]+=*$/;

/** An access token that the configuration gives: it is not refreshed, and says nothing of whose it is. */
export class AccessTokenSource implements TokenSource {
  /** @param given the value of the key `accessToken`. */
  constructor(
    private readonly given: string,
    private readonly configuration: ResolvedConfiguration,
  ) {}

  token(): Promise<string> {
    return configuredToken(this.given, this.configuration);
  }

  quotaProject(): Promise<string | undefined> {
    return Promise.resolve(quotaProjectOf(this.configuration.environment));
  }

  project(): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  serviceAccount(): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }
}

/**
 * The token that the key `accessToken` gives: its text, or what the file that it names holds now. Tokens begin with neither
 * a slash nor a dot and a slash, so whatever does is the path of a file.
 *
 * @throws CredentialsError where that is no token. It never quotes the text: what was given by mistake (a key file, any
 *   file of the machine) is most likely secret.
 */
export async function configuredToken(given: string, configuration: ResolvedConfiguration): Promise<string> {
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

/** What is wrong with a text as a token, to be read on from where the text is from; undefined for a token. */
function mistakeIn(token: string, verb: "be" | "hold"): string | undefined {
  if (token === "") return `is empty; it must ${verb} one token`;
  if (token.startsWith("{")) return "holds JSON: give credentials as perimeter:credentials, not as an access token";
  if (/[\r\n]/.test(token)) return `has several lines; it must ${verb} one token`;
  if (/\s/.test(token)) return `must ${verb} a token alone, without spaces and without the word Bearer`;
  if (!TOKEN.test(token)) {
    return "has characters that no token has: it must consist of letters, digits and - . _ ~ + /, with = at its end only";
  }
  return undefined;
}
