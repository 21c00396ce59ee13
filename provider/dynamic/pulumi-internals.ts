import * as pulumi from "@pulumi/pulumi";
import { BugError } from "../core/errors";

/**
 * The members of Pulumi's SDK that this front needs and that the SDK's type declarations leave out. No other file reads
 * internal members, except backend.ts, which reads one of its configuration object. Each function looks at the value at run
 * time, so a release without the member fails with its name.
 *
 * All of them are in 3.142.0, the oldest release of the peer range, and in 3.270.0.
 */

/**
 * The value of an output. Undefined where a preview does not know it.
 *
 * `OutputImpl.promise()` in output.js.
 *
 * @throws the rejection of the output
 */
export function valueOf(output: pulumi.Output<unknown>): Promise<unknown> {
  return promised(output, false);
}

/**
 * The value of an output, with Pulumi's `unknown` in place of what a preview does not know. `isKnown` is also false for a
 * property that a preview knows to be absent; this returns undefined for it.
 *
 * @throws the rejection of the output
 */
export function valueWithUnknowns(output: pulumi.Output<unknown>): Promise<unknown> {
  return promised(output, true);
}

async function promised(output: pulumi.Output<unknown>, withUnknowns: boolean): Promise<unknown> {
  const promise: unknown = Reflect.get(output, "promise");
  if (typeof promise !== "function") throw lacks("Output.promise");
  const value: unknown = await Reflect.apply(promise, output, [withUnknowns]);
  return value;
}

/**
 * Whether an output is known in this preview.
 *
 * `OutputImpl.isKnown` in output.js, a promise.
 */
export async function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  const known: unknown = await Reflect.get(output, "isKnown");
  if (typeof known !== "boolean") throw lacks("Output.isKnown");
  return known;
}

/**
 * The children of this resource that are registered so far.
 *
 * `Resource.__childResources` in resource.js, a set that the first child adds.
 */
export function childrenOf(parent: pulumi.Resource): pulumi.Resource[] {
  const children: unknown = Reflect.get(parent, "__childResources");
  return children instanceof Set ? [...children].filter(pulumi.Resource.isInstance) : [];
}

/**
 * The parent of a resource; the stack is the default parent. Undefined for the stack itself.
 *
 * `Resource.__parentResource` in resource.js.
 */
export function parentOf(resource: pulumi.Resource): pulumi.Resource | undefined {
  const parent: unknown = Reflect.get(resource, "__parentResource");
  return pulumi.Resource.isInstance(parent) ? parent : undefined;
}

/**
 * Whether a component is created in this process, so that its children are known.
 *
 * `ComponentResource.__remote` in resource.js.
 */
export function isLocalComponent(resource: pulumi.Resource): boolean {
  return pulumi.ComponentResource.isInstance(resource) && Reflect.get(resource, "__remote") === false;
}

/**
 * The type of a resource, `{package}:{module}:{Name}`; `pulumi:providers:{package}` for a provider.
 *
 * `Resource.__pulumiType` in resource.js. `pulumi.resourceType()` returns the same, but only in newer releases.
 */
export function typeOf(resource: pulumi.Resource): string {
  const type: unknown = Reflect.get(resource, "__pulumiType");
  if (typeof type !== "string") throw lacks("Resource.__pulumiType");
  return type;
}

/**
 * Whether the stack's configuration keeps a key secret.
 *
 * `runtime.isConfigSecret` in runtime/config.js.
 *
 * @param key with its namespace, such as `perimeter:project`
 */
export function isConfigSecret(key: string): boolean {
  const isSecret: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  if (typeof isSecret !== "function") throw lacks("runtime.isConfigSecret");
  return Reflect.apply(isSecret, pulumi.runtime, [key]) === true;
}

/**
 * Whether the program runs under `pulumi.runtime.setMocks`: its tests define the results of resources and functions.
 *
 * `MockMonitor.mocks` in runtime/mocks.js, which the SDK declares: `setMocks` puts a MockMonitor in the place of the
 * connection to the engine, which has no such member. The class itself is not compared, because copies of the SDK in one
 * process share the connection, and each copy has a separate class.
 */
export function isMocked(): boolean {
  const monitor: object | undefined = pulumi.runtime.getMonitor();
  return monitor !== undefined && "mocks" in monitor;
}

/**
 * The options of a resource, with a function that the SDK calls after all transformations: those of the resource, its parents
 * and the stack.
 *
 * `Resource.__transformations` in resource.js: the constructor makes this list, the resource's transformations first, and then
 * loops over it. So the first one can add another at the end.
 *
 * @param change returns the final properties.
 */
export function withLastTransformation(
  opts: pulumi.CustomResourceOptions | undefined,
  change: (props: pulumi.Inputs, opts: pulumi.CustomResourceOptions) => pulumi.Inputs,
): pulumi.CustomResourceOptions {
  let own: pulumi.Resource | undefined;
  // The resource's children inherit the list.
  const onlyOnce =
    (transformation: pulumi.ResourceTransformation): pulumi.ResourceTransformation =>
    (args) => {
      own ??= args.resource;
      return own === args.resource ? transformation(args) : undefined;
    };
  const last = onlyOnce(({ props, opts: final }) => ({ props: change(props, final), opts: final }));
  const first = onlyOnce(({ resource }) => {
    const all: unknown = Reflect.get(resource, "__transformations");
    if (!Array.isArray(all)) throw lacks("Resource.__transformations");
    all.push(last);
    return undefined;
  });
  return { ...opts, transformations: [first, ...(opts?.transformations ?? [])] };
}

/**
 * Shortens what the SDK takes from stack traces while it makes a resource, until the returned function is called:
 *
 * - It formats four for each property, and ts-node looks up each of their lines, which is a quarter of the processor time of
 *   a program. It prints them only with PULUMI_DEBUG_PROMISE_LEAKS.
 * - It takes the first frame after `new Resource`, `new CustomResource` and the constructor of one more class for the place
 *   in the program, and writes this and all later frames to the state. Here one class more is between them.
 *
 * All other errors have their stack trace.
 *
 * `debuggablePromise` in runtime/debuggable.js, and the comment on the stack in the constructor of `Resource` in resource.js.
 *
 * @param base the class between them.
 */
export function shortenTraces(base: { readonly name: string }): () => void {
  const { prepareStackTrace: usual } = Error;
  // Without such a function, V8 formats them itself, which takes little time.
  if (typeof usual !== "function" || process.env.PULUMI_DEBUG_PROMISE_LEAKS) return () => undefined;
  const shortened = (error: Error, frames: NodeJS.CallSite[]): unknown => {
    if (frames[0]?.getFunctionName() === "debuggablePromise") return "";
    const isOfBase = (frame: NodeJS.CallSite) => frame.isConstructor() && frame.getFunctionName() === base.name;
    return usual(
      error,
      frames.filter((frame) => !isOfBase(frame)),
    );
  };
  Error.prepareStackTrace = shortened;
  return () => {
    // A transformation may have installed another function.
    if (Error.prepareStackTrace === shortened) Error.prepareStackTrace = usual;
  };
}

function lacks(member: string): BugError {
  return new BugError(`the installed @pulumi/pulumi has no ${member}`);
}
