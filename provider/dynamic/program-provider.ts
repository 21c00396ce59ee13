import * as pulumi from "@pulumi/pulumi";
import type { Environment } from "../core/config/resolve";
import { PACKAGE_NAME } from "../core/definition";
import { SecretTexts } from "../core/secrets";
import type { Values } from "../core/unknown";
import type { Provider } from "../runtime/provider";
import { ownConfiguration } from "./configuration";
import { lazy } from "./lazy";
import { isConfigSecret } from "./pulumi-internals";

/** One run of a program. */
interface Run {
  /** By the configuration and environment that they were made of. */
  providers: Map<string, Provider>;
  /** What the run's program and stack mark as secret: no message shows it. */
  texts: SecretTexts;
}

/** The runs of this process, for as long as Pulumi keeps their connection to the engine: each has one of its own. */
const runs = new WeakMap<object, Run>();
/** Stands for the run of a program that no engine runs: a unit test. */
const NO_RUN = {};

/**
 * The provider inside the program itself, which has no provider process to ask. It is loaded at first use: a program
 * without lookups and grants starts without it.
 *
 * One process may run several programs, one after the other or side by side (inline programs of the Automation API), and
 * a test may change the environment. So configuration and environment are read at each use, and what one of them made is
 * never given to another.
 *
 * @throws ConfigurationError with every problem of the configuration
 */
export function programProvider(): Provider {
  const given = ownConfiguration(pulumi.runtime.allConfig());
  const environment: Environment = { ...process.env };
  const { providers, texts } = thisRun();
  const key = JSON.stringify([given, environment]);
  let provider = providers.get(key);
  if (!provider) {
    noteSettings(given, texts);
    const { Provider } = lazy.provider();
    provider = new Provider(given, environment, { scrub: (text) => texts.scrub(text), canImport: false });
    providers.set(key, provider);
  }
  return provider;
}

/** What this run's program and stack mark as secret. */
export function secretTexts(): SecretTexts {
  return thisRun().texts;
}

function thisRun(): Run {
  const connection: object = pulumi.runtime.getMonitor() ?? NO_RUN;
  const run = runs.get(connection) ?? { providers: new Map<string, Provider>(), texts: new SecretTexts() };
  runs.set(connection, run);
  return run;
}

/** Settings made with `pulumi config set --secret`, and those that always are secret. */
function noteSettings(given: Values, texts: SecretTexts): void {
  const always = lazy.configDefinition().keysToHide(given);
  for (const [key, value] of Object.entries(given)) {
    if (always.includes(key) || isSecretSetting(key)) texts.add(value);
  }
}

/**
 * Inputs that the stack's configuration fills in with a secret: a secret default project, say. Filled in by the program, it
 * is marked as what it is; the provider's process cannot mark anything.
 *
 * @param args what the program gives; undefined where it gives no inputs at all
 * @param defaults the configuration key that each input takes its value from
 */
export function secretDefaults(args: object | undefined, defaults: Readonly<Record<string, string>>): pulumi.Inputs {
  if (args === undefined) return {};
  const config = new pulumi.Config(PACKAGE_NAME);
  return Object.fromEntries(
    Object.entries(defaults)
      .filter(([input, key]) => (args as Values)[input] === undefined && isSecretSetting(key))
      .map(([input, key]) => [input, config.getSecret(key)]),
  );
}

/** Whether the stack keeps this key of ours secret. */
function isSecretSetting(key: string): boolean {
  return isConfigSecret(`${PACKAGE_NAME}:${key}`);
}
