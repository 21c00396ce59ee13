"use strict";

/** npm's `prepare`: compiles a checkout that is installed from source (`pulumi package add`, a git dependency). */
const { execFileSync } = require("node:child_process");
const { join } = require("node:path");

function typescript() {
  try {
    return require.resolve("typescript7/bin/tsc");
  } catch {
    return undefined; // Installed without development dependencies: then dist/ must already exist.
  }
}

const tsc = typescript();
if (tsc)
  execFileSync(process.execPath, [tsc, "-p", "tools/tsconfig.build.json"], {
    cwd: join(__dirname, ".."),
    stdio: "inherit",
  });
