import "../../require-node.cjs";
import type { dynamic } from "@pulumi/pulumi";
import { Server } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { configurationKeys } from "../core/config/definition";
import { tokenOfType } from "../core/definition";
import { changedProperties } from "../core/diff";
import { CancelledError, NotReadyError } from "../core/errors";
import type { Prior } from "../core/lifecycle";
import { SecretTexts } from "../core/secrets";
import { isRecord, type Values } from "../core/unknown";
import { engineAddressOf, watchEngine } from "../runtime/engine-watch";
import {
  identityIn,
  isNotReady,
  isRenamed,
  keptProperties,
  NOT_READY_PROPERTY,
  ownProperties,
  PROVIDER_PROPERTY,
  secretInputs,
  secretPathsIn,
  secretPathsProperty,
} from "../runtime/kept-properties";
import { Provider, type CallOptions } from "../runtime/provider";
import { DEFAULT_TIMEOUTS, silentReporter } from "../http/call";
import { asEngineSecret, fromEngineUnknowns, toEngineUnknowns } from "../runtime/unknowns";
import { ownConfiguration } from "./configuration";
import { guarded, type LifecycleMethods } from "./guarded";

/**
 * The part of this front that runs in Pulumi's dynamic-provider process, one process for each run. The text that each
 * resource keeps in the state (`serializedProvider` of kept-properties.ts) loads this module by the package's name and calls `backend`. The
 * state holds no other code, so a state that one release wrote works with every later release.
 */

// Pulumi's dynamic server does not notice that its engine is gone. It would continue, and change resources of a later run.
const engineAddress = engineAddressOf(process.argv);
if (engineAddress !== undefined) watchEngine(engineAddress, stop);

/** The secrets of all resources that this process has seen. */
const texts = new SecretTexts();

let configuration: Values = {};
let provider: Provider | undefined;
let isStopped = false;

/**
 * Stops this package's calls permanently. The process ends when all its work is done: the dynamic providers of other
 * packages share it, and may still be working.
 */
function stop(): void {
  isStopped = true;
  provider?.cancel();
  // Only the server keeps an idle process running. Node has no documented way to find it.
  const list: unknown = Reflect.get(process, "_getActiveHandles");
  const handles: unknown = typeof list === "function" ? list.call(process) : [];
  const servers = Array.isArray(handles) ? handles.filter((each) => each instanceof Server) : [];
  if (servers.length === 0) process.exit(0);
  for (const server of servers) server.unref();
}

/**
 * The single provider of this process: so the grants of a program see each other and share connections.
 *
 * @throws CancelledError after the engine is gone.
 */
function theProvider(): Provider {
  if (isStopped) throw new CancelledError("The engine ended before this call started");
  provider ??= new Provider(configuration, process.env, {
    scrub: (text) => texts.scrub(text),
    canImport: false,
  });
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

/** The values of each method have the kept properties in addition to the resource's properties; see kept-properties.ts. */
function lifecycle(token: string): LifecycleMethods {
  return {
    check: async (_olds, news) => {
      // Pulumi's dynamic server unwraps secrets, so any value may be secret, and problems never quote values.
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
      // Sent with every diff: the user can request a replacement even if the diff does not.
      const { diff, collides: deleteBeforeReplace } = theProvider().compare(token, prior, inputs, identityIn(news));
      // An update writes the new identity to the state. With the old identity, a later delete would act for another
      // resource.
      if (diff.action === "none") return Promise.resolve({ changes: isRenamed(olds, news), deleteBeforeReplace });
      const replaces = changedProperties(diff.changes.filter((each) => each.replaces));
      return Promise.resolve({ changes: true, replaces, deleteBeforeReplace });
    },

    create: async (inputs) => {
      const options = optionsOf(inputs, DEFAULT_TIMEOUTS.create);
      const created = theProvider().create(token, ownProperties(inputs), options);
      const { id, state } = await keepingProperties(inputs, created);
      return { id, outs: { ...state, ...keptProperties(inputs) } };
    },

    read: async (id, props = {}) => {
      const state = ownProperties(props);
      // The static method `get` of a resource class knows only the id.
      const prior = Object.keys(state).length > 0 ? { state } : undefined;
      const kept = keptProperties(props);
      try {
        const options = optionsOf(props, DEFAULT_TIMEOUTS.read);
        const current = await theProvider().read(token, id, prior, options);
        if (!current) return { id: "", props: {} };
        return { id: current.id, props: { ...current.state, ...kept }, inputs: { ...current.inputs, ...kept } };
      } catch (error) {
        // A refresh does not fail for a resource that is still not ready: its state keeps the operation, and the next
        // update waits for it.
        if (!(error instanceof NotReadyError)) throw error;
        return { id: error.id, props: { ...error.properties, ...kept, [NOT_READY_PROPERTY]: true } };
      }
    },

    update: async (id, olds, news) => {
      const [prior, inputs, identity] = [priorOf(id, olds), ownProperties(news), identityIn(news)];
      if (isRenamed(olds, news) && !isNotReady(olds)) {
        const { action } = theProvider().compare(token, prior, inputs, identity).diff;
        if (action === "none") return { outs: { ...prior.state, ...keptProperties(news) } };
      }
      const options = optionsOf(news, DEFAULT_TIMEOUTS.update);
      const updated = theProvider().update(token, prior, inputs, options);
      return { outs: { ...(await keepingProperties(news, updated, olds)), ...keptProperties(news) } };
    },

    delete: (id, props) => theProvider().delete(token, priorOf(id, props), optionsOf(props, DEFAULT_TIMEOUTS.delete)),
  };
}

/**
 * The options of a call.
 *
 * @param props with the kept properties.
 * @param timeout milliseconds.
 */
function optionsOf(props: Values, timeout: number): CallOptions {
  // Pulumi has no messages for dynamic providers. The engine shows what their process writes to its standard error.
  const warning = (message: string) => console.error(`warning: ${texts.scrub(message)}`);
  const reporter = { ...silentReporter, warning };
  return { timeout, reporter, secret: secretInputs(secretPathsIn(props)), ...identityIn(props) };
}

/**
 * The provider's part of the stack's configuration. `dynamic.Config` declares a getter of single keys, which cannot detect a
 * misspelled key; its member `rawConfig`, in 3.142.0 and all later releases up to 3.270.0, holds every key.
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
 * The result of a create or an update. The error of a resource that is not ready gets its kept properties and the provider's
 * text, because the engine stores the error's properties as the resource's state.
 */
async function keepingProperties<T>(inputs: Values, outcome: Promise<T>, olds: Values = {}): Promise<T> {
  try {
    return await outcome;
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    // After an unfinished update, values may be old or new. The engine marks the secrets of the new inputs.
    const old = secretInputs(secretPathsIn(olds)).filter((name) => error.properties[name] !== undefined);
    throw error.withProperties({
      ...keptProperties(inputs),
      ...secretPathsProperty([...secretPathsIn(olds), ...secretPathsIn(inputs)]),
      ...Object.fromEntries(old.map((name) => [name, asEngineSecret(error.properties[name])])),
      [PROVIDER_PROPERTY]: inputs[PROVIDER_PROPERTY],
      [NOT_READY_PROPERTY]: true,
    });
  }
}
