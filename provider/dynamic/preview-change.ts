import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../core/errors";
import type { SecretTexts } from "../core/secrets";
import type { Values } from "../core/unknown";
import { noteSecrets, PROVIDER_PROPERTY, secretInputs, type SecretPath } from "../runtime/kept-properties";
import type { CallOptions } from "../runtime/provider";
import { hasOtherResources } from "./dependencies";
import { identityOfResource } from "./identity";
import { isFirst, programProvider, secretTexts } from "./program-provider";
import { isKnown, isMocked, valueWithUnknowns } from "./pulumi-internals";

/** Much shorter than the timeout of a create, so that a cloud that does not respond does not block a preview. */
const TIMEOUT_MS = 60_000;

/**
 * At preview, prints next to a resource how creating, replacing or updating it would affect others. Pulumi does not call a dynamic
 * provider's create or update at preview, so the program reads the cloud. If the change would be refused, prints an error and
 * fails the preview, as the update would fail.
 */
export function previewChange(resource: pulumi.CustomResource, token: string): void {
  own.add(resource);
  if (!pulumi.runtime.isDryRun() || isMocked()) return;
  const done = pulumi.runtime.rpcKeepAlive();
  const texts = secretTexts();
  void printEffects(resource, token, texts)
    .catch(async (error: unknown) => {
      await pulumi.log.error(texts.scrub(messageOf(error)), resource);
      throw refusedPreview();
    })
    .finally(done);
}

/** The resources of this package. */
const own = new WeakSet<pulumi.Resource>();

/**
 * Ends the program, as an unhandled rejection: nothing awaits `previewChange`, and a preview that only printed an error
 * would succeed. The resource's own error says what is wrong, so this one needs no stack.
 */
function refusedPreview(): Error {
  const message = "The preview found a resource that cannot be created or updated: see its error";
  return Object.assign(new pulumi.RunError(message), { stack: message });
}

async function printEffects(resource: pulumi.CustomResource, token: string, texts: SecretTexts): Promise<void> {
  // A resource that will be created or replaced has no id yet.
  const exists = await isKnown(resource.id);
  if (exists && !(await isUpdated(resource))) return;
  const provider = programProvider();
  const registered = await registeredInputs(resource, Object.keys(provider.definitionOf(token).inputs.shape));
  if (!registered) return;
  const { values, paths } = registered;
  noteSecrets(values, paths, texts);
  const identity = await identityOfResource(resource);
  // Pulumi also calls the dynamic provider's check at preview, and this check reports the problems.
  const checked = await provider.check(token, values, { identity });
  if (checked.problems.length > 0) return;
  const reporter = {
    status: () => {},
    info: (message: string) => void pulumi.log.info(texts.scrub(message), resource),
    warning: (message: string) => void pulumi.log.warn(texts.scrub(message), resource),
  };
  const options: CallOptions = {
    timeout: TIMEOUT_MS,
    reporter,
    identity,
    secret: secretInputs(paths),
    stateIsUnknown: true,
    hasOtherResources: () => hasOtherResources(resource, (each) => own.has(each)),
  };
  const settings = provider.unplannedSettings(token, checked.inputs);
  try {
    await (exists
      ? provider.previewUpdate(token, undefined, checked.inputs, options)
      : provider.previewCreate(token, checked.inputs, options));
  } finally {
    // After what the preview says about access. A review reads it from the plan.
    if (settings !== undefined && isFirst(settings)) reporter.info(settings);
  }
}

/**
 * Whether the update will change an existing resource. At preview, the engine returns the state of an unchanged resource, and only
 * the inputs of one that a dynamic provider will update.
 */
async function isUpdated(resource: pulumi.CustomResource): Promise<boolean> {
  const etag: unknown = Reflect.get(resource, "etag");
  return pulumi.Output.isInstance(etag) && !(await isKnown(etag));
}

/**
 * The inputs with which the engine will create or update a resource, and the paths of the secrets among them. They are not
 * those of the program: the engine runs the transforms of the program (`transforms`, `registerResourceTransform`), applies
 * `ignoreChanges`, and calls the check, which fills in defaults. At preview, it returns the result as the resource's outputs.
 *
 * @returns undefined where the preview does not know all of them.
 */
async function registeredInputs(
  resource: pulumi.Resource,
  names: readonly string[],
): Promise<{ values: Values; paths: SecretPath[] } | undefined> {
  // Each resource has this property. It is absent if the engine has not planned the resource (`--target`).
  if ((await inputOf(resource, PROVIDER_PROPERTY)).value === undefined) return undefined;
  const inputs = await Promise.all(names.map(async (name) => ({ name, ...(await inputOf(resource, name)) })));
  if (inputs.some(({ value }) => pulumi.containsUnknowns(value))) return undefined;
  const given = inputs.filter(({ value }) => value !== undefined);
  return {
    values: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    paths: given.filter(({ isSecret }) => isSecret).map(({ name }) => [name]),
  };
}

async function inputOf(resource: pulumi.Resource, name: string): Promise<{ value?: unknown; isSecret?: boolean }> {
  const output: unknown = Reflect.get(resource, name);
  if (!pulumi.Output.isInstance(output)) return {};
  return { value: await valueWithUnknowns(output), isSecret: await pulumi.isSecret(output) };
}
