import type { PathSegment } from "../core/problem";
import { upToList, type SecretTexts } from "../core/secrets";
import { filterProperties, textOf, type Values } from "../core/unknown";
import { isEngineUnknown } from "./unknowns";

/**
 * The properties that the npm front adds to the inputs and the outputs of each resource. The program sets them
 * (dynamic/resource.ts). The outputs have them too, because the engine sends only the outputs to a delete.
 */

/** The text from which Pulumi's dynamic server creates the resource's provider. Pulumi chose the name. */
export const PROVIDER_PROPERTY = "__provider";

/**
 * The value of this property for a resource type: it loads dynamic/backend.ts by the package's name. It must stay the same in
 * every release, because a different text would change every resource.
 *
 * @param type `{service}/{version}:{Name}`
 */
export function serializedProvider(type: string): string {
  return `exports.handler=()=>require("pulumi-perimeter/backend").backend("${type}")`;
}

/**
 * Identifies the resource among all resources of all stacks: engines do not send dynamic providers the URN. Without it, two
 * resources that create the same object within an hour would send the same request id, and the API would return the first
 * result for the second create.
 */
export const IDENTITY_PROPERTY = "__identity";

/** The paths of the program's secrets among the other properties. Absent when the program marks no input as secret. */
export const SECRETS_PROPERTY = "__secrets";

/** True in the outputs of a resource that is not ready: its next update must act, even if no input changed. */
export const NOT_READY_PROPERTY = "__notReady";

/** All of them. */
export const KEPT_PROPERTIES: readonly string[] = [
  PROVIDER_PROPERTY,
  IDENTITY_PROPERTY,
  SECRETS_PROPERTY,
  NOT_READY_PROPERTY,
];

/**
 * The path of a secret among a resource's values, such as `["condition", "title"]`. Pulumi's dynamic server unwraps
 * secrets before this package's code sees the values, so the program sends the paths along.
 */
export type SecretPath = readonly PathSegment[];

/** The resource's own properties. */
export function ownProperties(values: Values): Values {
  return filterProperties(values, (name) => !KEPT_PROPERTIES.includes(name));
}

/**
 * The kept properties that the npm front carries from one set of values to the next. Pulumi's server carries `__provider`,
 * but not into the state of a resource that is not ready.
 */
export function keptProperties(values: Values): Values {
  return filterProperties(values, (name) => [IDENTITY_PROPERTY, SECRETS_PROPERTY].includes(name));
}

/** The identity, as an option of the provider's calls. States of earlier releases have no identity. */
export function identityIn(values: Values): { identity?: string } {
  const identity = values[IDENTITY_PROPERTY];
  return typeof identity === "string" ? { identity } : {};
}

/** Whether the identities in the state and in the program differ, as after an alias or `pulumi state rename`. */
export function isRenamed(olds: Values, news: Values): boolean {
  const [before, now] = [textOf(olds[IDENTITY_PROPERTY]), textOf(news[IDENTITY_PROPERTY])];
  return before !== "" && now !== "" && before !== now;
}

/** Whether the last change of the resource ended before it was ready. */
export function isNotReady(olds: Values): boolean {
  return olds[NOT_READY_PROPERTY] === true;
}

/** The paths of the secrets among a resource's values. */
export function secretPathsIn(values: Values): SecretPath[] {
  const paths = values[SECRETS_PROPERTY];
  return Array.isArray(paths) ? paths.filter(isSecretPath) : [];
}

/** The names of the inputs that hold secrets. */
export function secretInputs(paths: readonly SecretPath[]): string[] {
  return [...new Set(paths.map(([name]) => String(name)))];
}

/** The property for values with secrets at these paths. */
export function secretPathsProperty(paths: readonly SecretPath[]): Values {
  return paths.length === 0 ? {} : { [SECRETS_PROPERTY]: paths };
}

function isSecretPath(value: unknown): value is SecretPath {
  return Array.isArray(value) && value.every((key) => typeof key === "string" || typeof key === "number");
}

/**
 * Adds the values at the paths to the texts that messages must not show; for a path into a list, the whole list, because a
 * refresh may have reordered it. Skips absent and unknown values.
 */
export function noteSecrets(values: unknown, paths: readonly SecretPath[], texts: SecretTexts): void {
  for (const path of paths) {
    const value = valueAt(values, upToList(path));
    if (!isEngineUnknown(value)) texts.add(value);
  }
}

/** The value at a path, or the value at which the path ends early, which then contains the secret. */
function valueAt(values: unknown, path: SecretPath): unknown {
  return path.reduce((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : at), values);
}
