import type { dynamic } from "@pulumi/pulumi";
import { NotReadyError, PerimeterError } from "../core/errors";
import type { SecretTexts } from "../core/secrets";
import type { Values } from "../core/unknown";
import { SECRETS_PROPERTY } from "./serialized-provider";
import { noteSecrets, type SecretPath } from "./secret-paths";

/** The methods of Pulumi's dynamic providers that are about one resource. */
export type LifecycleMethods = Required<Omit<dynamic.ResourceProvider, "configure">>;

/**
 * The provider, with every message cleared of what the program marks as secret. The places of the secrets come with each
 * resource, and stay beside its inputs and outputs for the runs to come.
 *
 * @param texts where the secrets of the process are noted
 */
export function guarded(provider: LifecycleMethods, texts: SecretTexts): LifecycleMethods {
  const note = (values: Values, kept: Kept) => noteSecrets(values, pathsOf(kept), texts);
  /** Runs a method on values without the places, and tells of it without the secrets. */
  const run = async <T>(given: readonly Values[], kept: Kept, method: () => Promise<T>): Promise<T> => {
    for (const values of given) note(values, keptOf(values));
    try {
      return await method();
    } catch (error) {
      if (error instanceof NotReadyError) Object.assign(error.properties, kept);
      throw withoutSecrets(error, texts);
    }
  };
  return {
    check: async (olds: Values, news: Values) => {
      const kept = keptOf(news);
      const { inputs, failures = [] } = await run([olds, news], kept, () =>
        provider.check(without(olds), without(news)),
      );
      // The default project, for one, is there only now.
      note(inputs as Values, kept);
      return {
        inputs: { ...(inputs as Values), ...kept },
        failures: failures.map((each) => ({ ...each, reason: texts.scrub(each.reason) })),
      };
    },
    diff: (id: string, olds: Values, news: Values) =>
      run([olds, news], {}, () => provider.diff(id, without(olds), without(news))),
    create: async (inputs: Values) => {
      const kept = keptOf(inputs);
      const { id, outs } = await run([inputs], kept, () => provider.create(without(inputs)));
      return { id, outs: { ...(outs as Values), ...kept } };
    },
    read: async (id: string, props: Values = {}) => {
      const kept = keptOf(props);
      const current = await run([props], kept, () => provider.read(id, without(props)));
      return {
        ...current,
        props: { ...(current.props as Values), ...kept },
        ...(current.inputs ? { inputs: { ...(current.inputs as Values), ...kept } } : {}),
      };
    },
    update: async (id: string, olds: Values, news: Values) => {
      const kept = keptOf(news);
      const { outs } = await run([olds, news], kept, () => provider.update(id, without(olds), without(news)));
      return { outs: { ...(outs as Values), ...kept } };
    },
    delete: (id: string, props: Values) => run([props], {}, () => provider.delete(id, without(props))),
  };
}

/** What is kept of the secrets' places; nothing where there are none. */
type Kept = { [SECRETS_PROPERTY]?: unknown };

function keptOf(values: Values): Kept {
  return SECRETS_PROPERTY in values ? { [SECRETS_PROPERTY]: values[SECRETS_PROPERTY] } : {};
}

function pathsOf({ [SECRETS_PROPERTY]: paths }: Kept): SecretPath[] {
  return Array.isArray(paths) ? (paths as unknown[]).filter((each): each is SecretPath => Array.isArray(each)) : [];
}

function without(values: Values): Values {
  const { [SECRETS_PROPERTY]: _paths, ...rest } = values;
  return rest;
}

/** Stands in for the stack of an error that says all in its message. */
const NO_STACK = "(no stack)";

/** The same error without secrets, and without a stack where the message says all that a user needs. */
function withoutSecrets(error: unknown, texts: SecretTexts): unknown {
  if (!(error instanceof Error)) return new Error(texts.scrub(String(error)));
  error.message = texts.scrub(error.message);
  error.stack = error instanceof PerimeterError ? NO_STACK : texts.scrub(error.stack ?? "");
  if (error instanceof NotReadyError)
    error.reasons.splice(0, Infinity, ...error.reasons.map((each) => texts.scrub(each)));
  return error;
}

/**
 * Keeps Pulumi's dynamic server from printing our errors with their stack: it also answers with each of them, so the user
 * would read all of it twice.
 */
export function printOnce(): void {
  const print = console.error.bind(console);
  console.error = (...args: unknown[]) => {
    const [text] = args;
    if (args.length === 1 && typeof text === "string" && text.endsWith(`: ${NO_STACK}`)) return;
    print(...args);
  };
}
