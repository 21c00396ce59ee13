import * as pulumi from "@pulumi/pulumi";
import type { Environment } from "../core/config/resolve";
import type { Values } from "../core/unknown";
import type { Provider } from "../runtime/provider";
import { ownConfiguration } from "./configuration";
import { lazy } from "./lazy";

/** Providers of each run of a program in this process, by the configuration and environment they were made of. */
const providersOfRuns = new WeakMap<object, Map<string, Provider>>();
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
  const given = programConfiguration();
  const environment: Environment = { ...process.env };
  const providers = providersOfThisRun();
  const key = JSON.stringify([given, environment]);
  let provider = providers.get(key);
  if (!provider) {
    const { Provider } = lazy.provider();
    provider = new Provider(given, environment);
    providers.set(key, provider);
  }
  return provider;
}

function programConfiguration(): Values {
  return ownConfiguration(pulumi.runtime.allConfig());
}

/** Pulumi keeps one connection to the engine for each run. */
function providersOfThisRun(): Map<string, Provider> {
  const run: object = pulumi.runtime.getMonitor() ?? NO_RUN;
  const providers = providersOfRuns.get(run) ?? new Map<string, Provider>();
  providersOfRuns.set(run, providers);
  return providers;
}

/** Under `pulumi.runtime.setMocks`, a program's resources and functions are what its tests say. */
export function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}
