import type { AccessChanged, ReviewedResource, ReviewResult } from "../result";
import { byResource, changesInOrder, othersWithoutAccess, resourcesInOrder, type PlacedChange } from "./summary";

/** What a page can hold and a browser still draws at once. */
const MOST_RESOURCES = 200;
const MOST_CHANGES = 1000;
const MOST_CELLS = 40_000;
const MOST_ROWS = 300;
const FEWEST_ROWS = 10;
/** What a page shows without folding. */
const OPEN_RESOURCES = 10;
const OPEN_CHANGES = 30;

/** One resource of the page. */
export interface ReportRoom {
  /** Name of its place in the page, for links. */
  anchor: string;
  resource: ReviewedResource;
  /** Its changes that the page has room for. */
  changes: PlacedChange[];
  /** Rows that the picture may have; 0: the page has no room for it. */
  pictureRows: number;
  /** A page about many changes begins with its resources folded. */
  isOpen: boolean;
}

/** Shares the room of a page among the resources of a review: changes by their weight, pictures by their order. */
export function roomFor(result: ReviewResult): ReportRoom[] {
  const all = changesInOrder(result.resources);
  const changes = byResource(all.slice(0, MOST_CHANGES));
  const count = result.resources.length;
  const isOpen = count === 1 || (count <= OPEN_RESOURCES && all.length <= OPEN_CHANGES);
  let cells = MOST_CELLS;
  return resourcesInOrder(result)
    .slice(0, MOST_RESOURCES)
    .map((resource, index) => {
      const { roles, members } = sizeOf(resource);
      const rows = Math.min(MOST_ROWS, members, Math.floor(cells / Math.max(1, roles)));
      const pictureRows = rows < Math.min(members, FEWEST_ROWS) ? 0 : Math.max(1, rows);
      cells -= pictureRows * roles;
      return { anchor: `resource-${index + 1}`, resource, changes: changes.get(resource) ?? [], pictureRows, isOpen };
    });
}

function sizeOf({ before, after }: ReviewedResource): { roles: number; members: number } {
  const bindings = [...(before ?? []), ...(after ?? [])];
  return {
    roles: new Set(bindings.map(({ role }) => role)).size,
    members: new Set(bindings.flatMap(({ members }) => members)).size,
  };
}

/** What a reader can look for: a kind of change, or what is unknown. */
export type Kind = AccessChanged["change"] | "unknown";

export const KINDS: ReadonlyArray<readonly [kind: Kind, sign: string, one: string, many: string]> = [
  ["lost", "−", "loss", "losses"],
  ["condition", "~", "condition", "conditions"],
  ["gained", "+", "gain", "gains"],
  ["unknown", "?", "unknown", "unknown"],
];

/** How often each kind occurs in a resource. Who has no access left without a change that says so has lost it. */
export function countsOf(resource: ReviewedResource): Record<Kind, number> {
  const others = othersWithoutAccess(resource).length;
  const counts = { lost: others, condition: 0, gained: 0, unknown: resource.unknown.length };
  resource.changes.forEach(({ change }) => (counts[change] += 1));
  return counts;
}
