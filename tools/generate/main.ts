import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { seedJsonSchema } from "../../emulator";
import { doctorJsonSchema } from "../../cli/doctor/result";
import { reviewJsonSchema } from "../../access/formats/json";
import { reviewPolicyJsonSchema } from "../../access/gate/rules";
import { packageSchema } from "../schema";
import { lookups, resources } from "../../provider/services";
import { firewallEndpointAssociation } from "../../provider/services/networksecurity/firewall-endpoint-association/definition";
import { ROOT } from "../run";
import { apiDescriptions } from "./api-descriptions";
import { accessPictureStyles, consolePage } from "./console-page";
import { withConfigurationTables } from "./configuration-table";
import { dynamicFront } from "./dynamic-front";
import { withMethodTable } from "./emulator-table";
import { PAGES, resourcePages } from "./pages";
import { gcpTypesModule, gcpTypesPage } from "./gcp-types";
import { policyKindPage, policyKindTable } from "./policy-kinds";
import { withRegistryExample } from "./registry-example";
import { writeSdks } from "./sdk";

/** Writes everything that is generated from the definitions. `make generate` runs it; tests fail when generated files are stale. */

/** Folders in which every file is generated. */
export const GENERATED_FOLDERS = [
  "provider/dynamic/generated",
  "emulator/base/generated",
  "emulator/console/generated",
  "picture/generated",
  "provider/iam/kinds/generated",
  "access/meaning/generated",
  PAGES,
];

/** The current document, which is partly generated. */
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Text of every generated file, by its path from the root of the repository. */
export function generatedFiles(): Map<string, string> {
  const resourceDefinitions = resources.map((each) => each.definition);
  const lookupDefinitions = lookups.map((each) => each.definition);
  const front = dynamicFront(resourceDefinitions, lookupDefinitions);
  return new Map([
    ["docs/_index.md", withRegistryExample(read("docs/_index.md"), firewallEndpointAssociation)],
    ["docs/configuration.md", withConfigurationTables(read("docs/configuration.md"))],
    ["docs/emulator-reference.md", withMethodTable(read("docs/emulator-reference.md"))],
    ["docs/doctor.schema.json", json(doctorJsonSchema())],
    ["docs/review.schema.json", json(reviewJsonSchema())],
    ["docs/review-policy.schema.json", json(reviewPolicyJsonSchema())],
    ["docs/seed.schema.json", json(seedJsonSchema())],
    ["emulator/console/generated/page.ts", consolePage()],
    ["picture/generated/styles.ts", accessPictureStyles()],
    ["docs/policy-kinds.md", policyKindPage()],
    ["provider/iam/kinds/generated/table.ts", policyKindTable()],
    ["emulator/base/generated/policy-kinds.ts", policyKindTable()],
    ["access/meaning/generated/gcp-types.ts", gcpTypesModule()],
    ["docs/gcp-types.md", gcpTypesPage()],
    ["sdk/schema.json", json(packageSchema())],
    ...resourcePages(resourceDefinitions, lookupDefinitions),
    ...[...front].map(([path, text]): [string, string] => [`provider/dynamic/generated/${path}`, text]),
    ...[...apiDescriptions()].map(([path, text]): [string, string] => [`emulator/base/generated/${path}`, text]),
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
