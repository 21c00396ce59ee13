import type { AccessChanged, ReviewedResource, ReviewResult } from "../result";
import { byResource, changesInOrder, othersWithoutAccess, resourcesInOrder, type PlacedChange } from "./summary";

/** Rows that a browser draws without delay. */
const MOST_RESOURCES = 200;
const MOST_CHANGES = 1000;
const MOST_CELLS = 40_000;
const MOST_ROWS = 300;
const FEWEST_ROWS = 10;
/** Rows that a page shows without folding. */
const OPEN_RESOURCES = 10;
const OPEN_CHANGES = 30;

/** A resource of the page. */
export interface ReportRoom {
  /** The HTML id of the resource, for links. */
  anchor: string;
  resource: ReviewedResource;
  /** The changes that fit on the page. */
  changes: PlacedChange[];
  /** The number of rows for the picture; 0 when it does not fit on the page. */
  pictureRows: number;
  /** On a page with many changes, the resources are folded at first. */
  isOpen: boolean;
}

/**
 * Divides the rows of a page among the resources of a review. The most important changes come first; pictures get rows in the
 * order of the resources.
 */
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

/** The kinds of entries that a reader can filter by. */
export type Kind = AccessChanged["change"] | "unknown";

export const KINDS: ReadonlyArray<readonly [kind: Kind, sign: string, one: string, many: string]> = [
  ["lost", "−", "loss", "losses"],
  ["condition", "~", "condition", "conditions"],
  ["gained", "+", "gain", "gains"],
  ["unknown", "?", "unknown", "unknown"],
];

/**
 * Counts the entries of each kind in a resource. A principal without access left counts as a loss, also when no change lists
 * it.
 */
export function countsOf(resource: ReviewedResource): Record<Kind, number> {
  const others = othersWithoutAccess(resource).length;
  const counts = { lost: others, condition: 0, gained: 0, unknown: resource.unknown.length };
  resource.changes.forEach(({ change }) => (counts[change] += 1));
  return counts;
}
