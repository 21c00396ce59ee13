import * as pulumi from "@pulumi/pulumi";
import { PerimeterError } from "../core/errors/base";
import type { SecretTexts } from "../core/secrets";
import type { Values } from "../core/unknown";
import { isMocked, programProvider, secretTexts } from "./program-provider";
import { secretPaths } from "./program-secrets";
import { noteSecrets } from "./secret-paths";

const LOOKUP_TIMEOUT_MS = 5 * 60_000;

/** The direct form: plain arguments, a promise of the result. */
export async function lookup<R>(token: string, args: object, opts: pulumi.InvokeOptions = {}): Promise<R> {
  if (isMocked()) return (await pulumi.runtime.invoke(token, args as pulumi.Inputs, opts)) as R;
  try {
    const provider = programProvider();
    return (await provider.invoke(token, args as Values, { timeout: LOOKUP_TIMEOUT_MS })) as R;
  } catch (error) {
    throw told(error, secretTexts());
  }
}

/**
 * An error that says all in its message, marked so that a program that does not catch it ends with that message alone.
 *
 * Pulumi formats the stack in colours nevertheless, and Node 20 does not get past a frame of `@pulumi/output.ts`, which
 * is where the stack of an `apply` ends: it grows a text until that is too long, which takes a minute. So no frame of
 * Pulumi's stays in it.
 */
function told(error: unknown, texts: SecretTexts): unknown {
  if (error instanceof PerimeterError) Object.defineProperty(error, "__pulumiRunError", { value: true });
  for (let each = error; each instanceof Error; each = each.cause) {
    const stack = withoutPulumi(each.stack);
    each.message = texts.scrub(each.message);
    each.stack = stack === undefined ? undefined : texts.scrub(stack);
  }
  return error;
}

function withoutPulumi(stack: string | undefined): string | undefined {
  return stack
    ?.split("\n")
    .filter((line) => !/^\s+at .*[\\/]@pulumi[\\/]/.test(line))
    .join("\n");
}

/**
 * The output form: wrapped arguments, a wrapped result. At preview the result is unknown, and no request is made, while
 * an argument is unknown or a resource that it depends on (through an argument or `dependsOn`) is still to be created.
 */
export function lookupOutput<R>(
  token: string,
  args: pulumi.Inputs,
  opts: pulumi.InvokeOutputOptions = {},
): pulumi.Output<R> {
  const { dependsOn, ...rest } = opts;
  const wrapped = pulumi.output(args);
  const ready = pulumi.output(idsOfDependencies(wrapped, dependsOn));
  const secrets = secretPaths(args);
  return pulumi.all([wrapped, ready]).apply(async ([known]) => {
    noteSecrets(known, await secrets, secretTexts());
    return lookup<R>(token, known, rest);
  });
}

/** Outputs that are known only once everything that the arguments and `dependsOn` come from exists. */
async function idsOfDependencies(
  args: pulumi.Output<unknown>,
  dependsOn: pulumi.InvokeOutputOptions["dependsOn"],
): Promise<pulumi.Output<string>[]> {
  const explicit = await resolved(dependsOn);
  const implicit = await (args as { allResources?: () => Promise<Set<pulumi.Resource>> }).allResources?.();
  const seen = new Set<pulumi.Resource>();
  const visit = (resource: pulumi.Resource) => {
    if (seen.has(resource)) return;
    seen.add(resource);
    const { __childResources: children } = resource as { __childResources?: Set<pulumi.Resource> };
    children?.forEach(visit);
  };
  [...explicit, ...(implicit ?? [])].forEach(visit);
  // Resources that only stand for a URN (of another process) have no id of their own.
  return [...seen].filter(pulumi.CustomResource.isInstance).flatMap(({ id }) => (id ? [id] : []));
}

async function resolved(dependsOn: pulumi.InvokeOutputOptions["dependsOn"]): Promise<pulumi.Resource[]> {
  if (dependsOn === undefined) return [];
  const value = await (pulumi.Output.isInstance(dependsOn)
    ? (dependsOn as unknown as { promise(): Promise<unknown> }).promise()
    : dependsOn);
  if (pulumi.Resource.isInstance(value)) return [value];
  if (!Array.isArray(value)) return [];
  return (await Promise.all(value.map((each) => resolved(each as pulumi.Input<pulumi.Resource>)))).flat();
}
