import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = join(__dirname, "googleapis");

/**
 * Google's own client, from the package that exists for these tests alone. It is large (about 230 MB), so it is installed
 * when a test first asks for it, and again when the wanted version has changed.
 *
 * @returns why it cannot be had here; undefined where it is there
 */
export function missingGoogleClient(): string | undefined {
  try {
    install();
    return undefined;
  } catch (error) {
    const reason = `npm did not get Google's own client (${(error as Error).message.split("\n")[0]})`;
    process.stderr.write(`Skipped: ${reason}.\n`);
    return reason;
  }
}

/**
 * One API of the client.
 *
 * @param api e.g. `networksecurity`
 */
export function loadGoogleApi(api: string): unknown {
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
