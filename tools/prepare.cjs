"use strict";

/** npm's `prepare`: compiles a checkout that is installed as it is (`pulumi package add`, a git dependency). */
const { execFileSync } = require("node:child_process");
const { join } = require("node:path");

function typescript() {
  try {
    return require.resolve("typescript/bin/tsc");
  } catch {
    return undefined; // Installed without development dependencies: whoever does that brings dist/ along.
  }
}

const tsc = typescript();
if (tsc)
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: join(__dirname, ".."), stdio: "inherit" });
