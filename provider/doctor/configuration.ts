import type { Environment } from "../core/config/environment";
import { checkedConfiguration, sourceOf, type ResolvedConfiguration } from "../core/config/resolve";
import { PACKAGE_NAME } from "../core/definition";
import { isForeseen } from "../core/errors";
import type { Values } from "../core/unknown";
import { stackSettings } from "../review/provider-settings";
import { PulumiError, type PulumiOptions } from "../review/run-pulumi";
import { readStackSettings } from "../review/stack";
import type { FindingOf } from "./result";

/** The provider's configuration, and what is to be said of it. */
export interface CheckedConfiguration {
  finding: FindingOf<"configuration">;
  /** Absent where it is wrong or cannot be read: nothing further can be checked. */
  configuration?: ResolvedConfiguration;
  /** Configuration keys as `Provider` takes them. */
  given: Values;
}

/** Reads the configuration as a run of the stack's default provider has it; without a stack, from the environment alone. */
export async function checkConfiguration(
  stack: string | undefined,
  options: PulumiOptions & { environment: Environment },
): Promise<CheckedConfiguration> {
  const base = { check: "configuration", stack } as const;
  let given: Values = {};
  try {
    if (stack !== undefined) given = stackSettings(await readStackSettings(stack, options), PACKAGE_NAME);
    const configuration = checkedConfiguration(given, options.environment);
    const settings = Object.keys(configuration.values).map((key) => ({
      key,
      source: configuration.fromEnvironment.has(key) ? sourceOf(key, configuration) : "stack",
    }));
    const places = stack === undefined ? "the environment" : `the stack ${stack} and the environment`;
    const list = settings.map(({ key, source }) => `${key} (${source})`).join(", ");
    const message = list === "" ? `Configuration: ${places} set nothing` : `Configuration of ${places}: ${list}`;
    // What a stack has is not seen without it.
    const status = stack === undefined && settings.length === 0 ? "note" : "ok";
    const remedy = status === "note" ? "Name a stack (--stack dev) to check with its configuration" : undefined;
    return { finding: { ...base, status, message, remedy, settings }, configuration, given };
  } catch (error) {
    if (!(error instanceof PulumiError) && !isForeseen(error)) throw error;
    const remedy =
      error instanceof PulumiError
        ? "`pulumi stack ls` lists the stacks of the project in this folder"
        : "docs/configuration.md has every key with its values";
    return { finding: { ...base, status: "error", message: error.message, remedy, settings: [] }, given };
  }
}
