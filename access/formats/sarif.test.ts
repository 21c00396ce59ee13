import { answerWith, byEffect, maskedStack, verdictOf, type OneStack } from "../../tests/support/answers";
import * as fs from "node:fs";
import * as path from "node:path";
import Ajv from "ajv";
import draft04 from "ajv/lib/refs/json-schema-draft-04.json";
import {
  busyResult,
  HOSTILE_TEXT,
  hostileResult,
  largeResult,
  quietResult,
  wideResult,
} from "../../tests/support/review-results";
import { change, review, STORE, VIEWER } from "../../tests/support/unjudged";
import { judged } from "../gate/judge";
import type { Rules } from "../gate/rules";
import type { Found } from "../result/result";
import { sarifText } from "./sarif";

const schema = JSON.parse(
  fs.readFileSync(path.join(__dirname, "../../tests/fixtures/sarif/sarif-2.1.0-rtm.5.json"), "utf8"),
) as object;
const ajv = new Ajv({ schemaId: "id", meta: false, allErrors: true });
ajv.addMetaSchema(draft04);
const validate = ajv.compile(schema);

interface Log {
  runs: [
    {
      tool: { driver: { rules: { id: string; fullDescription: { text: string } }[] } };
      automationDetails: { id: string };
      invocations: [{ exitCode: number; toolExecutionNotifications?: { message: { text: string } }[] }];
      results: {
        ruleId: string;
        level: string;
        message: { text: string };
        locations: [object];
        partialFingerprints: { primaryLocationLineHash: string };
      }[];
    },
  ];
}

/** The run of a log that the schema accepts. */
function runOf(text: string): Log["runs"][0] {
  const log = JSON.parse(text) as Log;
  validate(log);
  expect(validate.errors ?? []).toEqual([]);
  expect(log.runs).toHaveLength(1);
  return log.runs[0];
}

const resultsOf = (result: Partial<OneStack>) => runOf(sarifText(answerWith(result))).results;
const sarif = (found: Found, rules: Rules = {}) => runOf(sarifText(answerWith(judged(found, rules))));
const fingerprints = (found: Found, rules: Rules = {}) =>
  sarif(found, rules).results.map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash);

test("the schema refuses what is not SARIF, which makes the tests below meaningful", () => {
  expect(validate({ version: "2.1.0", runs: [{ tool: { driver: {} } }] })).toBe(false);
  expect(validate({ version: "2.1.0", runs: [{ tool: { driver: { name: "Perimeter", rule: [] } } }] })).toBe(false);
});

test.each<[string, OneStack]>([
  ["a review with everything", busyResult],
  ["a review without a change", quietResult],
  ["a review without a stack", { ...busyResult, stack: undefined, project: undefined }],
  ["current access", { ...busyResult, operation: "access" }],
  ["many changes", largeResult(2000)],
  ["many resources", wideResult(50)],
  ["hostile texts", hostileResult(HOSTILE_TEXT)],
  ["masked names", maskedStack(busyResult)],
])("the SARIF of %s follows the schema", (_what, result) => {
  const { verdict } = result;
  expect(resultsOf(result)).toHaveLength(
    byEffect(verdict).violations.length + (byEffect(verdict).warnings ?? []).length,
  );
});

describe("a run", () => {
  const warnings = [{ rule: "rules", message: "The files differ." }];
  const verdict = verdictOf({ ...byEffect(busyResult.verdict), warnings });
  const run = () => runOf(sarifText(answerWith({ ...busyResult, verdict })));

  test("has violations as errors, unknown facts and warnings as warnings, and errors first", () => {
    expect(run().results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ["loss", "error"],
      ["loss", "error"],
      ["forbiddenRoles[0]", "error"],
      ["refused", "error"],
      ["unknown", "warning"],
      ["rules", "warning"],
    ]);
  });

  test("has each rule once, with its reason, which the result of a violation has, too", () => {
    const { results, tool } = run();
    const ids = ["loss", "forbiddenRoles[0]", "refused", "unknown", "rules"];
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(ids);
    expect(tool.driver.rules[1]?.fullDescription.text).toContain("Nothing of the clinic is public.");
    expect(results[2]?.message.text).toMatch(
      /^allUsers \(everyone on the internet\) gains .*\. Reason: Nothing of the clinic is public\.$/,
    );
  });

  test("has the exit code, and the stack as its category", () => {
    const { invocations, automationDetails } = run();
    expect(invocations[0].exitCode).toBe(2);
    expect(automationDetails.id).toBe("perimeter-review/clinic/prod/");
  });
});

