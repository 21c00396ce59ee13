import type { Config } from "../base/config";
import { permissionDenied, type ErrorSource } from "../base/errors";
import { compilePattern } from "../base/pattern";

/** Whether the `deny` switch denies this permission on this resource. */
export function isDenied(config: Config, permission: string, resource: string): boolean {
  return config.deny.some((entry) =>
    typeof entry === "string"
      ? entry === permission
      : entry.permission === permission &&
        (entry.resource === undefined || compilePattern(entry.resource).test(resource)),
  );
}

/**
 * Called before the handler looks for the resource, so that a caller without the permission does not learn whether it exists.
 *
 * @throws ApiError PERMISSION_DENIED
 */
export function requirePermission(config: Config, api: ErrorSource, permission: string, resource: string): void {
  if (isDenied(config, permission, resource)) {
    throw permissionDenied(api, permission, resource);
  }
}
