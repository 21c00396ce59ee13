import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = join(__dirname, "googleapis");

/**
 * Loads one API of Google's own client from the package that exists for these tests alone. The client is large
 * (about 230 MB), so it is installed when a test first asks for it, and again when the wanted version has changed.
 *
 * @param api e.g. `networksecurity`
 */
export function loadGoogleApi(api: string): unknown {
  install();
  // Its index loads every API of Google; one is enough.
  return createRequire(join(folder, "package.json"))(`googleapis/build/src/apis/${api}`);
}

function install(): void {
  if (installedVersion() === wantedVersion()) {
    return;
  }
  process.stderr.write("Installing Google's own client for the wire tests (about 230 MB, once) ...\n");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

function wantedVersion(): string {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    dependencies: { googleapis: string };
  };
  return dependencies.googleapis;
}

function installedVersion(): string | undefined {
  const path = join(folder, "node_modules", "googleapis", "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : undefined;
}
