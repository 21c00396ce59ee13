import type { Call, Context, Method } from "./method";
import { TOKEN_SECONDS } from "../auth/tokens";
import { invalidArgument } from "../base/errors";
import { textOf, type JsonObject } from "../base/json";
import { duration, list, message, text, timestamp } from "../base/schema";

function generateAccessToken(call: Call, context: Context): JsonObject {
  if (!Array.isArray(call.body.scope)) {
    throw invalidArgument("Scope is required.", [{ field: "scope", description: "Scope is required." }]);
  }
  const asked = /^(-?\d+)/.exec(textOf(call.body.lifetime))?.[1];
  const lifetime = asked === undefined ? TOKEN_SECONDS : Number(asked);
  if (lifetime < 1 || lifetime > 43_200) {
    throw invalidArgument("The lifetime must be between 1 second and 12 hours.");
  }
  const { token, endMs } = context.tokens.issue(lifetime);
  return { accessToken: token, expireTime: new Date(endMs).toISOString() };
}

/** iamcredentials v1: impersonation (docs/wire.md section 12). */
export const iamcredentialsMethods: readonly Method[] = [
  {
    id: "iamcredentials.projects.serviceAccounts.generateAccessToken",
    api: { service: "iamcredentials", version: "v1", notes: { title: "IAM Service Account Credentials API" } },
    verb: "POST",
    path: "projects/{project}/serviceAccounts/{serviceAccount}",
    action: "generateAccessToken",
    request: message("google.iam.credentials.v1.GenerateAccessTokenRequest", {
      delegates: list(text),
      scope: list(text),
      lifetime: duration,
    }),
    response: message("google.iam.credentials.v1.GenerateAccessTokenResponse", {
      accessToken: text,
      expireTime: timestamp,
    }),
    permission: "iam.serviceAccounts.getAccessToken",
    handler: generateAccessToken,
  },
];
