import { printedJson, printedJsonSchema } from "../../provider/core/printed-json";
import { reviewResult, type ReviewResult } from "../result";

/** The result as JSON, in the form of docs/review.schema.json. @throws ZodError if it is no result */
export function jsonText(result: ReviewResult): string {
  return printedJson(reviewResult, result);
}

/** docs/review.schema.json. */
export function reviewJsonSchema(): object {
  return printedJsonSchema(reviewResult, "perimeter review --format json");
}
