"use strict";

const Sequencer = require("@jest/test-sequencer").default;
const { relative, resolve } = require("node:path");

/**
 * Runs the longest suites first, so that none runs alone at the end. jest does this from its own records, which a fresh
 * clone and CI do not have. The numbers are seconds from one complete run on two cores; a suite without a number gets the
 * estimate of its project.
 */
const seconds = require("./longest-first.json");
const root = resolve(__dirname, "..");

class LongestFirst extends Sequencer {
  sort(tests) {
    const expected = ({ path }) => {
      const file = relative(root, path).replaceAll("\\", "/");
      return seconds[file] ?? (file.startsWith("tests/engine/") ? 10 : file.startsWith("tests/") ? 3 : 1);
    };
    return [...tests].sort((a, b) => expected(b) - expected(a) || (a.path < b.path ? -1 : 1));
  }
}

module.exports = LongestFirst;
