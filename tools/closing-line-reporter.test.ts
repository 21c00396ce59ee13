import { createRequire } from "node:module";
import { join, resolve } from "node:path";

interface Reporter {
  onRunComplete(contexts: unknown, results: unknown): void;
}
const ClosingLineReporter = createRequire(__filename)("./closing-line-reporter.cjs") as new (
  config: object,
) => Reporter;

const file = (name: string, ...tests: [fullName: string, status: string][]) => ({
  testFilePath: join(resolve(__dirname, ".."), "tests", name),
  testResults: tests.map(([fullName, status]) => ({ fullName, status })),
});

/** The last lines of a run. */
function linesOf(config: object): string[] {
  const testResults = [
    file("a.test.ts", ["one [skipped: no Chromium on PATH] first", "pending"], ["two", "passed"]),
    file("b.test.ts", ["console [skipped: no Chromium on PATH]", "pending"], ["skipped: no gcloud on PATH", "pending"]),
    ...["c", "d"].map((name) => file(`${name}.test.ts`, ["console [skipped: no Chromium on PATH]", "pending"])),
    file("e.test.ts", ["silent", "pending"], ["later", "todo"]),
    ...["f", "g", "h", "i"].map((name) =>
      file(`${name}.test.ts`, ["more [skipped: only `make test-all` runs it]", "pending"]),
    ),
  ];
  const counts = {
    numPassedTests: 1,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 10,
    numTodoTests: 1,
  };
  let text = "";
  const write = jest.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    new ClosingLineReporter(config).onRunComplete(undefined, { ...counts, testResults });
  } finally {
    write.mockRestore();
  }
  return text.trim().split("\n");
}

test("the last lines of a run say what was skipped, and why", () => {
  expect(linesOf({})).toEqual([
    "skipped: 4 tests in tests/a.test.ts, tests/b.test.ts, tests/c.test.ts and 1 more file: no Chromium on PATH",
    "skipped: 1 test in tests/b.test.ts: no gcloud on PATH",
    "skipped: 2 tests in tests/e.test.ts: no reason is given",
    "skipped: 4 tests in tests/f.test.ts, tests/g.test.ts, tests/h.test.ts, tests/i.test.ts: only `make test-all` runs it",
    "1 passed, 0 failed, 11 skipped",
  ]);
});

test("a run of tests by name does not list the others", () => {
  expect(linesOf({ testNamePattern: "two" })).toEqual(["1 passed, 0 failed, 11 skipped"]);
});
