import { RE2JS } from "re2js";
import { startTest, stopAll } from "../testing/client";
import { compilePattern } from "./pattern";

afterEach(stopAll);

test.each([
  ["/v1/*/b", "/v1/a/b", true],
  ["/v1/*/b", "/v1/a/a/b", false],
  ["/v1/**", "/v1/a/a/b", true],
  ["a.b", "axb", false],
  ["a(b|c)+", "a(b|c)+", true],
  ["^/v1/(a|b)", "/v1/b/more", true],
  ["**", "line\nline", true],
])("%s on %j: %s", (source, text, expected) => {
  expect(compilePattern(source).test(text)).toBe(expected);
});

test.each([
  ["a regular expression with nested repeats", "^/(a+)+$"],
  ["a regular expression with alternatives", "^/(a|aa)+$"],
  ["a glob of many stars", `/${"*a".repeat(30)}*b`],
])("%s cannot hang the emulator", async (_, path) => {
  const client = await startTest({ faults: [{ match: { path }, fault: { status: 503 } }] });
  const answer = await client.get(`/${"a".repeat(4000)}!`);
  expect(answer.status).toBe(404);
});

test.each([
  ["look-around", "^(?=a)", "(?="],
  ["a back reference", "^(a)\\1", "escape"],
  ["a very long pattern", "x".repeat(1001), "1000 characters"],
  ["a large repetition", `^(${"a?".repeat(50)}){1000}`, "repetitions"],
  ["an open parenthesis", "^(", "missing closing )"],
])("%s is refused", async (_, path, words) => {
  await expect(startTest({ faults: [{ match: { path }, fault: { status: 503 } }] })).rejects.toThrow(words);
  await expect(startTest({ deny: [{ permission: "a.b.c", resource: path }] })).rejects.toThrow(words);
});

test("names without a star need no regular expressions", async () => {
  const compiled = jest.spyOn(RE2JS, "compile");
  const permission = "gkehub.scopes.get";
  const nameOf = (id: number) => `projects/p/locations/global/scopes/s${id}`;
  const deny = Array.from({ length: 3_000 }, (_, id) => ({ permission, resource: nameOf(id) }));
  const client = await startTest({ deny });
  const statusOf = async (id: number) => (await client.get(`/v1/${nameOf(id)}`)).status;
  expect([await statusOf(2_999), await statusOf(3_000), compiled.mock.calls.length]).toEqual([403, 404, 0]);
  compiled.mockRestore();
});
