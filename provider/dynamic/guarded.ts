import type { dynamic } from "@pulumi/pulumi";
import { firstProblems, NotReadyError, PerimeterError, shortened } from "../core/errors";
import type { SecretTexts } from "../core/secrets";
import type { Values } from "../core/unknown";
import { noteSecrets, secretPathsIn } from "../runtime/kept-properties";
import { copyOfError } from "./program-errors";

/** The methods of Pulumi's dynamic providers for one resource. */
export interface LifecycleMethods {
  check(olds: Values, news: Values): Promise<{ inputs: Values; failures: dynamic.CheckFailure[] }>;
  diff(id: string, olds: Values, news: Values): Promise<dynamic.DiffResult>;
  create(inputs: Values): Promise<{ id: string; outs: Values }>;
  /** An empty id means that the resource is gone. */
  read(id: string, props?: Values): Promise<{ id: string; props: Values; inputs?: Values }>;
  update(id: string, olds: Values, news: Values): Promise<{ outs: Values }>;
  delete(id: string, props: Values): Promise<void>;
}

/**
 * The same methods, with errors and check failures that show no secret of the program. All incoming values name their
 * secrets (`__secrets`), which are stored before the method runs.
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
      if (error instanceof PerimeterError) printOnce();
      throw withoutSecrets(error, texts);
    }
  };
  return {
    check: async (olds, news) => {
      const { inputs, failures } = await run([olds, news], () => methods.check(olds, news));
      // The check fills in defaults that may be secret, such as the project.
      note(inputs);
      const shown = failures.map((each) => ({ ...each, reason: messageFor(each.reason, texts) }));
      return { inputs, failures: firstProblems(shown, (reason) => ({ property: "", reason })) };
    },
    diff: (id, olds, news) => run([olds, news], () => methods.diff(id, olds, news)),
    create: (inputs) => run([inputs], () => methods.create(inputs)),
    read: (id, props = {}) => run([props], () => methods.read(id, props)),
    update: (id, olds, news) => run([olds, news], () => methods.update(id, olds, news)),
    delete: (id, props) => run([props], () => methods.delete(id, props)),
  };
}

/** Replaces the stack of provider errors: their messages have all that a user needs. */
const NO_STACK = "(no stack)";

/**
 * A copy of the error without secrets. Pulumi's dynamic server shows the message, the stack, and the reasons of a resource
 * that is not ready.
 */
function withoutSecrets(error: unknown, texts: SecretTexts): Error {
  if (!(error instanceof Error)) return new Error(messageFor(String(error), texts));
  return copyOfError(error, {
    message: messageFor(error.message, texts),
    stack: error instanceof PerimeterError ? NO_STACK : messageFor(error.stack ?? "", texts),
    ...(error instanceof NotReadyError ? { reasons: error.reasons.map((each) => messageFor(each, texts)) } : {}),
  });
}

function messageFor(text: string, texts: SecretTexts): string {
  return shortened(texts.scrub(text));
}

/** How many errors Pulumi's dynamic server is about to print. */
let printing = 0;
let print = console.error;

/**
 * Keeps Pulumi's dynamic server from printing the provider error that it receives now. The server prints and returns most
 * errors, and the engine shows the returned error, so the user would see it twice. The server prints before the next turn of
 * the event loop: afterwards, `console.error` is restored, because other providers share the process.
 */
function printOnce(): void {
  if (printing++ === 0) {
    print = console.error;
    console.error = printOthers;
  }
  setImmediate(() => {
    if (--printing === 0 && console.error === printOthers) console.error = print;
  });
}

function printOthers(...args: unknown[]): void {
  const [text] = args;
  if (args.length === 1 && typeof text === "string" && text.endsWith(`: ${NO_STACK}`)) return;
  print.apply(console, args);
}
