import type { Environment } from "../../provider/core/environment";
import { checkedConfiguration, sourceOf, type ResolvedConfiguration } from "../../provider/core/config/resolve";
import { PACKAGE_NAME, settingsIn } from "../../provider/core/definition";
import { isExpected } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { PulumiError, type PulumiOptions } from "../../access/plan/run-pulumi";
import { readStackSettings } from "../../access/plan/stack";
import { onPath } from "./programs";
import type { FindingOf } from "./result";

/** The provider's configuration, and its findings. */
export interface CheckedConfiguration {
  finding: FindingOf<"configuration">;
  /** Absent when it is wrong or cannot be read: then no further checks are possible. */
  configuration?: ResolvedConfiguration;
  /** Configuration keys in the form of `Provider`. */
  given: Values;
}

/**
 * Reads the configuration of the stack's default provider; without a stack, only from the environment. If the stack cannot
 * be read, further checks use the environment.
 */
export async function checkConfiguration(
  stack: string | undefined,
  options: PulumiOptions & { environment: Environment },
): Promise<CheckedConfiguration> {
  const settings = stack === undefined ? {} : await settingsOf(stack, options);
  const given = settings instanceof PulumiError ? {} : settings;
  try {
    const configuration = checkedConfiguration(given, options.environment);
    const read = settings instanceof PulumiError ? undefined : stack;
    const finding = findingOf(configuration, read);
    if (settings instanceof PulumiError && stack !== undefined) {
      return {
        finding: { ...finding, stack, ...unreadStack(stack, settings, finding.message, options) },
        configuration,
        given,
      };
    }
    return { finding, configuration, given };
  } catch (error) {
    if (!isExpected(error)) throw error;
    const remedy = "docs/configuration.md lists every key and its values";
    const { message } = error;
    return { finding: { check: "configuration", stack, status: "error", message, remedy, settings: [] }, given };
  }
}

async function settingsOf(stack: string, options: PulumiOptions): Promise<Values | PulumiError> {
  try {
    return settingsIn(await readStackSettings(stack, options), PACKAGE_NAME);
  } catch (error) {
    if (error instanceof PulumiError) return error;
    throw error;
  }
}

function findingOf(configuration: ResolvedConfiguration, stack: string | undefined): FindingOf<"configuration"> {
  const settings = Object.keys(configuration.values).map((key) => ({
    key,
    source: configuration.fromEnvironment.has(key) ? sourceOf(key, configuration) : "stack",
  }));
  const places = stack === undefined ? "the environment" : `the stack ${stack} and the environment`;
  const list = settings.map(({ key, source }) => `${key} (${source})`).join(", ");
  const message = list === "" ? `Configuration: nothing is set in ${places}` : `Configuration of ${places}: ${list}`;
  // Without the stack's name, its settings are unknown.
  const status = stack === undefined && settings.length === 0 ? "note" : "ok";
  const remedy = status === "note" ? "Name a stack (--stack dev) to check with its configuration" : undefined;
  return { check: "configuration", stack, status, message, remedy, settings };
}

/** The finding for a stack whose settings could not be read. A missing CLI has a separate finding. */
function unreadStack(stack: string, { message }: PulumiError, ofEnvironment: string, { environment }: PulumiOptions) {
  const rest = `The checks below use only the environment. ${ofEnvironment}`;
  if (onPath("pulumi", environment ?? process.env) === undefined) {
    const skipped = `Configuration of the stack ${stack}: not read without the Pulumi CLI. ${rest}`;
    return { status: "skipped", message: skipped, remedy: undefined } as const;
  }
  const remedy = "`pulumi stack ls` lists the stacks of the project in this folder";
  return { status: "error", message: `${message}\n${rest}`, remedy } as const;
}
