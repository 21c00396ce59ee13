"use strict";
const { availableParallelism } = require("node:os");
const swc = require("./tools/swc.cjs");

/** Names the run for all its processes: what one of them could not download, the others do not try (tests/support/once-in-run.ts). */
process.env.PERIMETER_TEST_RUN ??= `${process.pid} ${Date.now()}`;

/** Fast transform: types are checked by `make lint`, not again by every test run. */
const transform = {
  "^.+\\.ts$": ["@swc/jest", swc(false)],
  "^.+\\.tsx$": ["@swc/jest", swc(true)],
  "/@marcbachmann/cel-js/lib/.+\\.js$": ["@swc/jest", swc(false)],
};
/** Node.js loads this package, which has modules only, with `require`. Jest cannot. */
const transformIgnorePatterns = ["/node_modules/(?!@marcbachmann/cel-js/)"];

const moduleNameMapper = {
  // Dynamic imports name the compiled file, as Node wants it; here it is still a source.
  "^(\\.{1,2}/.*)\\.js$": "$1",
  // zod loads the messages of fifty languages; the one that it uses is enough.
  "^\\.\\./locales/index\\.cjs$": "<rootDir>/node_modules/zod/v4/locales/en.cjs",
};

const common = {
  testEnvironment: "<rootDir>/tools/test-environment.cjs",
  transform,
  transformIgnorePatterns,
  moduleNameMapper,
  setupFiles: ["<rootDir>/tests/support/runtime-authorities.cjs"],
  rootDir: __dirname,
};

module.exports = {
  // A suite that waits, for an engine, an operation or a process, leaves its core idle: there are two workers for a core.
  // With its engine, program and plugin each takes up to half a gigabyte, so no more than twelve.
  maxWorkers: Math.min(availableParallelism() * 2, 12),
  testSequencer: "<rootDir>/tools/longest-first.cjs",
  // Ends a test that hangs, and none that is slow because the machine is busy: no test is about how fast something is.
  testTimeout: 60_000,
  reporters: ["default", "<rootDir>/tools/closing-line-reporter.cjs"],
  projects: [
    {
      ...common,
      displayName: "unit",
      testMatch: ["<rootDir>/{access,picture,provider,emulator,cli,tools,bench}/**/*.test.ts"],
    },
    {
      ...common,
      displayName: "integration",
      testMatch: ["<rootDir>/tests/{lifecycle,wire,docs,console}/**/*.test.ts"],
    },
    {
      ...common,
      displayName: "engine",
      testMatch: ["<rootDir>/tests/{engine,release}/**/*.test.ts"],
    },
  ],
};
