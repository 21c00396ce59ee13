import { printedJson, printedJsonSchema } from "../../provider/core/printed-json";
import { reviewResult, type ReviewResult } from "../result";

/** Formats the result as JSON, as docs/review.schema.json describes it. @throws ZodError if it is not a result */
export function jsonText(result: ReviewResult): string {
  return printedJson(reviewResult, result);
}

/** docs/review.schema.json. */
export function reviewJsonSchema(): object {
  return printedJsonSchema(reviewResult, "perimeter review --format json");
}
