import { withoutUnseen } from "../result/visible";
import { reviewResult, type ReviewResult } from "../result/result";
import { printedJson, printedJsonSchema } from "./printed-json";

/**
 * Formats the result as JSON, as docs/review.schema.json describes it. Its texts have escapes for what a terminal or a log would
 * not show, or would take for a command.
 *
 * @throws ZodError if it is not a result
 */
export function jsonText(result: ReviewResult): string {
  const lines = printedJson(reviewResult, result).split("\n");
  return lines.map((line) => withoutUnseen(line, escaped)).join("\n");
}

/** A character that JSON does not have outside of texts, as an escape: `\u009b`. */
function escaped(character: string): string {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}

/** docs/review.schema.json. */
export function reviewJsonSchema(): object {
  return printedJsonSchema(reviewResult, "perimeter review --format json");
}
