import * as pulumi from "@pulumi/pulumi";
import type { Values } from "../core/unknown";

/**
 * Lookups of the dynamic front run in the program itself, which has no provider process to ask. The provider is loaded,
 * and configuration and environment are read, when the first one runs: a program without lookups starts without them.
 */
type Run = (token: string, args: Values) => Promise<Values>;
let running: Promise<Run> | undefined;

async function load(): Promise<Run> {
  const { DEFAULT_TIMEOUTS, Provider } = await import("../runtime/provider.js");
  const { configurationKeys } = await import("../core/config/definition.js");
  const config = new pulumi.Config("perimeter");
  const given = Object.fromEntries(configurationKeys().map((key) => [key, config.get(key)]));
  const provider = new Provider(given, process.env);
  return (token, args) => provider.invoke(token, args, { timeout: DEFAULT_TIMEOUTS.lookup });
}

/** The direct form: plain arguments, a promise of the result. */
export async function lookup<R>(token: string, args: object, opts: pulumi.InvokeOptions = {}): Promise<R> {
  // Under `pulumi.runtime.setMocks` a program's functions answer what its tests say.
  if (isMocked()) return (await pulumi.runtime.invoke(token, args as pulumi.Inputs, opts)) as R;
  running ??= load();
  const run = await running;
  return (await run(token, args as Values)) as R;
}

function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
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
  return pulumi.all([wrapped, ready]).apply(([known]) => lookup<R>(token, known, rest));
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
