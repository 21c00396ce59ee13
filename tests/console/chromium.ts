import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { missingPackages } from "../support/npm-folder";

const folder = join(__dirname, "chromium");

/** Programs by which machines know a Chromium. */
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * A Chromium to run: the one that PERIMETER_CHROMIUM names, else one on PATH, else (on Linux, x64) the one in the npm
 * package that exists for these tests alone, which is installed when a test first asks for it (about 70 MB).
 *
 * @returns its path, or why there is none
 */
export function findChromium(): { path: string } | { reason: string } {
  const named = process.env.PERIMETER_CHROMIUM;
  if (named !== undefined) {
    return runs(named) ? { path: named } : { reason: `PERIMETER_CHROMIUM (${named}) does not run` };
  }
  const path = PROGRAMS.find(runs);
  if (path !== undefined) {
    return { path: execFileSync("which", [path], { encoding: "utf8" }).trim() };
  }
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { reason: "no Chromium on PATH, and npm has one for Linux on x64 only" };
  }
  const missing = missingPackages(folder, "a Chromium (about 70 MB)");
  if (missing !== undefined) return { reason: `no Chromium on PATH, and ${missing}` };
  const installed = unpacked();
  return runs(installed) ? { path: installed } : { reason: "the Chromium of npm lacks libraries of this machine" };
}

function runs(program: string): boolean {
  return spawnSync(program, ["--version", "--no-sandbox"], { stdio: "ignore" }).status === 0;
}

function unpacked(): string {
  // The package is an ES module, which Jest does not load; it unpacks the program and says where to.
  const script = 'import("@sparticuz/chromium").then(async (its) => console.log(await its.default.executablePath()))';
  return execFileSync(process.execPath, ["-e", script], { cwd: folder, encoding: "utf8" }).trim();
}
