import type { Values } from "../core/unknown";
import type { Call } from "../http/call";
import { undefinedIfNotFound } from "../http/parse-answer";
import type { LongRunning } from "./long-running";
import type { Operation } from "./operation";

/** One resource that is to be deleted. */
export interface Removal {
  longRunning: LongRunning;
  /** Name of the resource, which is its id. */
  name: string;
  /** What the engine remembers; an earlier run may have left an operation in it. */
  state: Values;
  /** Sends the request. */
  begin(): Promise<Operation>;
}

/** Deletes a resource, after it has seen an earlier run's operation to its end; one that is gone already is deleted. */
export async function deleteAndWait({ longRunning, name, state, begin }: Removal, call: Call): Promise<void> {
  await longRunning.resume(name, state, call);
  const operation = await undefinedIfNotFound(begin());
  if (!operation) return;
  const done = await longRunning.wait({ verb: "delete", name, state, operation }, call);
  const failed = longRunning.errorOf(done, "delete", name);
  if (failed) throw failed;
}
