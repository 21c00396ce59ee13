import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { seedJsonSchema } from "../../emulator";
import { reviewJsonSchema } from "../../provider/review/formats/json";
import { reviewPolicyJsonSchema } from "../../provider/review/gate/rules";
import { packageSchema } from "../../provider/schema";
import { lookups, resources } from "../../provider/services";
import { apiDescriptions } from "./api-descriptions";
import { accessPictureStyles, consolePage } from "./console-page";
import { withConfigurationTable } from "./configuration-table";
import { dynamicFront } from "./dynamic-front";
import { withMethodTable } from "./emulator-table";
import { PAGES, resourcePages } from "./pages";
import { writeSdks } from "./sdk";

/** Writes everything that is generated from the definitions. `make generate` runs it; tests fail when it is due. */

const ROOT = join(__dirname, "..", "..");

/** Folders in which every file is generated. */
export const GENERATED_FOLDERS = [
  "provider/dynamic/generated",
  "emulator/messages/generated",
  "emulator/console/generated",
  "access-picture/generated",
  PAGES,
];

/** Text of every generated file, by its path from the root of the repository. */
export function generatedFiles(): Map<string, string> {
  const resourceDefinitions = resources.map((each) => each.definition);
  const lookupDefinitions = lookups.map((each) => each.definition);
  const front = dynamicFront(resourceDefinitions, lookupDefinitions);
  return new Map([
    ["README.md", withConfigurationTable(readFileSync(join(ROOT, "README.md"), "utf8"))],
    ["docs/emulator.md", withMethodTable(readFileSync(join(ROOT, "docs/emulator.md"), "utf8"))],
    ["docs/review.schema.json", `${JSON.stringify(reviewJsonSchema(), null, 2)}\n`],
    ["docs/review-policy.schema.json", `${JSON.stringify(reviewPolicyJsonSchema(), null, 2)}\n`],
    ["docs/seed.schema.json", `${JSON.stringify(seedJsonSchema(), null, 2)}\n`],
    ["emulator/console/generated/page.ts", consolePage()],
    ["access-picture/generated/styles.ts", accessPictureStyles()],
    ["schema.json", `${JSON.stringify(packageSchema(), null, 2)}\n`],
    ...resourcePages(resourceDefinitions, lookupDefinitions),
    ...[...front].map(([path, text]): [string, string] => [`provider/dynamic/generated/${path}`, text]),
    ...[...apiDescriptions()].map(([path, text]): [string, string] => [`emulator/messages/generated/${path}`, text]),
  ]);
}

if (require.main === module) {
  for (const folder of GENERATED_FOLDERS) {
    rmSync(join(ROOT, folder), { recursive: true, force: true });
  }
  for (const [path, text] of generatedFiles()) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
  writeSdks();
}
