import type { Config } from "../base/config";
import { permissionDenied, type ErrorSource } from "../base/errors";
import { compilePattern } from "../base/pattern";

/** A permission that requests needed on a resource. */
export interface UsedPermission {
  permission: string;
  resource: string;
  /** How many times requests needed it. */
  uses: number;
  /** How many of these were denied. */
  denied: number;
}

/** Which permissions the caller has, by the switches `allow` and `deny`, and which ones the requests of the run needed. */
export class Permissions {
  private readonly needed = new Map<string, UsedPermission>();

  constructor(private readonly config: () => Config) {}

  /** Whether the caller has the permission on the resource. */
  has(permission: string, resource: string): boolean {
    const { allow, deny } = this.config();
    const isListed = (list: Config["deny"]) => list.some((entry) => covers(entry, permission, resource));
    return (allow === null || isListed(allow)) && !isListed(deny);
  }

  /**
   * Called before the handler looks for the resource, so that a caller without the permission does not learn whether it
   * exists.
   *
   * @throws ApiError PERMISSION_DENIED
   */
  require(api: ErrorSource, permission: string, resource: string): void {
    const isHeld = this.has(permission, resource);
    const key = `${permission} ${resource}`;
    const { uses, denied } = this.needed.get(key) ?? { uses: 0, denied: 0 };
    this.needed.set(key, { permission, resource, uses: uses + 1, denied: denied + (isHeld ? 0 : 1) });
    if (!isHeld) {
      throw permissionDenied(api, permission, resource);
    }
  }

  /** Sorted by permission, then by resource. */
  used(): UsedPermission[] {
    const byName = [...this.needed].sort(([left], [right]) => (left < right ? -1 : 1));
    return byName.map(([, each]) => ({ ...each }));
  }

  clear(): void {
    this.needed.clear();
  }
}

function covers(entry: Config["deny"][number], permission: string, resource: string): boolean {
  if (typeof entry === "string") {
    return entry === permission;
  }
  const { resource: pattern } = entry;
  return entry.permission === permission && (pattern === undefined || compilePattern(pattern).test(resource));
}
