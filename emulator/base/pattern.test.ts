import { RE2JS } from "re2js";
import type { InputError } from "..";
import { startTest, stopAll } from "../testing/client";
import { growthOf } from "../../tests/support/steps";
import { PatternList } from "./pattern";

afterEach(stopAll);

test.each([
  ["/v1/*/b", "/v1/a/b", true],
  ["/v1/*/b", "/v1/a/a/b", false],
  ["/v1/**", "/v1/a/a/b", true],
  ["a.b", "axb", false],
  ["a(b|c)+", "a(b|c)+", true],
  ["^/v1/(a|b)", "/v1/b/more", true],
  ["**", "line\nline", true],
  ["/v1/**/b/*", "/v1/b/b/a/b/c", true],
  ["/v1/**/b/*", "/v1/a/b/c/d", false],
  ["*a*b*/**c", "xaybz/c/c", true],
  ["*a*b*/**c", "xa/ybz/c", false],
  ["ab*ba", "aba", false],
  ["a***b", "a/b", true],
])("%s on %j: %s", (source, text, expected) => {
  expect(new PatternList().compile(source).test(text)).toBe(expected);
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

test.each([
  ["", "1000 regular expressions"],
  ["(a{900}b{90})", "fewer large ones"],
])("a list with too many regular expressions such as ^1%s is refused with one message", async (more, words) => {
  const many = Array.from({ length: 1_100 }, (_, index) => `^${index}${more}`);
  const deny = many.map((resource) => ({ permission: "a.b.c", resource }));
  const problems = await startTest({ deny }).catch((error: InputError) => error.problems);
  expect(problems).toEqual([expect.stringMatching(`^deny\\[\\d+\\].resource: a list has .*${words}`)]);
  const faults = many.map((path) => ({ match: { path }, fault: { status: 503 } }));
  await expect(startTest({ faults })).rejects.toThrow(words);
  const { emulator } = await startTest({ faults: faults.slice(0, 60) });
  expect(() => emulator.addFaults(faults.slice(60))).toThrow(words);
  expect(emulator.faults()).toHaveLength(60);
});

test("the steps grow with the number of globs, of a fault plan and of a switch", async () => {
  const growth = growthOf((load) => {
    const { FaultPlan } = load<typeof import("../http/faults")>("emulator/http/faults");
    const { configure, DEFAULT_CONFIG } = load<typeof import("./config")>("emulator/base/config");
    const { Permissions } = load<typeof import("../auth/permissions")>("emulator/auth/permissions");
    return (count) => {
      const globs = Array.from({ length: count }, (_, index) => `/v1/projects/p${index}/*/s`);
      const plan = new FaultPlan();
      plan.set(globs.map((path) => ({ match: { path }, fault: { status: 503 } })));
      const config = configure(DEFAULT_CONFIG, { deny: globs.map((resource) => ({ permission: "a.b.c", resource })) });
      const permissions = new Permissions(() => config);
      for (let request = 0; request < 3; request++) {
        plan.next("GET", "/v1/projects/q/a/s", undefined);
        permissions.has("a.b.c", "/v1/projects/q/a/s");
      }
    };
  }, 500);
  expect(await growth).toBeLessThan(4.5);
});

test("names and globs need no regular expressions", async () => {
  const compiled = jest.spyOn(RE2JS, "compile");
  const permission = "gkehub.scopes.get";
  const nameOf = (id: number) => `projects/p/locations/global/scopes/s${id}`;
  const globs = [{ permission, resource: `${nameOf(0)}/*` }];
  const deny = [...Array.from({ length: 3_000 }, (_, id) => ({ permission, resource: nameOf(id) })), ...globs];
  const client = await startTest({ deny });
  const statusOf = async (id: number) => (await client.get(`/v1/${nameOf(id)}`)).status;
  expect([await statusOf(2_999), await statusOf(3_000), compiled.mock.calls.length]).toEqual([403, 404, 0]);
  compiled.mockRestore();
});
