"use strict";

const Sequencer = require("@jest/test-sequencer").default;
const { relative, resolve } = require("node:path");

/**
 * The longest suites first, so that none is left to run alone at the end. jest does so by itself from its own records, which
 * a fresh clone and CI do not have: these are seconds from one run of all on two cores, and a suite that is not here goes by
 * its project, where the engine's take longest.
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
