import type { dynamic } from "@pulumi/pulumi";
import { isDeepStrictEqual } from "node:util";
import { configurationKeys } from "../core/config/definition";
import { changedProperties } from "../core/diff";
import { NotReadyError } from "../core/errors";
import type { Prior } from "../core/lifecycle";
import { SecretTexts } from "../core/secrets";
import { isRecord, type Values } from "../core/unknown";
import { engineAddressOf, watchEngine } from "../runtime/engine-watch";
import { Provider } from "../runtime/provider";
import { DEFAULT_TIMEOUTS } from "../runtime/timeouts";
import { fromEngineUnknowns, toEngineUnknowns } from "../runtime/unknowns";
import { ownConfiguration } from "./configuration";
import { guarded, printOnce, type LifecycleMethods } from "./guarded";
import { IDENTITY_PROPERTY, PROVIDER_PROPERTY, tokenOfType } from "./serialized-provider";

/**
 * The side of the dynamic front that runs in the engine's dynamic-provider process. The text that each resource keeps in
 * the state loads this module by the package's name and calls `backend`; everything else is read at run time, so state
 * written by one release works with every later one.
 */

// Pulumi's dynamic server would go on without its engine, and repeat requests that the next run's contradict.
const engineAddress = engineAddressOf(process.argv);
if (engineAddress !== undefined) watchEngine(engineAddress, () => process.exit(0));

printOnce();

/** What programs marked as secret, in all that this process has seen. */
const texts = new SecretTexts();

let given: Values = {};
let provider: Provider | undefined;

/** One for the process: grants of one program see each other, and connections are shared. */
function theProvider(): Provider {
  provider ??= new Provider(given, process.env, { scrub: (text) => texts.scrub(text), canImport: false });
  return provider;
}

/**
 * The lifecycle of one resource type as Pulumi's dynamic providers have it.
 *
 * @param type `{service}/{version}:{Name}`
 */
export function backend(type: string): dynamic.ResourceProvider {
  return { configure, ...guarded(lifecycle(tokenOfType(type)), texts) };
}

function configure(request: dynamic.ConfigureRequest): Promise<void> {
  const configuration = configurationOf(request.config);
  // Once for each type, and mostly the same.
  if (!isDeepStrictEqual(configuration, given)) provider = undefined;
  given = configuration;
  return Promise.resolve();
}

function lifecycle(token: string): LifecycleMethods {
  return {
    check: async (_olds: Values, news: Values) => {
      // Pulumi's dynamic server has unwrapped the secrets: any value may be one, so none is quoted. For a failure with a
      // property the engine itself would print the value, secret or not, so the path is part of the reason.
      const checked = await theProvider().check(token, fromEngineUnknowns(withoutProvider(news)), {
        isSecret: () => true,
        ...identityOf(news),
      });
      return {
        inputs: { ...toEngineUnknowns(checked.inputs), ...identityProperty(news) },
        failures: checked.problems.map(({ path, reason }) => ({ property: "", reason: `${path} ${reason}` })),
      };
    },

    diff: (id: string, olds: Values, news: Values) => {
      const [prior, inputs] = [priorOf(id, olds), fromEngineUnknowns(withoutProvider(news))];
      const diff = theProvider().diff(token, prior, inputs, identityOf(news));
      // Also where the diff replaces nothing: the user may, with `pulumi up --replace`.
      const deleteBeforeReplace = theProvider().collides(token, prior, inputs);
      if (diff.action === "none") return Promise.resolve({ changes: false, deleteBeforeReplace });
      const replaces = changedProperties(diff.changes.filter((each) => each.replaces));
      return Promise.resolve({ changes: true, replaces, deleteBeforeReplace });
    },

    create: async (inputs: Values) => {
      const options = { timeout: DEFAULT_TIMEOUTS.create, ...identityOf(inputs) };
      const { id, state } = await keepingProvider(
        inputs,
        theProvider().create(token, withoutProvider(inputs), options),
      );
      return { id, outs: { ...state, ...identityProperty(inputs) } };
    },

    read: async (id: string, props: Values = {}) => {
      const state = withoutProvider(props);
      // A `get` knows the id alone.
      const prior = Object.keys(state).length > 0 ? { state } : undefined;
      try {
        const options = { timeout: DEFAULT_TIMEOUTS.read, ...identityOf(props) };
        const current = await theProvider().read(token, id, prior, options);
        // An empty id is how a resource that is gone is reported.
        if (!current) return { id: "", props: {} };
        return { id: current.id, props: { ...current.state, ...identityProperty(props) }, inputs: current.inputs };
      } catch (error) {
        // Still not ready: the state keeps the operation, and the next update waits for it.
        if (error instanceof NotReadyError) {
          return { id: error.id, props: { ...error.properties, ...identityProperty(props) } };
        }
        throw error;
      }
    },

    update: async (id: string, olds: Values, news: Values) => {
      const options = { timeout: DEFAULT_TIMEOUTS.update, ...identityOf(news) };
      const updated = theProvider().update(token, priorOf(id, olds), withoutProvider(news), options);
      return { outs: { ...(await keepingProvider(news, updated)), ...identityProperty(news) } };
    },

    delete: (id: string, props: Values) =>
      theProvider().delete(token, priorOf(id, props), { timeout: DEFAULT_TIMEOUTS.delete, ...identityOf(props) }),
  };
}

/** Pulumi's `dynamic.Config` gives single keys. Behind them it keeps all, and only all can show one that is misspelled. */
function configurationOf(config: { get(key: string): unknown; rawConfig?: unknown }): Values {
  if (isRecord(config.rawConfig)) return ownConfiguration(config.rawConfig);
  return Object.fromEntries(configurationKeys().map((key) => [key, config.get(`perimeter:${key}`)]));
}

function priorOf(id: string, olds: Values): Prior {
  return { id, state: withoutProvider(olds) };
}

/** What the engine calls the resource; none in states that earlier releases wrote. */
function identityOf(values: Values): { identity?: string } {
  const identity = values[IDENTITY_PROPERTY];
  return typeof identity === "string" ? { identity } : {};
}

/** Kept among the outputs too: they are all that a delete is told. */
function identityProperty(values: Values): Values {
  return IDENTITY_PROPERTY in values ? { [IDENTITY_PROPERTY]: values[IDENTITY_PROPERTY] } : {};
}

/** What the resource itself has, without what this front keeps beside it. */
function withoutProvider(values: Values): Values {
  const { [PROVIDER_PROPERTY]: _provider, [IDENTITY_PROPERTY]: _identity, ...rest } = values;
  return rest;
}

/**
 * The engine keeps a resource that is not ready with the properties in the error, which need the provider's text and the
 * identity too.
 */
async function keepingProvider<T>(inputs: Values, outcome: Promise<T>): Promise<T> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof NotReadyError) {
      Object.assign(error.properties, identityProperty(inputs), { [PROVIDER_PROPERTY]: inputs[PROVIDER_PROPERTY] });
    }
    throw error;
  }
}
