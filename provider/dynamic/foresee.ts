import * as pulumi from "@pulumi/pulumi";
import type { Values } from "../core/unknown";
import { isMocked, programProvider } from "./program-provider";

/** As long as a lookup: a preview should not hang on it. */
const TIMEOUT_MS = 60_000;

/**
 * At preview, tells beside a resource what creating or replacing it would do to others. Dynamic providers are not asked
 * at preview, so the program looks by itself; an error stops the preview, as it would stop the update.
 */
export function foresee(resource: pulumi.CustomResource, token: string, args: pulumi.Inputs | undefined): void {
  if (!pulumi.runtime.isDryRun() || isMocked() || args === undefined) return;
  const done = pulumi.runtime.rpcKeepAlive();
  look(resource, token, args)
    .catch((error: unknown) => pulumi.log.error((error as Error).message, resource))
    .finally(done);
}

async function look(resource: pulumi.CustomResource, token: string, args: pulumi.Inputs): Promise<void> {
  // What exists has an id at preview, too, and stays as it is; what will be created or replaced has none yet.
  if (await isKnown(resource.id)) return;
  const inputs = pulumi.output(args);
  if (!(await isKnown(inputs))) return;
  const secret: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    if (await pulumi.isSecret(pulumi.output(value as pulumi.Input<unknown>))) secret.push(name);
  }
  const values = (await (inputs as unknown as { promise(): Promise<Values> }).promise()) ?? {};
  const provider = programProvider();
  // Wrong inputs are the check's to report.
  const checked = await provider.check(token, values);
  if (checked.problems.length > 0) return;
  const reporter = {
    status: () => {},
    info: (message: string) => void pulumi.log.info(message, resource),
    warning: (message: string) => void pulumi.log.warn(message, resource),
  };
  await provider.foresee(token, checked.inputs, secret, { timeout: TIMEOUT_MS, reporter });
}

/** Whether an output is known in this preview. */
function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as { isKnown: Promise<boolean> }).isKnown;
}
