import { busyResult, HOSTILE_TEXT, hostileResult } from "../../../tests/support/review-results";
import { reviewResult } from "../result";
import { jsonText } from "./index";

test("JSON is the result, in the order of its schema", () => {
  const shuffled = Object.fromEntries(Object.entries(busyResult).reverse());
  expect(jsonText(reviewResult.parse(shuffled))).toBe(jsonText(busyResult));
  expect(JSON.parse(jsonText(busyResult))).toEqual(busyResult);
  expect(jsonText(busyResult)).toMatch(/^\{\n {2}"version": 1,\n {2}"operation": "update",/);
  // eslint-disable-next-line no-control-regex -- JSON writes them as numbers
  expect(jsonText(hostileResult(HOSTILE_TEXT)).replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f]/);
});
