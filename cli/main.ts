#!/usr/bin/env node
import { createRequire } from "node:module";
import { run } from "./program";

// The emulator goes on when the reader of its output ends (`perimeter emulator | head`).
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

// A command's module is loaded when the command is asked for: `--version` and `--help` need none of them.
void run(process.argv, { load: createRequire(__filename) }).then((code) => {
  process.exitCode = code;
});
