import { isRecord } from "../unknown";

// Both check properties instead of `instanceof`: jest runs tests with another class `Error` than Node's.

/** The message of any thrown value: JavaScript code can throw values that are not errors. */
export function messageOf(error: unknown): string {
  return isRecord(error) && typeof error.message === "string" ? error.message : String(error);
}

/** The code of an error of the operating system or of Node, such as `ENOENT`; undefined for any other. */
export function systemCodeOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error.code === "string" ? error.code : undefined;
}

/** More than HTTP clients nest; also ends circular causes. */
const MOST_CAUSES = 6;

/** The thrown value and its causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at !== undefined && causes.length < MOST_CAUSES; at = isRecord(at) ? at.cause : undefined) {
    causes.push(at);
  }
  return causes;
}
