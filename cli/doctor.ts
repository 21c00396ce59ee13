import { doctorJson, doctorText, examine } from "../provider/doctor";
import type { ColourOption } from "./colour-option";
import { textStyle, type Terminal } from "./terminal";

/** Options of `perimeter doctor`, with commander's names. */
export interface DoctorCommandOptions extends ColourOption {
  stack?: string;
  json?: boolean;
}

/**
 * Prints what is there of what the provider needs, and what to do about the rest.
 *
 * @param resources names of resources on which grants are to be made
 * @returns the exit code: 1 where something is missing that programs need, else 0
 * @throws Error for a name that is none of a resource with a policy
 */
export async function runDoctor(
  resources: readonly string[],
  { stack, json, colour }: DoctorCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { environment = process.env } = terminal;
  const result = await examine({ stack, resources, environment });
  terminal.write(json ? doctorJson(result) : doctorText(result, textStyle(terminal, colour)));
  return result.exitCode;
}
