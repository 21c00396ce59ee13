import type { Values } from "../core/unknown";
import type { SecretPath } from "./secret-paths";

/**
 * The properties that this front keeps among the inputs and the outputs of each resource, beside the resource's own. The
 * program sets them (resource.ts). Outputs keep them too, because the engine sends nothing but outputs to a delete.
 */

/** The text that Pulumi's dynamic server turns into the resource's provider. Pulumi chose the name. */
export const PROVIDER_PROPERTY = "__provider";

/**
 * What identifies the resource among all resources of all stacks: engines do not tell dynamic providers the URN. Two
 * resources that create the same thing within an hour need it, because without it both would send the same request id
 * and the API would answer the second create with the first one's result.
 */
export const IDENTITY_PROPERTY = "__identity";

/** The paths of the program's secrets among the other properties. Absent where there is no secret. */
export const SECRETS_PROPERTY = "__secrets";

/** The resource's own properties. */
export function ownProperties(values: Values): Values {
  const {
    [PROVIDER_PROPERTY]: _provider,
    [IDENTITY_PROPERTY]: _identity,
    [SECRETS_PROPERTY]: _secrets,
    ...own
  } = values;
  return own;
}

/**
 * The kept properties that this front carries from one set of values to the next. Pulumi's server carries `__provider`,
 * but not into the state of a resource that is not ready.
 */
export function keptProperties(values: Values): Values {
  return Object.fromEntries(
    [IDENTITY_PROPERTY, SECRETS_PROPERTY].filter((name) => name in values).map((name) => [name, values[name]]),
  );
}

/** The identity, as an option of the provider's calls. States that earlier releases wrote have none. */
export function identityIn(values: Values): { identity?: string } {
  const identity = values[IDENTITY_PROPERTY];
  return typeof identity === "string" ? { identity } : {};
}

/** The paths of the secrets among a resource's values. */
export function secretPathsIn(values: Values): SecretPath[] {
  const paths = values[SECRETS_PROPERTY];
  return Array.isArray(paths) ? paths.filter(isSecretPath) : [];
}

function isSecretPath(value: unknown): value is SecretPath {
  return Array.isArray(value) && value.every((key) => typeof key === "string" || typeof key === "number");
}
