import { isDeepStrictEqual } from "node:util";
import type { OperationResult, Step } from "./engine-events";

type Refreshed = Pick<Step, "op" | "urn" | "old" | "new">;

/** What the refresh of an `up --refresh` found changed, by name. The summary of such a run counts the update only. */
export function drifts({ events }: OperationResult): Record<string, Refreshed> {
  const refreshed = events.flatMap((event) => {
    const metadata = (event.resOutputsEvent as { metadata: Refreshed } | undefined)?.metadata;
    return metadata?.op === "refresh" ? [metadata] : [];
  });
  if (refreshed.length === 0) throw new Error("nothing was refreshed");
  const drifted = refreshed.filter((each) => !isDeepStrictEqual(each.old?.outputs, each.new?.outputs));
  return Object.fromEntries(drifted.map((each) => [each.urn.split("::").at(-1), each]));
}