test("rules of the same name in two policy files are two rules", () => {
  const rule = { version: 1 as const, forbiddenRoles: [{ roles: [VIEWER], reason: "No viewers." }] };
  const files = ["rules.yaml", "infra/rules.yaml"].map((file) => ({ file, policy: rule }));
  const { tool, results } = sarif(review([change("gained")]), { files });
  expect(tool.driver.rules.map(({ id }) => id)).toEqual([
    "forbiddenRoles[0] of rules.yaml",
    "forbiddenRoles[0] of infra/rules.yaml",
  ]);
  expect(results).toHaveLength(2);
});

describe("the location of a result", () => {
  const URN = "urn:pulumi:dev::shop::a:b:C::viewer";
  const lost = review([change("lost", { steps: [URN] })]);
  const at = (sources: OneStack["sources"], found = lost, projectFile?: string) =>
    runOf(sarifText(answerWith(judged({ ...found, sources }, {})), { projectFile })).results.map(
      ({ locations }) => locations,
    );
  const name = { fullyQualifiedName: `//healthcare.googleapis.com/${STORE}`, kind: "resource" };
  const place = (uri: string, region?: object) => ({
    physicalLocation: { artifactLocation: { uri }, ...(region ? { region } : {}) },
  });

  test("is the line of the program, and the full name of the resource", () => {
    expect(at({ [URN]: { file: "infra/my index.ts", line: 3 } })).toEqual([
      [{ ...place("infra/my%20index.ts", { startLine: 3 }), logicalLocations: [name] }],
    ]);
  });

  test("names the component", () => {
    expect(at({ [URN]: { file: "index.ts", line: 3, component: "Readers" } })).toEqual([
      [
        {
          ...place("index.ts", { startLine: 3 }),
          message: { text: "The component Readers makes it." },
          logicalLocations: [name],
        },
      ],
    ]);
  });

  test("is the file without a region if the line is gone", () => {
    expect(at({ [URN]: { file: "index.ts", line: 3, gone: true } })).toEqual([
      [{ ...place("index.ts"), message: { text: "It was declared in line 3." }, logicalLocations: [name] }],
    ]);
  });

  test("is the project's file without a line, because GitHub shows no result without a file", () => {
    expect(at(undefined)).toEqual([[{ ...place("Pulumi.yaml"), logicalLocations: [name] }]]);
    expect(at({}, lost, "infra/prod/Pulumi.yaml")).toEqual([
      [{ ...place("infra/prod/Pulumi.yaml"), logicalLocations: [name] }],
    ]);
  });

  test("of a refused step and of an unknown fact is the line of the step", () => {
    const found = review(
      [],
      { unknown: [{ code: "secret", message: "The role is secret.", step: URN }] },
      { refused: [{ step: URN, resource: STORE, reason: "A lock-out." }] },
    );
    expect(at({ [URN]: { file: "index.ts", line: 7 } }, found)).toEqual([
      [{ ...place("index.ts", { startLine: 7 }), logicalLocations: [name] }],
      [{ ...place("index.ts", { startLine: 7 }), logicalLocations: [name] }],
    ]);
  });

  test("of a loss is not the line of a gain of the same role under another condition", () => {
    const condition = { title: "until May", expression: 'request.time < timestamp("2099-05-01T00:00:00Z")' };
    const other = `${URN}-until-may`;
    const found = review([change("gained", { condition, steps: [other] }), change("lost", { steps: [URN] })]);
    const sources = { [other]: { file: "index.ts", line: 1 }, [URN]: { file: "index.ts", line: 2 } };
    expect(at(sources, found)).toEqual([[{ ...place("index.ts", { startLine: 2 }), logicalLocations: [name] }]]);
  });
});

