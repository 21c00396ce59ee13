import * as pulumi from "@pulumi/pulumi";
import type { PathSegment } from "../core/problem";
import { isRecord } from "../core/unknown";
import type { SecretPath } from "./secret-paths";

/** The paths of the values that the program marks as secret. A value that cannot be had is no secret. */
export async function secretPaths(value: unknown, path: SecretPath = []): Promise<SecretPath[]> {
  if (pulumi.Output.isInstance(value)) return (await isSecret(value)) ? [path] : [];
  if (value instanceof Promise) {
    return secretPaths(await (value as Promise<unknown>).catch(() => undefined), path);
  }
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
    // Whoever uses the value is told why there is none.
    return false;
  }
}
