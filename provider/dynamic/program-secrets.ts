import * as pulumi from "@pulumi/pulumi";
import { PACKAGE_NAME } from "../core/definition";
import type { PathSegment } from "../core/problem";
import { isRecord } from "../core/unknown";
import type { SecretPath } from "../runtime/kept-properties";
import { isConfigSecret } from "./pulumi-internals";

/**
 * The paths of the values that the program marks as secret. They are found in the program, because the marks are on its
 * outputs and are lost in Pulumi's dynamic-provider process. A value whose promise is rejected does not count as secret.
 */
export async function secretPaths(value: unknown, path: SecretPath = []): Promise<SecretPath[]> {
  if (pulumi.Output.isInstance(value)) return (await isSecret(value)) ? [path] : [];
  if (value instanceof Promise) return secretPaths(await value.catch(() => undefined), path);
  if (pulumi.Resource.isInstance(value)) return [];
  const entries: [PathSegment, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return (await Promise.all(entries.map(([key, each]) => secretPaths(each, [...path, key])))).flat();
}

async function isSecret(output: pulumi.Output<unknown>): Promise<boolean> {
  try {
    return await pulumi.isSecret(output);
  } catch {
    // The output was rejected. The code that uses its value gets the error.
    return false;
  }
}

/** Whether something is an output or a promise, or holds one: whether `secretPaths` may find any. */
export function mayContainSecrets(value: unknown): boolean {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return true;
  if (pulumi.Resource.isInstance(value)) return false;
  const parts: unknown[] = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  return parts.some(mayContainSecrets);
}

/**
 * The inputs that take their value from a secret setting of the stack, such as a secret `perimeter:project`. The program
 * fills them in as secrets. The provider's process fills in all other defaults, but cannot mark a value as secret.
 *
 * @param args the program's inputs; undefined if it gives none
 * @param defaults the configuration key of each input with a default
 */
export function secretDefaults(args: object | undefined, defaults: Readonly<Record<string, string>>): pulumi.Inputs {
  if (args === undefined) return {};
  const config = new pulumi.Config(PACKAGE_NAME);
  const omitted = Object.entries(defaults).filter(([input]) => Reflect.get(args, input) === undefined);
  return Object.fromEntries(
    omitted.filter(([, key]) => isSecretSetting(key)).map(([input, key]) => [input, config.getSecret(key)]),
  );
}

/**
 * Whether the stack keeps a setting secret (`pulumi config set --secret`).
 *
 * @param key a configuration key of the provider, such as `project`
 */
export function isSecretSetting(key: string): boolean {
  return isConfigSecret(`${PACKAGE_NAME}:${key}`);
}
