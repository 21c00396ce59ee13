import * as pulumi from "@pulumi/pulumi";
import { SecretTexts } from "../core/secrets";
import type { Provider } from "../runtime/provider";
import { ownConfiguration } from "./configuration";
import { isSecretSetting } from "./program-secrets";

/** The objects that lookups and previews of one run share. */
interface Run {
  /** Keyed by the configuration and environment variables of each provider, as JSON. */
  providers: Map<string, Provider>;
  /** The secrets of the run's program and stack, which messages must not show. */
  texts: SecretTexts;
  /** The ids of the resources that lookups waited for. */
  ready: Set<string>;
  /** The messages that a run prints once. */
  printed: Set<string>;
}

/** The runs of this process by their connections to the engine. Pulumi makes one connection for each run. */
const runs = new WeakMap<object, Run>();
/** Replaces the connection in a program without an engine, such as a unit test. */
const NO_ENGINE = {};

/**
 * The provider that runs in the program's own process, for lookups and for previews of creates.
 *
 * One process may run several programs, in sequence or at the same time (inline programs of the Automation API), and a test
 * may change the environment. So each use reads configuration and environment, and gets the provider for exactly these.
 *
 * @throws ConfigurationError with every problem of the configuration
 */
export function programProvider(): Provider {
  const configuration = ownConfiguration(pulumi.runtime.allConfig());
  const environment = { ...process.env };
  const { providers, texts } = thisRun();
  const key = JSON.stringify([configuration, environment]);
  let provider = providers.get(key);
  if (!provider) {
    const { definition, runtime } = providerModules();
    const hidden = definition.keysToHide(configuration);
    for (const [name, value] of Object.entries(configuration)) {
      if (hidden.includes(name) || isSecretSetting(name)) texts.add(value);
    }
    provider = new runtime.Provider(configuration, environment, {
      scrub: (text) => texts.scrub(text),
      canImport: false,
    });
    providers.set(key, provider);
  }
  return provider;
}

/** The secrets of this run's program and stack. */
export function secretTexts(): SecretTexts {
  return thisRun().texts;
}

/** Whether this is the run's first use of a message that it prints once. */
export function isFirst(message: string): boolean {
  const { printed } = thisRun();
  const isNew = !printed.has(message);
  printed.add(message);
  return isNew;
}

/**
 * Makes lookups that waited for these resources send new requests: another process created the resources, and lookups that
 * started earlier may still be running.
 */
export function lookAfter(ids: readonly string[]): void {
  const { providers, ready } = thisRun();
  if (ids.every((id) => ready.has(id))) return;
  for (const id of ids) ready.add(id);
  for (const provider of providers.values()) provider.changedElsewhere();
}

function thisRun(): Run {
  const connection: object = pulumi.runtime.getMonitor() ?? NO_ENGINE;
  const run = runs.get(connection) ?? {
    providers: new Map<string, Provider>(),
    texts: new SecretTexts(),
    ready: new Set<string>(),
    printed: new Set<string>(),
  };
  runs.set(connection, run);
  return run;
}

/** Loaded at the first use, because a program without lookups and grants starts faster without these modules. */
function providerModules() {
  // Not `import()`, which fails in users' jest tests without a flag. The type of what `require` returns is `any`, so the
  // casts name the modules that the lines load.
  /* eslint-disable @typescript-eslint/no-require-imports */
  return {
    definition: require("../core/config/definition") as typeof import("../core/config/definition"),
    runtime: require("../runtime/provider") as typeof import("../runtime/provider"),
  };
  /* eslint-enable @typescript-eslint/no-require-imports */
}
