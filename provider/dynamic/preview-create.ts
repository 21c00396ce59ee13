import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../core/errors";
import type { SecretTexts } from "../core/secrets";
import { isRecord } from "../core/unknown";
import { identityOfResource } from "./identity";
import { programProvider, secretTexts } from "./program-provider";
import { secretPaths } from "./program-secrets";
import { isKnown, isMocked, valueOf } from "./pulumi-internals";
import { noteSecrets } from "./secret-paths";

/** Far shorter than that of a create: a cloud that does not answer should not hold up a preview. */
const TIMEOUT_MS = 60_000;

/**
 * At preview, prints beside a resource what creating or replacing it would do to others. Pulumi does not call the create
 * of a dynamic provider at preview, so the program reads the cloud itself. What the create would refuse is printed as an
 * error and fails the preview, as it would fail the update.
 */
export function previewCreate(resource: pulumi.CustomResource, token: string, args: pulumi.Inputs): void {
  if (!pulumi.runtime.isDryRun() || isMocked()) return;
  const done = pulumi.runtime.rpcKeepAlive();
  const texts = secretTexts();
  void printEffects(resource, token, args, texts)
    .catch(async (error: unknown) => {
      await pulumi.log.error(texts.scrub(messageOf(error)), resource);
      throw refusedPreview();
    })
    .finally(done);
}

/**
 * Ends the program, as an unhandled rejection: nothing awaits `previewCreate`, and a preview that only printed an error
 * would succeed. The resource's own error says what is wrong, so this one needs no stack.
 */
function refusedPreview(): Error {
  const message = "The preview found a resource that could not be created: see its error";
  return Object.assign(new pulumi.RunError(message), { stack: message });
}

async function printEffects(
  resource: pulumi.CustomResource,
  token: string,
  args: pulumi.Inputs,
  texts: SecretTexts,
): Promise<void> {
  // A resource that exists and stays keeps its id at preview. One that will be created or replaced has no id yet.
  if (await isKnown(resource.id)) return;
  const inputs = pulumi.output(args);
  if (!(await isKnown(inputs))) return;
  const paths = await secretPaths(args);
  const given = await valueOf(inputs);
  const values = isRecord(given) ? given : {};
  noteSecrets(values, paths, texts);
  const provider = programProvider();
  const identity = await identityOfResource(resource);
  // Pulumi calls the dynamic provider's check at preview too, and that one reports the problems.
  const checked = await provider.check(token, values, { identity });
  if (checked.problems.length > 0) return;
  const secret = [...new Set(paths.map(([name]) => String(name)))];
  const reporter = {
    status: () => {},
    info: (message: string) => void pulumi.log.info(texts.scrub(message), resource),
    warning: (message: string) => void pulumi.log.warn(texts.scrub(message), resource),
  };
  const options = { timeout: TIMEOUT_MS, reporter, identity, stateIsUnknown: true };
  await provider.previewCreate(token, checked.inputs, secret, options);
}
