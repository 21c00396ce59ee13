import type { dynamic } from "@pulumi/pulumi";
import { NotReadyError, PerimeterError } from "../core/errors";
import type { SecretTexts } from "../core/secrets";
import type { Values } from "../core/unknown";
import { copyOfError } from "./error-copies";
import { secretPathsIn } from "./kept-properties";
import { noteSecrets } from "./secret-paths";

/** The methods of Pulumi's dynamic providers that are about one resource. */
export interface LifecycleMethods {
  check(olds: Values, news: Values): Promise<{ inputs: Values; failures: dynamic.CheckFailure[] }>;
  diff(id: string, olds: Values, news: Values): Promise<dynamic.DiffResult>;
  create(inputs: Values): Promise<{ id: string; outs: Values }>;
  /** An empty id where the resource is gone. */
  read(id: string, props?: Values): Promise<{ id: string; props: Values; inputs?: Values }>;
  update(id: string, olds: Values, news: Values): Promise<{ outs: Values }>;
  delete(id: string, props: Values): Promise<void>;
}

/**
 * The same methods, whose errors and check failures show nothing that the program marks as secret. Every set of values
 * that comes in names its secrets (`__secrets`); they are noted before the method runs.
 *
 * @param texts the secrets of this process
 */
export function guarded(methods: LifecycleMethods, texts: SecretTexts): LifecycleMethods {
  const note = (values: Values) => noteSecrets(values, secretPathsIn(values), texts);
  const run = async <T>(given: readonly Values[], method: () => Promise<T>): Promise<T> => {
    given.forEach(note);
    try {
      return await method();
    } catch (error) {
      throw withoutSecrets(error, texts);
    }
  };
  return {
    check: async (olds, news) => {
      const { inputs, failures } = await run([olds, news], () => methods.check(olds, news));
      // The check fills in defaults, of which one, such as the project, may be secret.
      note(inputs);
      return { inputs, failures: failures.map((each) => ({ ...each, reason: texts.scrub(each.reason) })) };
    },
    diff: (id, olds, news) => run([olds, news], () => methods.diff(id, olds, news)),
    create: (inputs) => run([inputs], () => methods.create(inputs)),
    read: (id, props = {}) => run([props], () => methods.read(id, props)),
    update: (id, olds, news) => run([olds, news], () => methods.update(id, olds, news)),
    delete: (id, props) => run([props], () => methods.delete(id, props)),
  };
}

/** Takes the place of the stack of the provider's own errors: their messages say all that a user needs. */
const NO_STACK = "(no stack)";

/**
 * A copy of the error without secrets. Pulumi's dynamic server shows its message, its stack, and the reasons of what is
 * not ready.
 */
function withoutSecrets(error: unknown, texts: SecretTexts): Error {
  if (!(error instanceof Error)) return new Error(texts.scrub(String(error)));
  return copyOfError(error, {
    message: texts.scrub(error.message),
    stack: error instanceof PerimeterError ? NO_STACK : texts.scrub(error.stack ?? ""),
    ...(error instanceof NotReadyError ? { reasons: error.reasons.map((each) => texts.scrub(each)) } : {}),
  });
}

/**
 * Keeps Pulumi's dynamic server from printing the provider's own errors. The server prints and returns most errors, and
 * the engine shows what was returned, so the user would read everything twice.
 */
export function printOnce(): void {
  const print = console.error.bind(console);
  console.error = (...args: unknown[]) => {
    const [text] = args;
    if (args.length === 1 && typeof text === "string" && text.endsWith(`: ${NO_STACK}`)) return;
    print(...args);
  };
}
