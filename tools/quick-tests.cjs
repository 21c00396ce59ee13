"use strict";

const { relative, resolve } = require("node:path");
const seconds = require("./longest-first.json");

/** What `make test-quick` runs: the suites that take less than this. The Makefile leaves out the projects with the engine. */
const LONGEST_SECONDS = 10;
const root = resolve(__dirname, "..");

/** For jest's option --filter. */
module.exports = (files) => ({
  filtered: files.filter((file) => !(seconds[relative(root, file).replaceAll("\\", "/")] >= LONGEST_SECONDS)),
});
