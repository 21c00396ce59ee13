import { evaluate } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { boundsFrom } from "./bounds";

const NOW = Date.parse("2026-12-15T10:00:00Z");
const doubtOf = (expression: string) => boundsFrom(NOW)(expression);
const PAST = 'timestamp("2000-01-01T00:00:00Z")';
const FUTURE = 'timestamp("2027-05-01T00:00:00Z")';

describe("conditions that bound access", () => {
  test.each([
    // Times.
    [`request.time < ${FUTURE}`],
    [`request.time < ${PAST}`],
    [`request.time > ${FUTURE}`],
    [`request.time > ${PAST} && request.time < ${FUTURE}`],
    [`request.time < ${PAST} + duration("262800h")`],
    ["request.time.getFullYear() < 2030"],
    ['request.time.getHours("Europe/Berlin") >= 9 && request.time.getHours("Europe/Berlin") < 18'],
    ["request.time.getDayOfWeek() in [1, 2, 3, 4, 5]"],
    ["!(request.time.getDayOfWeek() == 0 && request.time.getHours() == 3)"],
    ["request.time.getMonth() != 11 || request.time.getDate() != 24"],
    // Resources.
    ['resource.name == "projects/_/buckets/a"'],
    ['"projects/_/buckets/a" == resource["name"]'],
    ["resource.name.startsWith('projects/p/zones/z/instances/dev-')"],
    ['resource.name.startsWith("a") || resource.name.startsWith("b||c")'],
    ['!resource.name.startsWith("projects/p/secrets/prod-")'],
    ['!resource.name.endsWith("-prod")'],
    ['!resource.name.contains("/prod/")'],
    ['resource.name.extract("projects/{project}/") == "demo"'],
    ['resource.name.extract("/zones/{zone}/") != "us-a"'],
    [
      'resource.type != "compute.googleapis.com/Instance" || resource.name.extract("/instances/{name}").startsWith("dev-")',
    ],
    ['resource.type == "storage.googleapis.com/Bucket" || resource.type == "storage.googleapis.com/Object"'],
    ['resource.type in ["compute.googleapis.com/Disk", "compute.googleapis.com/Image"]'],
    ['resource.type != "cloudkms.googleapis.com/CryptoKey"'],
    ['!resource.type.startsWith("compute.googleapis.com/")'],
    ['resource.service == "compute.googleapis.com"'],
    ['resource.service != "compute.googleapis.com"'],
    ["resource.matchTag('123456789012/env', 'prod')"],
    ["!resource.matchTag('123456789012/env', 'prod')"],
    ["resource.hasTagKeyId('tagKeys/123456789012')"],
    // Requests.
    ["api.getAttribute('iam.googleapis.com/modifiedGrantsByRole', []).hasOnly(['roles/a'])"],
    ["api.getAttribute('storage.googleapis.com/objectListPrefix', '').startsWith('reports/')"],
    ["destination.port == 22"],
    ['destination.ip == "10.0.0.2" && destination.port != 22'],
    ["'accessPolicies/1/accessLevels/corp' in request.auth.access_levels"],
    ['request.path.startsWith("/admin")'],
    ['!request.path.startsWith("/admin")'],
    ['request.host == "hr.example.com" || request.host.endsWith(".dev.example.com")'],
    [
      "!compute.isForwardingRuleCreationOperation() || (compute.isForwardingRuleCreationOperation() && " +
        "compute.matchLoadBalancingSchemes(['INTERNAL', 'INTERNAL_MANAGED']))",
    ],
    // Never true.
    ["false"],
    ["!true"],
    ['resource.name == ""'],
  ])("%s", (expression) => expect(doubtOf(expression)).toBeUndefined());
});

describe("conditions for which no refused request is found", () => {
  test.each([
    ["true"],
    ["1 == 1"],
    [" ( true ) // request.time"],
    ["'request.time' != \"resource.name\""],
    ["resource.name != ''"],
    ["resource.name == resource.name"],
    ['resource.name.startsWith("")'],
    ['resource.name.startsWith("projects/")'],
    ['resource.name.extract("{all}") != ""'],
    ["resource.name.size() > 0"],
    ['resource.name != "a name that no resource has"'],
    ['resource.service.endsWith(".googleapis.com")'],
    ['resource.type != "storage.googleapis.com/Bucket" || resource.service == "storage.googleapis.com"'],
    ['resource.type == "a.googleapis.com/A" || resource.type != "a.googleapis.com/A"'],
    ["!(resource.name == 'projects/a' && false)"],
    ["resource.name == 'projects/a' ? true : true"],
    [`request.time > ${PAST}`],
    [`request.time < ${FUTURE} || true`],
    [`request.time < ${FUTURE} || request.time >= ${FUTURE}`],
    [`request.time < ${FUTURE} || resource.name == resource.name`],
    ['request.time < timestamp("9999-12-31T23:59:59Z")'],
    ["request.time.getHours() < 24"],
    ["request.time.getHours() < 9 || request.time.getHours() >= 9"],
    ["request.time.getFullYear() > 2000"],
    ["api.getAttribute('iam.googleapis.com/modifiedGrantsByRole', []).hasOnly([]) || true"],
    ["'a' in request.auth.access_levels || !('a' in request.auth.access_levels)"],
    ["destination.port > 0"],
    ["resource.hasTagKey('1/env') || !resource.matchTag('1/env', 'prod')"],
  ])("%s", (expression) => expect(doubtOf(expression)).toBe("No request was found that this one refuses."));
});

