#!/usr/bin/env node
import { createRequire } from "node:module";
import { run } from "./program";

// Whoever reads the output may stop reading (`perimeter emulator | head`): that is no reason to stop serving.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

// Commands are loaded when they are asked for, so that `--version` and `--help` cost nothing.
void run(process.argv, { load: createRequire(__filename) }).then((code) => {
  process.exitCode = code;
});
