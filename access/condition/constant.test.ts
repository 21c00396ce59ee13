import { evaluate } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { whyConstant } from "./constant";

const NOW = Date.parse("2026-12-15T10:00:00Z");
const PAST = 'timestamp("2000-01-01T00:00:00Z")';
const FUTURE = 'timestamp("2027-05-01T00:00:00Z")';

describe("conditions that are not constant", () => {
  test.each([
    [`request.time < ${FUTURE}`],
    [`request.time > ${PAST} && request.time < ${FUTURE}`],
    [`request.time < ${PAST}`],
    ["request.time.getFullYear() < 2030"],
    ['request.time.getHours("Europe/Berlin") >= 9 && request.time.getHours("Europe/Berlin") < 18'],
    ['resource.name == "projects/_/buckets/a"'],
    ['"projects/_/buckets/a" == resource["name"]'],
    ['!resource.name.startsWith("projects/p/secrets/prod-")'],
    ['resource.name.extract("/zones/{zone}/") != "us-a"'],
    ['resource.type in ["compute.googleapis.com/Disk", "compute.googleapis.com/Image"]'],
    ["!resource.matchTag('123456789012/env', 'prod')"],
    ["api.getAttribute('iam.googleapis.com/modifiedGrantsByRole', []).hasOnly(['roles/a'])"],
    ['destination.ip == "10.0.0.2" && destination.port != 22'],
    ["'accessPolicies/1/accessLevels/corp' in request.auth.access_levels"],
    ["request.auth.access_levels.exists(x, x == 'a')"],
    ["!compute.isForwardingRuleCreationOperation() || compute.matchLoadBalancingSchemes(['INTERNAL'])"],
    ["inIpRange(destination.ip, '10.0.0.0/8')"],
    ["false"],
    // They may hold for every request: that is not decided.
    ["resource.name != ''"],
    ["resource.name == resource.name"],
  ])("%s", (expression) => expect(whyConstant(expression, NOW)).toBeUndefined());
});

describe("conditions that always hold", () => {
  test.each([
    ["true"],
    ["!(resource.name == 'projects/a' && false)"],
    ["resource.name == 'projects/a' ? true : true"],
    [`request.time > ${PAST}`],
    [`request.time < ${FUTURE} || true`],
    [`request.time < ${FUTURE} || request.time >= ${FUTURE}`],
    ["request.time.getHours() < 24"],
    ["request.time.getFullYear() > 2000"],
  ])("%s", (expression) => expect(whyConstant(expression, NOW)).toBe("This one always holds."));
});

describe("conditions with a part that depends on nothing", () => {
  test.each([
    ["1 == 1", "1 == 1"],
    ["'request.time' != \"resource.name\"", "'request.time' != \"resource.name\""],
    ["resource.name == 'projects/a' || [1].all(x, [1].all(y, false))", "[1].all(x, [1].all(y, false))"],
    [`${PAST} < ${FUTURE}`, `${PAST} < ${FUTURE}`],
    ["'a'.matches('^(a+)+$')", "'a'.matches('^(a+)+$')"],
  ])("%s", (expression, part) =>
    expect(whyConstant(expression, NOW)).toBe(`In this one, ${part} does not depend on the request or the resource.`),
  );
});

describe("conditions that cannot be read", () => {
  test.each([
    ["resource.name ==", "it cannot be read"],
    [`r"\\" != resource.name || resource.name == "projects/a"`, "it cannot be read"],
    ["request.time < timestamp('[secret]')", "the plan does not show all of it"],
    [`${"!".repeat(6000)}true`, "it is nested more than 250 deep, or too long"],
    [`${"!".repeat(200_000)}true`, "it is nested more than 250 deep, or too long"],
    [Array(6000).fill('resource.name == "a"').join(" || "), "it is nested more than 250 deep, or too long"],
    [`${"false ? true : ".repeat(6000)}false`, "it is nested more than 250 deep, or too long"],
  ])("%.60s", (expression, why) =>
    expect(whyConstant(expression, NOW)).toBe(`It cannot be decided whether this one is: ${why}.`),
  );
});

/** Random conditions of a few facts that are independent of each other. */
const { expression: expressions } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('resource.name == "a"', `request.time < ${FUTURE}`, `request.time > ${PAST}`, "true", "false"),
    fc
      .tuple(tie("expression"), fc.constantFrom("&&", "||"), tie("expression"))
      .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
    tie("expression").map((each) => `!(${each})`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([test, yes, no]) => `((${test}) ? (${yes}) : (${no}))`),
  ),
}));

test("a random condition that a request fails is never constant", () => {
  const seen = { constant: 0, other: 0 };
  fc.assert(
    fc.property(expressions, (expression) => {
      const isRefused = ["a", "b"].some((name) =>
        [new Date(NOW), new Date("2028-01-01T00:00:00Z")].some(
          (time) => evaluate(expression, { resource: { name }, request: { time } }) === false,
        ),
      );
      const isConstant = whyConstant(expression, NOW) !== undefined;
      if (isRefused) expect(isConstant).toBe(false);
      seen[isConstant ? "constant" : "other"] += 1;
    }),
    { numRuns: 300, seed: 2026 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
});
