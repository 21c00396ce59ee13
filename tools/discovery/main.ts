/**
 * Writes what this project takes from the discovery documents of Google's APIs (`documents.ts` names their package):
 *  - tests/wire/discovery/: the documents of every API and version that the emulator serves, without prose;
 *  - tools/discovery/policy-kinds.txt: every kind of resource with an access policy.
 *
 * `make discovery` runs it, and then `make generate`.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE, withDocuments } from "./documents";
import { POLICY_KINDS_FILE, policyKindsText } from "./policy-kinds";
import { stripped, type RawDocument } from "./strip";
import { SURFACES } from "./surface";

const TARGET = join(__dirname, "..", "..", "tests", "wire", "discovery");

function main(): void {
  withDocuments((folder) => {
    const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8")) as RawDocument;
    rmSync(TARGET, { recursive: true, force: true });
    mkdirSync(TARGET, { recursive: true });
    for (const surface of SURFACES) {
      for (const version of surface.versions) {
        const file = `${surface.name}.${version}.json`;
        writeFileSync(join(TARGET, file), `${JSON.stringify(stripped(read(file), surface, PACKAGE), null, 1)}\n`);
      }
    }
    const documents = readdirSync(folder).filter((file) => file.endsWith(".json"));
    writeFileSync(POLICY_KINDS_FILE, policyKindsText(documents.map(read)));
  });
}

main();
