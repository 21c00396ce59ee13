#!/usr/bin/env node
import "../require-node.cjs";
import { Readable } from "node:stream";
import { isPluginRun } from "../provider/command";
import { run } from "./program";

// The emulator continues when the reader of its output ends (`perimeter emulator | head`).
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

/** `pulumi plugin run` passes on the text of standard input but not its end: a command would wait for the rest of a plan. */
function refusedInput(): Readable {
  const reason =
    "`pulumi plugin run` does not pass on the end of standard input: name a plan (--plan plan.json), or let the review " +
    "run the preview (--stack dev)";
  return new Readable({
    read() {
      this.destroy(new Error(reason));
    },
  });
}

void run(process.argv, isPluginRun() ? { input: refusedInput() } : {}).then((code) => {
  process.exitCode = code;
});
