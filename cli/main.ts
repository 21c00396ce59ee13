#!/usr/bin/env node
import "../require-node.cjs";
import { createRequire } from "node:module";
import { run } from "./program";

// The emulator continues when the reader of its output ends (`perimeter emulator | head`).
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

// A command's module is loaded when the command runs: `--version` and `--help` need no module.
void run(process.argv, { load: createRequire(__filename) }).then((code) => {
  process.exitCode = code;
});
