import { evaluate } from "@marcbachmann/cel-js";
import * as fc from "fast-check";
import { accessAt, endOfCondition, expiryOf, inertAt } from "./expiry";
import { period, periodInWords } from "./period";
import { timeText } from "./times";

const endOf = (expression: string): string => {
  const end = endOfCondition({ title: "t", expression });
  if (!end.known) return `unknown: ${end.unread}`;
  return end.at === undefined ? "never" : timeText(end.at);
};
const T = 'timestamp("2027-01-01T00:00:00Z")';

test.each([
  `(request.time < ${T}) == true`,
  `true == (request.time < ${T})`,
  `((request.time) < ${T}) == (true)`,
  `( (request.time < ${T} ) ) == (resource.name == ")")`,
  `(resource.name + ")") == string(request.time)`,
])("a part that is not read is quoted with all its parentheses: %s", (expression) => {
  expect(endOf(expression)).toBe(`unknown: ${expression}`);
  expect(endOf(`resource.name == "a" && ((${expression}))`)).toContain(`unknown: ${expression}`);
});

test.each([
  // What the console and jit-groups write.
  [`request.time < ${T}`, "2027-01-01T00:00:00Z"],
  [
    '(request.time >= timestamp("2026-01-01T00:00:00Z") && request.time < timestamp("2026-01-02T00:00:00Z"))',
    "2026-01-02T00:00:00Z",
  ],
  ['request.time < timestamp("2027-01-01T02:00:00+02:00")', "2027-01-01T00:00:00Z"],
  ['request.time < timestamp("2027-01-01T00:00:00.123456789-01:30")', "2027-01-01T01:30:00.123Z"],
  // The other way around, and other operators.
  [`${T} > request.time`, "2027-01-01T00:00:00Z"],
  [`!(request.time >= ${T})`, "2027-01-01T00:00:00Z"],
  [`!(!(request.time < ${T}))`, "2027-01-01T00:00:00Z"],
  [`request.time == ${T}`, "2027-01-01T00:00:00Z"],
  [`request.time != ${T}`, "never"],
  [`request["time"] < ${T} // until the new year`, "2027-01-01T00:00:00Z"],
  [`request.time < ${T} ? true : false`, "2027-01-01T00:00:00Z"],
  [
    `resource.name == "a" ? request.time < ${T} : request.time < timestamp("2028-01-01T00:00:00Z")`,
    "2028-01-01T00:00:00Z",
  ],
  // Durations.
  [`request.time < ${T} + duration("36h")`, "2027-01-02T12:00:00Z"],
  [`request.time - duration("1h30m") < ${T}`, "2027-01-01T01:30:00Z"],
  [`request.time - ${T} < duration("3600.5s")`, "2027-01-01T01:00:00.500Z"],
  [`${T} - request.time > duration("-1h")`, "2027-01-01T01:00:00Z"],
  // Years.
  ["request.time.getFullYear() < 2027", "2027-01-01T00:00:00Z"],
  ['2026 >= request.time.getFullYear("UTC")', "2027-01-01T00:00:00Z"],
  ["request.time.getFullYear() == 2026", "2027-01-01T00:00:00Z"],
  ["request.time.getFullYear() > 2026", "never"],
  // What is not about time can be true or false.
  [`request.time < ${T} && resource.name.startsWith("projects/p")`, "2027-01-01T00:00:00Z"],
  [`request.time < ${T} || resource.name.startsWith("projects/p")`, "never"],
  [`request.auth.access_levels.exists(x, x == "a") && request.time < ${T}`, "2027-01-01T00:00:00Z"],
  ['api.getAttribute("iam.googleapis.com/modifiedGrantsByRole", []).hasOnly(["roles/a"])', "never"],
  // Parts that recur.
  ['request.time.getHours("Europe/Berlin") >= 9 && request.time.getHours("Europe/Berlin") < 18', "never"],
  ["request.time.getDayOfWeek() in [1, 2, 3, 4, 5]", "never"],
  [`request.time.getHours() < 24 && request.time < ${T}`, "2027-01-01T00:00:00Z"],
  [`request.time.getDayOfWeek() > 6 || request.time < ${T}`, "2027-01-01T00:00:00Z"],
  // Never true.
  ["false", "0001-01-01T00:00:00Z"],
  [`request.time < ${T} && request.time > timestamp("2028-01-01T00:00:00Z")`, "0001-01-01T00:00:00Z"],
  ["", "never"],
  ["true", "never"],
  // The same text in another place.
  [`resource.name == "request.time < ${T.replaceAll('"', "'")}"`, "never"],
  [`r"\\d" != resource.name && request.time < ${T}`, "2027-01-01T00:00:00Z"],
])("%s ends: %s", (expression, expected) => {
  expect(endOf(expression)).toBe(expected);
});

