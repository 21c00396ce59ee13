import type { ColorOption } from "../option-values";
import { textStyle, type Terminal } from "../terminal";
import { examine } from "./doctor";
import { doctorJson, doctorText } from "./text";

/** Options of `perimeter doctor`, with commander's names. */
export interface DoctorCommandOptions extends ColorOption {
  stack?: string;
  json?: boolean;
}

/**
 * Checks what the provider needs, and prints the findings with remedies.
 *
 * @param resources names of resources on which the user wants to create grants
 * @returns the exit code: 1 when something that programs need is missing, else 0
 * @throws Error for a name that does not name a resource with a policy
 */
export async function runDoctor(
  resources: readonly string[],
  { stack, json, color }: DoctorCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { environment = process.env } = terminal;
  const result = await examine({ stack, resources, environment });
  terminal.write(json ? doctorJson(result) : doctorText(result, textStyle(terminal, color)));
  return result.exitCode;
}
