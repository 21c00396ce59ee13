import * as z from "zod";

/** JSON output of commands for other programs; docs/*.schema.json describe its form. */

/**
 * The result as JSON, its fields in the order of their schema: the same result gives the same text.
 *
 * @throws ZodError if it is no result
 */
export function printedJson<T>(schema: z.ZodType<T>, result: T): string {
  return `${JSON.stringify(schema.parse(result), null, 2)}\n`;
}

/**
 * The form of `printedJson` as a JSON schema.
 *
 * @param command that prints it: "perimeter doctor --json"
 */
export function printedJsonSchema(schema: z.ZodType, command: string): object {
  return z.toJSONSchema(schema.describe(`What \`${command}\` prints`), {
    target: "draft-7",
    // A later release may add fields, and a reader must not refuse them.
    override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties,
  });
}