describe("conditions that cannot be read", () => {
  test.each([
    ["[secret]", "secret"],
    ["resource.color == 'red' || resource.name == 'projects/a'", "resource.color"],
    ["resource == request", "resource"],
    ["resource.name.matches('^(a+)+$')", "resource.name.matches('^(a+)+$')"],
    ["request.auth.access_levels.exists(x, x == 'a')", "request.auth.access_levels.exists(x, x == 'a')"],
    ["[1].all(x, [1].all(y, false))", "[1].all(x, [1].all(y, false))"],
    ["request.time < timestamp('2027-02-30T00:00:00Z')", "timestamp('2027-02-30T00:00:00Z')"],
    ["request.time < timestamp(resource.name)", "timestamp(resource.name)"],
    // The interpreter counts milliseconds.
    [
      "request.time < timestamp('2027-01-01T00:00:00.1234Z') || request.time > timestamp('2027-01-01T00:00:00.123Z')",
      "timestamp('2027-01-01T00:00:00.1234Z')",
    ],
    ["inIpRange(destination.ip, '10.0.0.0/8')", "inIpRange(destination.ip, '10.0.0.0/8')"],
  ])("%s", (expression, part) =>
    expect(doubtOf(expression)).toBe(`It cannot be decided whether this one does: ${part} cannot be read.`),
  );

  test.each([["resource.name =="], [`r"\\" != resource.name || resource.name == "projects/a"`]])("%s", (expression) =>
    expect(doubtOf(expression)).toBe("It cannot be decided whether this one does: it cannot be read."),
  );

  test.each([
    ["signs", `${"!".repeat(6000)}true`],
    ["signs that exceed the stack of the parser", `${"!".repeat(200_000)}true`],
    ["minus signs", `${"-".repeat(6000)}1 == 1`],
    ["joined parts", Array(6000).fill('resource.name == "projects/a"').join(" && ")],
    ["other joined parts", Array(6000).fill('resource.name == "projects/a"').join(" || ")],
    ["sums", `${Array(6000).fill("1").join(" + ")} > 0`],
    ["brackets", `${"(".repeat(6000)}true${")".repeat(6000)}`],
    ["choices", `${"false ? true : ".repeat(6000)}false`],
    ["a list", `resource.name in [${'"projects/a",'.repeat(6000)}"a"]`],
  ])("6,000 %s", (_, expression) =>
    expect(doubtOf(expression)).toBe(
      "It cannot be decided whether this one does: it is nested more than 250 deep, or too long.",
    ),
  );
});

test("a condition with many choices is not tried without end", () => {
  const names = [...Array(90).keys()].map((index) => `projects/p-${index}`);
  const always = names
    .map((name) => `(resource.name != "${name}" || resource.name == "${name}" || request.path == "/${name}")`)
    .join(" && ");
  expect(doubtOf(always)).toBe("No request was found that this one refuses.");
});

/** Random conditions of a few facts that are independent of each other. */
const { expression: expressions } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(
      'resource.name == "projects/a"',
      'resource.type == "a.googleapis.com/A"',
      `request.time < ${FUTURE}`,
      `request.time > ${PAST}`,
      "destination.port == 22",
      "true",
      "false",
    ),
    fc
      .tuple(tie("expression"), fc.constantFrom("&&", "||"), tie("expression"))
      .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
    tie("expression").map((each) => `!(${each})`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([test, yes, no]) => `((${test}) ? (${yes}) : (${no}))`),
  ),
}));

test("a random condition bounds access exactly if an assignment of its facts makes it false", () => {
  const seen = { bounds: 0, always: 0 };
  fc.assert(
    fc.property(expressions, (expression) => {
      const canFail = [..."0123456789abcdef"].some((digit) => {
        const bits = Number.parseInt(digit, 16);
        const context = {
          resource: { name: bits & 1 ? "projects/a" : "projects/b", type: bits & 2 ? "a.googleapis.com/A" : "b" },
          request: { time: new Date(bits & 4 ? NOW : "2028-01-01T00:00:00Z") },
          destination: { port: bits & 8 ? 22n : 23n },
        };
        return evaluate(expression, context) === false;
      });
      expect(doubtOf(expression) === undefined).toBe(canFail);
      seen[canFail ? "bounds" : "always"] += 1;
    }),
    { numRuns: 300, seed: 2026 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
});
