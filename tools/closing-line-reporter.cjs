"use strict";

const { relative, resolve } = require("node:path");

const root = resolve(__dirname, "..");
/** The most files of one reason that are named. */
const MOST_FILES = 3;
/** The reason of tests/support/test-all.ts. All its files are named: nothing is missing, and a reader must know what was not run. */
const LEFT_OUT = "only `make test-all` runs it";

/** Why a test is skipped: its name, or that of its suite, ends with it (tests/support/skipped.ts). */
function reasonOf(fullName) {
  const [, inBrackets, atEnd] = /\[skipped: (.*?)\](?:\s|$)|\bskipped: (.*)$/.exec(fullName) ?? [];
  return inBrackets ?? atEnd ?? "no reason is given";
}

/** The skipped tests, as lines: one for each reason, with the files of the tests. */
function skippedLines(testResults) {
  const reasons = new Map();
  for (const { testFilePath, testResults: tests } of testResults) {
    const file = relative(root, testFilePath).replaceAll("\\", "/");
    for (const { fullName, status } of tests) {
      if (status !== "pending" && status !== "todo") continue;
      const reason = reasonOf(fullName);
      const files = reasons.get(reason) ?? new Map();
      reasons.set(reason, files.set(file, (files.get(file) ?? 0) + 1));
    }
  }
  return [...reasons]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([reason, files]) => {
      const count = [...files.values()].reduce((sum, each) => sum + each, 0);
      const names = [...files.keys()].sort();
      const most = reason === LEFT_OUT ? names.length : MOST_FILES;
      const others = names.length - most;
      const more = others > 0 ? ` and ${others} more ${others === 1 ? "file" : "files"}` : "";
      const tests = count === 1 ? "1 test" : `${count} tests`;
      return `skipped: ${tests} in ${names.slice(0, most).join(", ")}${more}: ${reason}`;
    });
}

/**
 * Ends a test run with what it skipped and why, and with one line for people and CI: "N passed, N failed, N skipped". With a
 * pattern of names, nearly all tests are skipped, because nobody asked for them.
 */
class ClosingLineReporter {
  constructor({ testNamePattern } = {}) {
    this.isSelection = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const lines = this.isSelection ? [] : skippedLines(results.testResults);
    const closing = `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
    process.stdout.write(`\n${[...lines, closing].join("\n")}\n`);
  }
}

module.exports = ClosingLineReporter;
