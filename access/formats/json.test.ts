import { z } from "zod";
import { busyResult, HOSTILE_TEXT, hostileResult } from "../../tests/support/review-results";
import { reviewResult } from "../result/result";
import { jsonText } from "./json";
import { reviewJsonSchema } from "./json";

test("prints the result as JSON, with the properties in the order of the schema", () => {
  const shuffled = Object.fromEntries(Object.entries(busyResult).reverse());
  expect(jsonText(reviewResult.parse(shuffled))).toBe(jsonText(busyResult));
  expect(JSON.parse(jsonText(busyResult))).toEqual(busyResult);
  expect(jsonText(busyResult)).toMatch(/^\{\n {2}"version": 1,\n {2}"operation": "update",/);
  // eslint-disable-next-line no-control-regex -- JSON writes them as numbers
  expect(jsonText(hostileResult(HOSTILE_TEXT)).replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f]/);
});

test("the schema accepts results, with fields of later releases too, and refuses other values", () => {
  const schema = z.fromJSONSchema(reviewJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  expect(schema.safeParse(busyResult).success).toBe(true);
  expect(schema.safeParse({ ...busyResult, later: 1 }).success).toBe(true);
  expect(schema.safeParse({ ...busyResult, verdict: undefined }).success).toBe(false);
  expect(schema.safeParse({ ...busyResult, version: 2 }).success).toBe(false);
  expect(schema.safeParse({ ...busyResult, sources: { urn: { file: "index.ts", line: 3 } } }).success).toBe(true);
  expect(schema.safeParse({ ...busyResult, sources: { urn: { file: "index.ts" } } }).success).toBe(false);
});
