import * as pulumi from "@pulumi/pulumi";
import { SecretTexts } from "../core/secrets";
import type { Provider } from "../runtime/provider";
import { ownConfiguration } from "./configuration";
import { isSecretSetting } from "./secret-settings";

/** What one run of a program shares among its lookups and previews. */
interface Run {
  /** By the configuration and the environment variables that each was made with, as JSON. */
  providers: Map<string, Provider>;
  /** The secrets of the run's program and stack, which no message shows. */
  texts: SecretTexts;
  /** The ids of the resources that lookups waited for. */
  ready: Set<string>;
}

/** The runs of this process by their connections to the engine. Pulumi makes one connection for each run. */
const runs = new WeakMap<object, Run>();
/** Takes the place of the connection in a program that no engine runs, such as a unit test. */
const NO_ENGINE = {};

/**
 * The provider that runs in the program's own process, for lookups and for previews of creates.
 *
 * One process may run several programs, one after the other or side by side (inline programs of the Automation API), and
 * a test may change the environment. So each use reads configuration and environment, and gets a provider that was made
 * with just these.
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
    const { keysToHide, Provider } = providerModules();
    const hidden = keysToHide(configuration);
    for (const [name, value] of Object.entries(configuration)) {
      if (hidden.includes(name) || isSecretSetting(name)) texts.add(value);
    }
    provider = new Provider(configuration, environment, { scrub: (text) => texts.scrub(text), canImport: false });
    providers.set(key, provider);
  }
  return provider;
}

/** The secrets of this run's program and stack. */
export function secretTexts(): SecretTexts {
  return thisRun().texts;
}

/**
 * Lets lookups that waited for these resources ask the API. Another process made them, while lookups that began before may
 * be under way still.
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
  };
  runs.set(connection, run);
  return run;
}

/** Loaded at the first use, because a program without lookups and grants starts faster without these modules. */
function providerModules() {
  // Not `import()`, which fails in users' jest tests without a flag. The type of what `require` returns is `any`, so the
  // cast names the module that the line loads.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require("./provider-modules") as typeof import("./provider-modules");
}