describe("conditions with an unknown end", () => {
  test.each([
    // Times that do not exist, or that only some programs read.
    ['request.time < timestamp("2027-02-30T00:00:00Z")'],
    ['request.time < timestamp("2027-01-01T24:00:00Z")'],
    ['request.time < timestamp("2027-01-01T23:59:60Z")'],
    ['request.time < timestamp("2027-01-01")'],
    ['request.time < timestamp("next year")'],
    ['request.time < timestamp("2027-01-01T00:00:00")'],
    [`request.time < ${T} + duration("1d")`],
    [`request.time + request.time < ${T}`],
    ["request.time < timestamp(resource.name)"],
    ['request.time.getFullYear("Europe/Berlin") < 2027'],
    ["request.time.getFullYear() < size(resource.name)"],
    ['string(request.time) < "2027"'],
    ["[request.time].exists(x, x < timestamp('2027-01-01T00:00:00Z'))"],
    ["now() < timestamp('2027-01-01T00:00:00Z')"],
    ["now < timestamp('2027-01-01T00:00:00Z')"],
    ["request == resource"],
    // What the answer does not show.
    ["[secret]"],
    ["request.time <"],
    // The parser takes the backslash of a raw text as an escape.
    [`r"\\" != resource.name || request.time < ${T} || r"\\" != ""`],
    ["request.time < timestamp('[known after the update]')"],
  ])("%s", (expression) => {
    expect(endOf(expression)).toBe(`unknown: ${expression}`);
  });

  test("a known limit beside an unknown part counts, and a part without effect does not", () => {
    expect(endOf(`string(request.time) < "2027" && request.time < ${T}`)).toBe("2027-01-01T00:00:00Z");
    expect(endOf(`string(request.time) < "2027" || request.time < ${T}`)).toBe(
      'unknown: string(request.time) < "2027"',
    );
    expect(endOf(`string(request.time) < "2027" || resource.name == "a"`)).toBe("never");
  });
});

test("an end is classified as expired, soon or later, to the nanosecond", () => {
  const at = Date.parse("2027-01-01T00:00:00Z");
  const state = (expression: string, now: number) => expiryOf({ title: "", expression }, now, 1000).state;
  expect(state(`request.time < ${T}`, at)).toBe("expired");
  expect(state(`request.time <= ${T}`, at)).toBe("soon");
  expect(state(`request.time < ${T}`, at - 1000)).toBe("soon");
  expect(state(`request.time < ${T}`, at - 1001)).toBe("later");
  expect(expiryOf({ title: "", expression: "false" }, at, 0)).toEqual({ state: "expired" });
});

test("expired grants and deleted identities give no access; a grant with an unknown end gives access", () => {
  const grant = (expression: string, member = "user:ada@example.com") =>
    accessAt()({ role: "roles/viewer", member, condition: { title: "t", expression } });
  expect(grant('request.time < timestamp("2020-01-01T00:00:00Z")')).toBe(false);
  expect(grant('string(request.time) < "2020"')).toBe(true);
  expect(grant("true")).toBe(true);
  expect(grant("true", "deleted:user:ada@example.com?uid=1")).toBe(false);
});

test.each([
  ["that ends later", "", 'request.time < timestamp("2027-01-01T00:00:00.001Z")', undefined],
  ["that ends now", "", 'request.time < timestamp("2027-01-01T00:00:00Z")', "expired"],
  ["that has its last moment now", "", 'request.time <= timestamp("2027-01-01T00:00:00Z")', undefined],
  ["that begins later", "", 'request.time > timestamp("2028-01-01T00:00:00Z")', undefined],
  ["that never holds", "", "false", "expired"],
  [
    "that another fact can extend",
    "",
    'request.time < timestamp("2020-01-01T00:00:00Z") || resource.name == "a"',
    undefined,
  ],
  ["with an unknown end", "", 'string(request.time) < "2020"', undefined],
  ["without an expression", "", "", undefined],
  ["of a deleted principal", "deleted:", "", "deleted"],
  ["of a deleted principal that ends later", "deleted:", 'request.time < timestamp("2028-01-01T00:00:00Z")', "deleted"],
])("a grant %s", (_, prefix, expression, expected) => {
  const inert = inertAt(Date.parse("2027-01-01T00:00:00Z"));
  for (const member of [
    "user:ada@example.com?uid=1",
    "serviceAccount:a@b.iam.gserviceaccount.com?uid=1",
    "principal://a/b/c",
  ]) {
    const grant = { role: "roles/viewer", member: prefix + member, condition: { title: "t", expression } };
    expect(inert(grant)).toBe(expected);
    expect(inert(grant)).toBe(expected);
  }
});

