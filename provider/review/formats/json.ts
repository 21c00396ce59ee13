import * as z from "zod";
import { checkedResult, reviewResult, type ReviewResult } from "../result";

/**
 * The result as JSON, its fields in the order of docs/review.schema.json: the same review gives the same text.
 *
 * @throws ZodError if it is no result
 */
export function jsonText(result: ReviewResult): string {
  return `${JSON.stringify(checkedResult(result), null, 2)}\n`;
}

/** The form of `--format json` as a JSON schema: docs/review.schema.json. */
export function reviewJsonSchema(): object {
  return z.toJSONSchema(reviewResult.describe("What `perimeter review --format json` prints"), {
    target: "draft-7",
    // A later release may add fields, and a reader must not refuse them.
    override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties,
  });
}
