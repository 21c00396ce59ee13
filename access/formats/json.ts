import * as z from "zod";
import { answerSchema, type Answer } from "../result/result";
import { withoutUnseen } from "../result/visible";

/** The JSON output of commands for other programs; docs/*.schema.json describe its form. */

/**
 * Formats an answer as JSON, as docs/review.schema.json describes it. Its texts have escapes for what a terminal or a log would
 * not show, or would take for a command.
 *
 * @throws ZodError if it is not a result
 */
export function jsonText(answer: Answer): string {
  const lines = printedJson(answerSchema, answer).split("\n");
  return lines.map((line) => withoutUnseen(line, escaped)).join("\n");
}

/** A character that JSON does not have outside of texts, as an escape: `\u009b`. */
function escaped(character: string): string {
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}

/** docs/review.schema.json. */
export function reviewJsonSchema(): object {
  return printedJsonSchema(answerSchema, "perimeter review --format json");
}

/**
 * The result as JSON, its fields in the order of their schema: the same result gives the same text.
 *
 * @throws ZodError if it is not a result
 * @internal because public types must not use zod's
 */
export function printedJson<T>(schema: z.ZodType<T>, result: T): string {
  return `${JSON.stringify(schema.parse(result), null, 2)}\n`;
}

/**
 * The form of `printedJson` as a JSON schema.
 *
 * @param command that prints it: "perimeter doctor --json"
 * @internal
 */
export function printedJsonSchema(schema: z.ZodType, command: string): object {
  return z.toJSONSchema(schema.describe(`What \`${command}\` prints`), {
    target: "draft-7",
    // A later release may add fields, and a reader must not refuse them.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
}
