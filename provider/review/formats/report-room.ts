import type { ReviewedResource, ReviewResult } from "../result";
import { byResource, changesInOrder, resourcesInOrder, type PlacedChange } from "./told";

/** What a page can hold and a browser still draws at once. */
const MOST_RESOURCES = 200;
const MOST_CHANGES = 1000;
const MOST_CELLS = 40_000;
const MOST_ROWS = 300;
const FEWEST_ROWS = 10;

export interface ReportRoom {
  resource: ReviewedResource;
  changes: PlacedChange[];
  pictureRows: number;
}

/** Shares the room of a page among the resources of a review: changes by their weight, pictures by their order. */
export function roomFor(result: ReviewResult): ReportRoom[] {
  const changes = byResource(changesInOrder(result.resources).slice(0, MOST_CHANGES));
  let cells = MOST_CELLS;
  return resourcesInOrder(result)
    .slice(0, MOST_RESOURCES)
    .map((resource) => {
      const { roles, members } = sizeOf(resource);
      const rows = Math.min(MOST_ROWS, members, Math.floor(cells / Math.max(1, roles)));
      const pictureRows = rows < Math.min(members, FEWEST_ROWS) ? 0 : Math.max(1, rows);
      cells -= pictureRows * roles;
      return { resource, changes: changes.get(resource) ?? [], pictureRows };
    });
}

function sizeOf({ before, after }: ReviewedResource): { roles: number; members: number } {
  const bindings = [...(before ?? []), ...(after ?? [])];
  return {
    roles: new Set(bindings.map(({ role }) => role)).size,
    members: new Set(bindings.flatMap(({ members }) => members)).size,
  };
}
