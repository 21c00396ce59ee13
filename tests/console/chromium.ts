import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

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
  try {
    const installed = install();
    return runs(installed) ? { path: installed } : { reason: "the Chromium of npm lacks libraries of this machine" };
  } catch (error) {
    return { reason: `no Chromium on PATH, and npm did not get one (${(error as Error).message.split("\n")[0]})` };
  }
}

function runs(program: string): boolean {
  return spawnSync(program, ["--version", "--no-sandbox"], { stdio: "ignore" }).status === 0;
}

function install(): string {
  if (!existsSync(join(folder, "node_modules", "@sparticuz", "chromium"))) {
    process.stderr.write("Installing a Chromium for the tests of the console (about 70 MB, once) ...\n");
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  }
  // The package is an ES module, which Jest does not load; it unpacks the program and says where to.
  const script = 'import("@sparticuz/chromium").then(async (its) => console.log(await its.default.executablePath()))';
  return execFileSync(process.execPath, ["-e", script], { cwd: folder, encoding: "utf8" }).trim();
}
