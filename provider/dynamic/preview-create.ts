import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../core/errors";
import type { SecretTexts } from "../core/secrets";
import { isRecord } from "../core/unknown";
import { identityOfResource } from "./identity";
import { programProvider, secretTexts } from "./program-provider";
import { secretPaths } from "./program-secrets";
import { isKnown, isMocked, valueOf } from "./pulumi-internals";
import { noteSecrets } from "./secret-paths";

/** As long as a lookup: a preview should not hang on it. */
const TIMEOUT_MS = 60_000;

/**
 * At preview, tells beside a resource what creating or replacing it would do to others. Dynamic providers are not asked
 * at preview, so the program looks by itself; an error stops the preview, as it would stop the update.
 */
export function previewCreate(resource: pulumi.CustomResource, token: string, args: pulumi.Inputs): void {
  if (!pulumi.runtime.isDryRun() || isMocked()) return;
  const done = pulumi.runtime.rpcKeepAlive();
  const texts = secretTexts();
  void look(resource, token, args, texts)
    .catch(async (error: unknown) => {
      await pulumi.log.error(texts.scrub(messageOf(error)), resource);
      throw refusedPreview();
    })
    .finally(done);
}

/**
 * Ends the program, for nobody waits for the look: a preview that only printed an error would count as a success. What is
 * wrong stands beside the resource, so this says no more, and has no stack.
 */
function refusedPreview(): Error {
  const error = new pulumi.RunError("The preview found a resource that could not be created: see its error");
  error.stack = error.message;
  return error;
}

async function look(
  resource: pulumi.CustomResource,
  token: string,
  args: pulumi.Inputs,
  texts: SecretTexts,
): Promise<void> {
  // What exists has an id at preview, too, and stays as it is; what will be created or replaced has none yet.
  if (await isKnown(resource.id)) return;
  const inputs = pulumi.output(args);
  if (!(await isKnown(inputs))) return;
  const paths = await secretPaths(args);
  const given = await valueOf(inputs);
  const values = isRecord(given) ? given : {};
  noteSecrets(values, paths, texts);
  const provider = programProvider();
  const identity = await identityOfResource(resource);
  // Wrong inputs are the check's to report.
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
