import { jsonAnswer, type Answer } from "./answer";
import type { Context } from "../services/method";
import { TOKEN_SECONDS } from "../auth/tokens";
import { isObject } from "../base/json";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Method id of the token endpoint in the request log and in fault plans. */
export const TOKEN_METHOD = "oauth2.token";

/** The paths of the OAuth token endpoint (`/token`) and of the token exchange (`/v1/token`). */
export const TOKEN_PATHS: readonly string[] = ["/token", "/v1/token"];

/**
 * The OAuth 2 token endpoint for Google Cloud credential files: service account assertions (RFC 7523), refresh tokens and
 * token exchange (RFC 8693). It does not verify signatures. Errors have the format of RFC 6749, section 5.2.
 */
export function tokenAnswer(body: Buffer, context: Context): Answer {
  const form = new URLSearchParams(body.toString("utf8"));
  const grant = form.get("grant_type");
  switch (grant) {
    case JWT_BEARER:
      return isAssertion(form.get("assertion") ?? "")
        ? issue(context)
        : refuse("invalid_grant", "Invalid JWT: it must have three parts, the second one JSON with an issuer.");
    case "refresh_token":
      return form.get("refresh_token") ? issue(context) : refuse("invalid_request", "Missing refresh_token.");
    case TOKEN_EXCHANGE:
      return form.get("subject_token")
        ? issue(context, { issued_token_type: "urn:ietf:params:oauth:token-type:access_token" })
        : refuse("invalid_request", "Missing subject_token.");
    case null:
      return refuse("invalid_request", "Missing grant_type.");
    default:
      return refuse("unsupported_grant_type", `Invalid grant_type: ${grant.slice(0, 100)}`);
  }
}

function issue(context: Context, more: object = {}): Answer {
  const { token } = context.tokens.issue(TOKEN_SECONDS);
  return jsonAnswer(200, { access_token: token, expires_in: TOKEN_SECONDS, token_type: "Bearer", ...more });
}

function refuse(error: string, description: string): Answer {
  return jsonAnswer(400, { error, error_description: description });
}

function isAssertion(assertion: string): boolean {
  const parts = assertion.split(".");
  if (parts.length !== 3) {
    return false;
  }
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
    return isObject(claims) && typeof claims.iss === "string";
  } catch {
    return false;
  }
}
