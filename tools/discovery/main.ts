/**
 * Writes tests/wire/discovery/: the discovery documents of every API and version that the emulator serves, without
 * prose, from the package google-api-python-client of exactly the version below. Needs pip and Python.
 *
 * Run: node -r ./tools/register.cjs tools/discovery/main.ts
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripped, type RawDocument } from "./strip";
import { SURFACES } from "./surface";

const PACKAGE = "google-api-python-client==2.202.0";
const TARGET = join(__dirname, "..", "..", "tests", "wire", "discovery");
const DOCUMENTS = join("googleapiclient", "discovery_cache", "documents");

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), "discovery-"));
  try {
    execFileSync("pip", ["install", "--quiet", "--no-deps", "--target", folder, PACKAGE], { stdio: "inherit" });
    rmSync(TARGET, { recursive: true, force: true });
    mkdirSync(TARGET, { recursive: true });
    for (const surface of SURFACES) {
      for (const version of surface.versions) {
        const file = `${surface.name}.${version}.json`;
        const document = JSON.parse(readFileSync(join(folder, DOCUMENTS, file), "utf8")) as RawDocument;
        writeFileSync(join(TARGET, file), `${JSON.stringify(stripped(document, surface, PACKAGE), null, 1)}\n`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main();
