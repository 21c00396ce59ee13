import type { Config } from "../control/config";
import { permissionDenied } from "../http/errors";
import { pattern } from "../control/glob";

/** Does the `deny` switch take this permission away on this resource? */
export function isDenied(config: Config, permission: string, resource: string): boolean {
  return config.deny.some((entry) =>
    typeof entry === "string"
      ? entry === permission
      : entry.permission === permission && (entry.resource === undefined || pattern(entry.resource).test(resource)),
  );
}

/** @throws ApiError PERMISSION_DENIED, also where the resource is missing: the caller may not learn that */
export function requirePermission(config: Config, service: string, permission: string, resource: string): void {
  if (isDenied(config, permission, resource)) {
    throw permissionDenied(service, permission, resource);
  }
}
