import { isRecord } from "../unknown";

// Both look at properties in place of `instanceof`: jest runs tests beside Node's own `Error`, with another class of that name.

/** The message of whatever was thrown: JavaScript lets code throw values that are no errors. */
export function messageOf(error: unknown): string {
  return isRecord(error) && typeof error.message === "string" ? error.message : String(error);
}

/** The code of an error of the operating system or of Node, such as `ENOENT`; undefined for any other. */
export function systemCodeOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error.code === "string" ? error.code : undefined;
}

/** Enough for what HTTP clients nest, and an end where causes form a circle. */
const MOST_CAUSES = 6;

/** What was thrown and what caused it, the outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at !== undefined && causes.length < MOST_CAUSES; at = isRecord(at) ? at.cause : undefined) {
    causes.push(at);
  }
  return causes;
}
