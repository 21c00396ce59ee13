import * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../runtime/provider";

let loading: Promise<Provider> | undefined;

/**
 * The provider inside the program itself, which has no provider process to ask. It is loaded, and configuration and
 * environment are read, at first use: a program without lookups and grants starts without it.
 */
export function programProvider(): Promise<Provider> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Provider> {
  const { Provider } = await import("../runtime/provider.js");
  const { configurationKeys } = await import("../core/config/definition.js");
  const config = new pulumi.Config("perimeter");
  return new Provider(Object.fromEntries(configurationKeys().map((key) => [key, config.get(key)])), process.env);
}

/** Under `pulumi.runtime.setMocks`, a program's resources and functions are what its tests say. */
export function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}
