#!/usr/bin/env node
import { createRequire } from "node:module";
import { run } from "./program";

// Commands are loaded when they are asked for, so that `--version` and `--help` cost nothing.
void run(process.argv, { load: createRequire(__filename) }).then((code) => {
  process.exitCode = code;
});
