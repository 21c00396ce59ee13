import { reviewResult, type ReviewResult } from "../result";

/**
 * The result as JSON, its fields in the order of docs/review.schema.json: the same review gives the same text.
 *
 * @throws ZodError if it is no result
 */
export function jsonText(result: ReviewResult): string {
  return `${JSON.stringify(reviewResult.parse(result), null, 2)}\n`;
}
