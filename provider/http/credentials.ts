import type { ResolvedConfiguration } from "../core/config/resolve";
import { AccessTokenSource } from "./access-token";
import { GoogleAuthSource } from "./google-auth";
import type { TokenSource } from "./token-source";

/**
 * The token source that a configuration asks for: an access token, or credentials, or Application Default Credentials,
 * with impersonation over any of them. What is set explicitly beats what the environment has; on one level, a token
 * beats credentials (docs/wire.md section 13).
 */
export function tokenSource(configuration: ResolvedConfiguration): TokenSource {
  const { values, fromEnvironment } = configuration;
  const explicit = (key: "accessToken" | "credentials") => values[key] !== undefined && !fromEnvironment.has(key);
  const accessToken = explicit("accessToken") || !explicit("credentials") ? values.accessToken : undefined;
  return accessToken !== undefined && values.impersonateServiceAccount === undefined
    ? new AccessTokenSource(accessToken, configuration)
    : new GoogleAuthSource(configuration, accessToken);
}
