import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../core/errors";
import { isRecord, type Values } from "../core/unknown";
import { noteSecrets } from "../runtime/kept-properties";
import { DEFAULT_TIMEOUTS } from "../http/call";
import { idsOfDependencies } from "./dependencies";
import { asProgramError } from "./program-errors";
import { lookAfter, programProvider, secretTexts } from "./program-provider";
import { secretPaths } from "./program-secrets";
import { isMocked } from "./pulumi-internals";

/**
 * The direct form of a lookup (`getScope`): plain arguments in, a promise of the result out.
 *
 * @param token `perimeter:{service}/{version}:{name}`
 * @throws InputError, ApiError and the other errors of this package, as copies without secrets
 */
export async function lookup<R>(token: string, args: object, opts: pulumi.InvokeOptions = {}): Promise<R> {
  try {
    const plain = plainArguments(token, args);
    const result: unknown = isMocked()
      ? await pulumi.runtime.invoke(token, plain, opts)
      : await programProvider().invoke(token, plain, { timeout: DEFAULT_TIMEOUTS.lookup });
    // The generated modules name R, from the definition whose token they pass.
    return result as R;
  } catch (error) {
    await exchangeWithEngine(token);
    throw asProgramError(error, secretTexts());
  }
}

/**
 * Waits for a response of the engine, as each function of Pulumi's SDKs does. Pulumi reads some files between the end of a
 * program and its first look at what the program exports. A lookup that fails earlier, before it sends a request, rejects a
 * promise that nobody handles yet: Node.js then prints a PromiseRejectionHandledWarning.
 */
async function exchangeWithEngine(token: string): Promise<void> {
  if (!isMocked()) await pulumi.log.debug(`${token} failed`);
}

/**
 * The arguments of the direct form.
 *
 * @throws InputError where they are missing, or where one is an output or a promise
 */
function plainArguments(token: string, args: unknown): Values {
  const name = token.slice(token.lastIndexOf(":") + 1);
  const useOutputForm = `use ${name}Output, which takes outputs and promises`;
  if (!isRecord(args) || isWrapped(args)) {
    const what = isWrapped(args) ? "must be plain values, but are wrapped" : "are required";
    throw new InputError(name, [
      { path: "its arguments", reason: `${what}; if they come from outputs, ${useOutputForm}` },
    ]);
  }
  const wrapped = Object.keys(args).filter((key) => isWrapped(args[key]));
  if (wrapped.length === 0) return args;
  const reason = `must be a plain value, but is an output or a promise: ${useOutputForm}`;
  throw new InputError(
    name,
    wrapped.map((path) => ({ path, reason })),
  );
}

function isWrapped(value: unknown): boolean {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/**
 * The output form of a lookup (`getScopeOutput`): arguments that may be outputs or promises in, an output of the result
 * out. At preview it makes no request, and its result is unknown, while an argument is unknown or while a resource that it
 * depends on (through an argument or `dependsOn`) does not exist yet.
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
  return pulumi.all([wrapped, ready]).apply(async ([known, ids]) => {
    lookAfter(ids);
    noteSecrets(known, await secrets, secretTexts());
    return lookup<R>(token, known, rest);
  });
}
