import type { Config } from "../base/config";
import { permissionDenied, type ErrorSource } from "../base/errors";
import { PatternList, type Pattern } from "../base/pattern";

/** A permission that requests needed on a resource. */
export interface UsedPermission {
  permission: string;
  /** Its relative name; `*` stands for all resources after the first 20,000 entries. */
  resource: string;
  /** How many times requests needed it. */
  uses: number;
  /** How many of these were denied. */
  denied: number;
}

/** Entries with a resource of their own. */
const MOST_ENTRIES = 20_000;
/** Characters of the names in them. */
const MOST_CHARACTERS = 16_000_000;
const OTHERS = "*";

/** Which permissions the caller has, by the switches `allow` and `deny`, and which ones the requests of the run needed. */
export class Permissions {
  private readonly needed = new Map<string, UsedPermission>();
  private characters = 0;

  constructor(private readonly config: () => Config) {}

  /** Whether the caller has the permission on the resource. */
  has(permission: string, resource: string): boolean {
    const { allow, deny } = this.config();
    const isListed = (list: Config["deny"]) =>
      (listing(list).get(permission) ?? []).some((each) => each.test(resource));
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
    const used = this.entryOf(permission, resource);
    used.uses += 1;
    used.denied += isHeld ? 0 : 1;
    if (!isHeld) {
      throw permissionDenied(api, permission, resource);
    }
  }

  private entryOf(permission: string, resource: string): UsedPermission {
    const key = `${permission} ${resource}`;
    const known = this.needed.get(key);
    if (known !== undefined) {
      return known;
    }
    const isFull = this.needed.size >= MOST_ENTRIES || this.characters + key.length > MOST_CHARACTERS;
    if (isFull && resource !== OTHERS) {
      return this.entryOf(permission, OTHERS);
    }
    this.characters += key.length;
    const used = { permission, resource, uses: 0, denied: 0 };
    this.needed.set(key, used);
    return used;
  }

  /** Sorted by permission, then by resource. */
  used(): UsedPermission[] {
    const byName = [...this.needed].sort(([left], [right]) => (left < right ? -1 : 1));
    return byName.map(([, each]) => ({ ...each }));
  }

  clear(): void {
    this.needed.clear();
    this.characters = 0;
  }
}

const EVERYWHERE: Pattern = { test: () => true, steps: 0 };
const listings = new WeakMap<Config["deny"], Map<string, Pattern[]>>();

/** The patterns of resources in a list, by permission. Made once for each list: a response asks about each of its resources. */
function listing(list: Config["deny"]): Map<string, Pattern[]> {
  const known = listings.get(list);
  if (known !== undefined) return known;
  const patterns = new PatternList();
  const byPermission = new Map<string, Pattern[]>();
  for (const entry of list) {
    const { permission, resource } = typeof entry === "string" ? { permission: entry } : entry;
    const resources = byPermission.get(permission) ?? [];
    resources.push(resource === undefined ? EVERYWHERE : patterns.compile(resource));
    byPermission.set(permission, resources);
  }
  listings.set(list, byPermission);
  return byPermission;
}
