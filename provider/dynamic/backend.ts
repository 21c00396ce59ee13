import type { dynamic } from "@pulumi/pulumi";
import { isDeepStrictEqual } from "node:util";
import { configurationKeys } from "../core/config/definition";
import { changedProperties } from "../core/diff";
import { NotReadyError } from "../core/errors";
import type { Prior } from "../core/untyped";
import { SecretTexts } from "../core/secrets";
import { isRecord, type Values } from "../core/unknown";
import { engineAddressOf, watchEngine } from "../runtime/engine-watch";
import { Provider } from "../runtime/provider";
import { DEFAULT_TIMEOUTS } from "../runtime/timeouts";
import { fromEngineUnknowns, toEngineUnknowns } from "../runtime/unknowns";
import { ownConfiguration } from "./configuration";
import { guarded, printOnce, type LifecycleMethods } from "./guarded";
import { identityIn, keptProperties, ownProperties, PROVIDER_PROPERTY } from "./kept-properties";
import { tokenOfType } from "./serialized-provider";

/**
 * The part of this front that runs in Pulumi's dynamic-provider process, one process for each run. The text that each
 * resource keeps in the state (serialized-provider.ts) loads this module by the package's name and calls `backend`. The
 * state holds no other code, so a state that one release wrote works with every later release.
 */

// Pulumi's dynamic server does not notice that its engine is gone. It would go on and change what a later run declares.
const engineAddress = engineAddressOf(process.argv);
if (engineAddress !== undefined) watchEngine(engineAddress, () => process.exit(0));

printOnce();

/** The secrets of all resources that this process has seen. */
const texts = new SecretTexts();

let configuration: Values = {};
let provider: Provider | undefined;

/** The provider of this process. There is one, so that the grants of a program see each other and share connections. */
function theProvider(): Provider {
  provider ??= new Provider(configuration, process.env, { scrub: (text) => texts.scrub(text), canImport: false });
  return provider;
}

/**
 * The lifecycle of one resource type, as Pulumi's dynamic server calls it.
 *
 * @param type `{service}/{version}:{Name}`
 */
export function backend(type: string): dynamic.ResourceProvider {
  return { configure, ...guarded(lifecycle(tokenOfType(type)), texts) };
}

/** Pulumi calls this once for each resource type, with the same configuration within a run. */
function configure(request: dynamic.ConfigureRequest): Promise<void> {
  const given = configurationOf(request.config);
  if (!isDeepStrictEqual(given, configuration)) provider = undefined;
  configuration = given;
  return Promise.resolve();
}

/** The values of each method hold the kept properties beside the resource's own; see kept-properties.ts. */
function lifecycle(token: string): LifecycleMethods {
  return {
    check: async (_olds, news) => {
      // Pulumi's dynamic server unwraps secrets, so any value may be one, and no problem quotes a value.
      const options = { isSecret: () => true, ...identityIn(news) };
      const checked = await theProvider().check(token, fromEngineUnknowns(ownProperties(news)), options);
      return {
        inputs: { ...toEngineUnknowns(checked.inputs), ...keptProperties(news) },
        // The engine prints the value of a failure's property, secret or not. So the path is part of the reason instead.
        failures: checked.problems.map(({ path, reason }) => ({ property: "", reason: `${path} ${reason}` })),
      };
    },

    diff: (id, olds, news) => {
      const [prior, inputs] = [priorOf(id, olds), fromEngineUnknowns(ownProperties(news))];
      // By the name that the state has. Under an alias it is still the old one until an update, and a delete gets that one:
      // it would take this resource under its new name for another one that holds the same object, and leave that in the cloud.
      const diff = theProvider().diff(token, prior, inputs, { ...identityIn(news), ...identityIn(olds) });
      // Told for every diff, because `pulumi up --replace` replaces where the diff does not.
      const deleteBeforeReplace = theProvider().collides(token, prior, inputs);
      if (diff.action === "none") return Promise.resolve({ changes: false, deleteBeforeReplace });
      const replaces = changedProperties(diff.changes.filter((each) => each.replaces));
      return Promise.resolve({ changes: true, replaces, deleteBeforeReplace });
    },

    create: async (inputs) => {
      const options = { timeout: DEFAULT_TIMEOUTS.create, ...identityIn(inputs) };
      const created = theProvider().create(token, ownProperties(inputs), options);
      const { id, state } = await keepingProperties(inputs, created);
      return { id, outs: { ...state, ...keptProperties(inputs) } };
    },

    read: async (id, props = {}) => {
      const state = ownProperties(props);
      // The static method `get` of a resource class knows the id alone.
      const prior = Object.keys(state).length > 0 ? { state } : undefined;
      const kept = keptProperties(props);
      try {
        const options = { timeout: DEFAULT_TIMEOUTS.read, ...identityIn(props) };
        const current = await theProvider().read(token, id, prior, options);
        if (!current) return { id: "", props: {} };
        return { id: current.id, props: { ...current.state, ...kept }, inputs: { ...current.inputs, ...kept } };
      } catch (error) {
        // A refresh does not fail for a resource that is still not ready: its state keeps the operation, and the next
        // update waits for it.
        if (error instanceof NotReadyError) return { id: error.id, props: { ...error.properties, ...kept } };
        throw error;
      }
    },

    update: async (id, olds, news) => {
      const options = { timeout: DEFAULT_TIMEOUTS.update, ...identityIn(news) };
      const updated = theProvider().update(token, priorOf(id, olds), ownProperties(news), options);
      return { outs: { ...(await keepingProperties(news, updated)), ...keptProperties(news) } };
    },

    delete: (id, props) => {
      const options = { timeout: DEFAULT_TIMEOUTS.delete, ...identityIn(props) };
      return theProvider().delete(token, priorOf(id, props), options);
    },
  };
}

/**
 * The provider's part of the stack's configuration. `dynamic.Config` declares a getter of single keys, which cannot tell
 * of a misspelled key; its member `rawConfig`, in all releases from 3.142.0 to 3.250.0, holds every key.
 */
function configurationOf(config: dynamic.Config): Values {
  const all: unknown = Reflect.get(config, "rawConfig");
  if (isRecord(all)) return ownConfiguration(all);
  return Object.fromEntries(configurationKeys().map((key) => [key, config.get(`perimeter:${key}`)]));
}

function priorOf(id: string, olds: Values): Prior {
  return { id, state: ownProperties(olds) };
}

/**
 * The outcome of a create or an update. A resource that is not ready gets its kept properties, and the provider's text:
 * the engine stores the properties of the error as the resource's state.
 */
async function keepingProperties<T>(inputs: Values, outcome: Promise<T>): Promise<T> {
  try {
    return await outcome;
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    throw error.withProperties({ ...keptProperties(inputs), [PROVIDER_PROPERTY]: inputs[PROVIDER_PROPERTY] });
  }
}
