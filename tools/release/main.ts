import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { VERSION } from "../../provider/version";
import { hostPlatform, PLATFORMS } from "../build-plugin-platforms";
import { filesBelow } from "../files";
import { ROOT, run, runTool } from "../run";
import { sha256 } from "./archive";
import { goModule, npmPackages, npmPackagesForThisMachine, pythonPackages } from "./packages";
import { pluginArchives } from "./plugins";
import { releaseNotes } from "./notes";
import { billsOfMaterials } from "./sbom";

/**
 * Builds all that a release publishes, from dist/ and sdk/ as they are:
 *
 *   main.ts                 to release/, for all platforms
 *   main.ts --out FOLDER    to another folder, which is emptied first
 *   main.ts --host          for tests: the plugin's executable for this platform only, packed in less time to larger archives
 *   main.ts --tag vX.Y.Z    refuses where package.json or CHANGELOG.md are not ready for this tag
 *   main.ts --here          the npm packages alone, into the root of the repository
 */
async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: "string", default: "release" },
      host: { type: "boolean" },
      tag: { type: "string" },
      here: { type: "boolean" },
    },
  });
  if (values.here) return packHere();
  const out = resolve(ROOT, values.out);
  const notes = releaseNotes(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), VERSION, values.tag);
  const time = releaseTime();
  const work = mkdtempSync(join(tmpdir(), "perimeter-release-"));
  try {
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    say("packages for npm, PyPI and Go…");
    npmPackages(join(out, "npm"), work);
    await pythonPackages(join(out, "python"), work, time);
    goModule(join(out, "go"), work, time);
    say(values.host ? "plugin for this platform…" : "plugins for each platform (about 40 s)…");
    const platforms = values.host ? [hostPlatform()] : PLATFORMS;
    const level = values.host ? 3 : undefined;
    const packages = await pluginArchives(join(out, "plugins"), join(work, "plugins"), platforms, time, level);
    billsOfMaterials(join(out, "sbom"), packages, time);
    writeFileSync(join(out, "notes.md"), notes);
    const files = filesBelow(out);
    writeFileSync(join(out, "SHA256SUMS"), checksums(out, files));
    for (const file of files) say(`${String(statSync(join(out, file)).size).padStart(10)}  ${file}`);
    say(`${VERSION} is in ${out}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function packHere(): void {
  const work = mkdtempSync(join(tmpdir(), "perimeter-package-"));
  try {
    npmPackagesForThisMachine(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** For `sha256sum --check --ignore-missing` next to downloaded files. Go stores the checksums of modules itself. */
function checksums(out: string, files: readonly string[]): string {
  const downloads = files.filter((file) => /^(npm|python|plugins|sbom)\//.test(file));
  return downloads.map((file) => `${sha256(join(out, file))}  ${basename(file)}\n`).join("");
}

/** SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/), else the time of the last commit. */
function releaseTime(): Date {
  const given = process.env.SOURCE_DATE_EPOCH;
  return new Date(Number(given ?? run("git", ["log", "-1", "--format=%ct"])) * 1000);
}

function say(line: string): void {
  console.log(`release: ${line}`);
}

runTool("release", main);