describe("the fingerprint of a result", () => {
  const URN = "urn:pulumi:dev::shop::a:b:C::viewer";
  const ada = change("lost", { steps: [URN] });
  const bob = change("lost", { principal: "user:bob@example.com" });

  test("is the same at another line, beside other results, and in another order", () => {
    const [alone] = fingerprints({ ...review([ada]), sources: { [URN]: { file: "index.ts", line: 3 } } });
    const moved = fingerprints({ ...review([bob, ada]), sources: { [URN]: { file: "iam.ts", line: 9 } } });
    expect(alone).toMatch(/^[0-9a-f]{32}:1$/);
    expect(moved[1]).toBe(alone);
    expect(moved[0]).not.toBe(alone);
  });

  test("differs for another rule, stack, principal, role and resource, and for each result of one log", () => {
    const noGain: Rules = { noNewAccess: true };
    const all = [
      ...fingerprints(review([ada, bob, { ...ada, role: "roles/viewer" }])),
      ...fingerprints(review([change("gained")]), noGain),
      ...fingerprints(review([ada], { resource: `${STORE}-2` })),
      ...fingerprints(review([ada], {}, { stack: "prod" })),
      ...fingerprints(
        review([], {
          unknown: [
            { code: "secret", message: "The role is secret.", step: URN },
            { code: "secret", message: "The member is secret.", step: URN },
          ],
        }),
      ),
    ];
    expect(new Set(all).size).toBe(8);
  });

  test("of an unknown fact does not depend on the server's message", () => {
    const unreadable = (message: string) => review([], { unknown: [{ code: "unreadable policy", message }] });
    expect(fingerprints(unreadable("503, request 1"))).toEqual(fingerprints(unreadable("504, request 2")));
  });

  test("of a masked result is the same when the names have other numbers, and contains no hash of a name", () => {
    const masked = (found: Found) =>
      resultsOf(maskedStack(judged(found, {}))).map(
        ({ partialFingerprints: { primaryLocationLineHash } }) => primaryLocationLineHash,
      );
    const aaron = change("gained", { principal: "user:aaron@example.com" });
    expect(masked(review([ada, aaron]))).toEqual(masked(review([ada])));
    // Both names begin with `a`, so the fingerprints cannot tell who it is.
    expect(masked(review([change("lost", { principal: "user:adam@example.com" })]))).toEqual(masked(review([ada])));
  });
});

describe("GitHub's limits", () => {
  const violations = (count: number, message: (index: number) => string) =>
    answerWith({
      verdict: verdictOf({
        exitCode: 2,
        violations: [...Array(count).keys()].map((index) => ({ rule: "loss", message: message(index) })),
        allowed: [],
      }),
    });

  test("results over the limit are left out, and a notification has their number", () => {
    const log = JSON.parse(sarifText(violations(25_003, String))) as Log;
    expect(log.runs[0].results).toHaveLength(25_000);
    expect(log.runs[0].invocations[0].toolExecutionNotifications?.[0]?.message.text).toMatch(/^3 results are left out/);
    expect(JSON.stringify(log).length).toBeLessThan(25_000_000);
  });

  test("a log that is too large, also compressed, has fewer results", () => {
    let seed = 1;
    const next = () => (seed = (seed * 48271) % 2147483647);
    const noise = [...Array(200_000)].map(() => String.fromCodePoint(0x4e00 + (next() % 20000))).join("");
    // Compression finds no text that is as far away as the next one with the same noise.
    const message = (index: number) => noise.slice((index % 100) * 2000).slice(0, 2000);
    const run = runOf(sarifText(violations(3000, message)));
    expect(run.results).toHaveLength(1500);
    expect(run.invocations[0].toolExecutionNotifications?.[0]?.message.text).toMatch(/^1,500 results are left out/);
  });
});