test.each([
  ["90d", 90 * 24 * 3_600_000, "90 days"],
  ["1w", 7 * 24 * 3_600_000, "1 week"],
  ["12h", 12 * 3_600_000, "12 hours"],
  ["90", undefined, undefined],
  ["-1d", undefined, undefined],
  ["1.5d", undefined, undefined],
])("the period %s", (text, milliseconds, words) => {
  expect(period(text)).toBe(milliseconds);
  if (words !== undefined) expect(periodInWords(text)).toBe(words);
});

/** Stands for a fact that is not about time. */
const FACT = "resource.FACT";

/** Random conditions of times, years, durations and a fact that is not about time. All moments are whole seconds. */
const { expression: expressions } = fc.letrec<{ expression: string; comparison: string }>((tie) => {
  const seconds = fc.integer({ min: Date.UTC(2024, 0) / 1000, max: Date.UTC(2029, 0) / 1000 });
  const time = fc.tuple(seconds, fc.constantFrom(0, 330, -480)).map(([second, offset]) => {
    const local = new Date((second + offset * 60) * 1000).toISOString().slice(0, 19);
    const zone = `${offset < 0 ? "-" : "+"}${new Date(Math.abs(offset) * 60_000).toISOString().slice(11, 16)}`;
    return `timestamp("${local}${offset === 0 ? "Z" : zone}")`;
  });
  const length = fc.integer({ min: 0, max: 40_000_000 }).map((each) => `duration("${each}s")`);
  const operator = fc.constantFrom("<", "<=", ">", ">=", "==", "!=");
  const moment = fc.oneof(
    fc.constant("request.time"),
    time,
    fc
      .tuple(fc.constantFrom("request.time", 'timestamp("2026-05-01T00:00:00Z")'), fc.constantFrom("+", "-"), length)
      .map((parts) => parts.join(" ")),
  );
  return {
    comparison: fc.oneof(
      fc.tuple(moment, operator, moment).map((parts) => parts.join(" ")),
      fc.tuple(time, operator, length).map(([at, op, by]) => `request.time - ${at} ${op} ${by}`),
      fc
        .tuple(operator, fc.integer({ min: 2023, max: 2029 }))
        .map(([op, year]) => `request.time.getFullYear() ${op} ${year}`),
      fc.constantFrom("true", "false", FACT),
    ),
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      tie("comparison"),
      fc
        .tuple(tie("expression"), fc.constantFrom("&&", "||"), tie("expression"))
        .map(([left, op, right]) => `(${left}) ${op} (${right})`),
      tie("expression").map((each) => `!(${each})`),
      fc
        .tuple(tie("expression"), tie("expression"), tie("expression"))
        .map(([test, yes, no]) => `(${test}) ? (${yes}) : (${no})`),
    ),
  };
});

const DAY = 24 * 3_600_000;
const LAST = Date.UTC(2040, 0);

test("an interpreter finds a random condition true at some time before its end, and at no time after it", () => {
  const seen = { ends: 0, never: 0, empty: 0 };
  fc.assert(
    fc.property(expressions, (text) => {
      let facts = 0;
      // Each fact is another one, and can be true or false whatever the others are.
      const expression = text.replaceAll(FACT, () => `resource.fact${facts++}`);
      fc.pre(facts <= 6);
      const holds = (at: number): boolean =>
        Array.from({ length: 2 ** facts }, (_, choice) => {
          const resource = Object.fromEntries(
            Array.from({ length: facts }, (_, fact) => [`fact${fact}`, (choice & (1 << fact)) !== 0]),
          );
          return evaluate(expression, { request: { time: new Date(at) }, resource }) === true;
        }).includes(true);
      const end = endOfCondition({ title: "", expression });
      if (!end.known) throw new Error(`nothing is unknown here: ${end.unread}`);
      const to = end.at === undefined ? LAST : Number(end.at / 1_000_000n);
      // `<=` ends a nanosecond later.
      const later =
        end.at === undefined ? [] : [to + 1, to + 1000, to + DAY, to + 400 * DAY, LAST].filter((each) => each > to);
      expect(later.filter((at) => at > 0 && holds(at))).toEqual([]);
      if (to > 0) expect([to, to - 1, to - 1000].some(holds)).toBe(true);
      seen[end.at === undefined ? "never" : to > 0 ? "ends" : "empty"] += 1;
    }),
    { numRuns: 2000, seed: 2026 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});
