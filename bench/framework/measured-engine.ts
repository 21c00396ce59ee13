import type { EngineProject } from "../../tests/support/engine";
import { EngineError } from "../../tests/support/engine-run";
import { watchTree } from "./process-tree";

export const PARALLEL = 16;
const PROVIDERS = /pulumi-resource-(perimeter|benchpeer)|dynamic-provider/;
const LIMIT_MS = 1_200_000;

/** One command, with the resource usage of all its processes. */
export async function runMeasured(project: EngineProject, args: string[]) {
  const running = project.start([...args, "--parallel", String(PARALLEL)]);
  const usage = watchTree(running.pid, PROVIDERS);
  const timer = setTimeout(() => running.kill("SIGKILL"), LIMIT_MS);
  const result = await running.done.finally(() => clearTimeout(timer));
  const used = usage();
  if (result.code !== 0) throw new EngineError(result, `failed with ${result.signal ?? `code ${result.code}`}`);
  return { result, seconds: result.milliseconds / 1000, ...used };
}

/** A preview that must find this of all resources of the stack. */
export async function previewOf(project: EngineProject, resources: number, found: "unchanged" | "to create") {
  const preview = await runMeasured(project, ["preview"]);
  // The stack counts as a resource.
  if (!new RegExp(`\\b${resources + 1} ${found}`).test(preview.result.stdout)) {
    throw new EngineError(preview.result, `should have found ${resources + 1} resources ${found}`);
  }
  return preview;
}
