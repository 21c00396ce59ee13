import { conditionProblem } from "./condition-syntax";

test.each([
  'request.time < timestamp("2099-06-01T00:00:00Z")',
  'resource.name.startsWith("projects/_/buckets/b") && resource.type == "storage.googleapis.com/Bucket"',
  'resource.matchTag("123/env", "prod") || !(destination.port in [22, 3389])',
  'api.getAttribute("iam.googleapis.com/modifiedGrantsByRole", []).hasOnly(["roles/viewer"])',
  'request.time.getHours("Europe/Berlin") >= 9 ? true : false',
  'resource.name.extract("projects/{project}/") == "p" // a comment',
  "r\"\\d+\" == 'x'",
  // The parser misreads this one, so nothing is refused.
  'r"a\\"b" == "c"',
  // Too deep for the parser.
  `${"!".repeat(100_000)}true`,
  `${"(".repeat(1000)}true${")".repeat(1000)}`,
])("%.60s is an expression", (expression) => {
  expect(conditionProblem(expression)).toBeUndefined();
});

test.each([
  ["request.time <", "it ends too early"],
  ['request.time < timestamp("2099', "it is wrong at character 26"],
  ["a and b", "it is wrong at character 3"],
  ["a = b", "it is wrong at character 3"],
  ["a.b && || c", "it is wrong at character 8"],
])("%s is none: %s", (expression, where) => {
  expect(conditionProblem(expression)).toBe(
    `must be an expression of the Common Expression Language (CEL), but ${where}`,
  );
});
