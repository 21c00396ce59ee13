import { answerWith } from "../../tests/support/answers";
import { z } from "zod";
import { busyResult, HOSTILE_TEXT, hostileResult } from "../../tests/support/review-results";
import { answerSchema } from "../result/result";
import { jsonText } from "./json";
import { reviewJsonSchema } from "./json";

const busy = answerWith(busyResult);

test("prints the answer as JSON, with the properties in the order of the schema", () => {
  const shuffled = Object.fromEntries(Object.entries(busy).reverse());
  expect(jsonText(answerSchema.parse(shuffled))).toBe(jsonText(busy));
  expect(JSON.parse(jsonText(busy))).toEqual(busy);
  expect(jsonText(busy)).toMatch(/^\{\n {2}"version": 1,\n {2}"operation": "update",/);
  // eslint-disable-next-line no-control-regex -- JSON writes them as numbers
  expect(jsonText(answerWith(hostileResult(HOSTILE_TEXT))).replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f]/);
});

test("the schema accepts answers, with fields of later releases too, and refuses other values", () => {
  const schema = z.fromJSONSchema(reviewJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  const withSources = (sources: object) => ({ ...busy, stacks: busy.stacks.map((each) => ({ ...each, sources })) });
  expect(schema.safeParse(busy).success).toBe(true);
  expect(schema.safeParse({ ...busy, later: 1 }).success).toBe(true);
  expect(schema.safeParse({ ...busy, exitCode: undefined }).success).toBe(false);
  expect(schema.safeParse({ ...busy, stacks: [] }).success).toBe(false);
  expect(schema.safeParse({ ...busy, version: 2 }).success).toBe(false);
  expect(schema.safeParse(withSources({ urn: { file: "index.ts", line: 3 } })).success).toBe(true);
  expect(schema.safeParse(withSources({ urn: { file: "index.ts" } })).success).toBe(false);
});
