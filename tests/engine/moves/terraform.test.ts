/**
 * What Terraform made moves to the plugin, as examples/moving-from-terraform shows it.
 *
 * `tests/fixtures/terraform/show.json` is what `terraform show -json` printed after Terraform 1.11.4 with Google's provider
 * (terraform-provider-google at f3721fb45fa3) had applied the example's main.tf to the emulator.
 */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, FHIR_STORE } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const EXAMPLE = path.join(repositoryRoot, "examples/moving-from-terraform");
const SHOWN = path.join(repositoryRoot, "tests/fixtures/terraform/show.json");

interface Shown {
  type: string;
  values: Record<string, unknown>;
}

/** What Terraform left in the cloud, out of what it says of it. */
function makeWhatTerraformMade(emulator: Emulator, { resources }: { resources: Shown[] }): void {
  const association = resources.find(({ type }) => type.endsWith("firewall_endpoint_association"))?.values ?? {};
  emulator.seed([
    {
      service: "networksecurity",
      name: association.id as string,
      body: {
        network: association.network,
        firewallEndpoint: association.firewall_endpoint,
        labels: association.effective_labels,
        state: "ACTIVE",
      },
    },
  ]);
  const grants = resources.filter(({ type }) => type.endsWith("iam_member")).map(({ values }) => values);
  const bindings = grants.map(({ role, member }) => ({ role, members: [member] }));
  emulator.mutate(FHIR_STORE, { policy: { bindings: [...bindings, OTHERS] } });
}

const OTHERS = { role: "roles/healthcare.fhirStoreAdmin", members: ["user:grace@example.com"] };

function importFile(shown: string): { text: string; resources: { type: string; name: string; id: string }[] } {
  const text = execFileSync(process.execPath, [path.join(EXAMPLE, "import-file.mjs")], {
    input: shown,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
  return { text, ...(JSON.parse(text) as { resources: { type: string; name: string; id: string }[] }) };
}

test("the import file names all resources with a counterpart, also in modules", () => {
  const member = { mode: "managed", type: "google_healthcare_fhir_store_iam_member", values: { id: "x" } };
  const address = "google_healthcare_fhir_store_iam_member.nurses";
  const shown = {
    values: {
      root_module: {
        resources: [
          { ...member, address },
          { ...member, address: "google_healthcare_dataset.clinic", type: "google_healthcare_dataset" },
          { ...member, address: `data.${address}`, mode: "data" },
        ],
        child_modules: [
          {
            resources: [
              { ...member, address: `module.ward[0].${address}["north"]` },
              ...["google_healthcare_fhir_store_iam_binding", "google_api_gateway_gateway_iam_binding"].map((type) => ({
                ...member,
                type,
                address: `module.ward[0].${type}.${type.split("_")[1]}`,
              })),
            ],
          },
        ],
      },
    },
  };
  expect(importFile(JSON.stringify(shown)).resources.map(({ name, type }) => [name, type])).toEqual([
    ["nurses", "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember"],
    ["ward-0-nurses-north", "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember"],
    ["ward-0-healthcare", "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding"],
    ["ward-0-api", "perimeter:apigateway/v1beta:GatewayIamBinding"],
  ]);
});

const missing = missingHost("yaml");
const testHere = missing === undefined ? test : test.skip;

testHere(
  `import, no change, and a destroy that takes only what moved${missing ? ` [skipped: ${missing}]` : ""}`,
  async () => {
    const shown = fs.readFileSync(SHOWN, "utf8");
    const { values } = JSON.parse(shown) as { values: { root_module: { resources: Shown[] } } };
    const emulator = await startEmulator({ seed: demoSeed });
    const project = await EngineProject.create({
      program: EXAMPLE,
      path: [pluginFolder()],
      nodeModules: "none",
      config: { "perimeter:grantMode": "merge" },
      env: emulator.env,
    });
    try {
      makeWhatTerraformMade(emulator, values.root_module);
      project.writeFiles({ "import.json": importFile(shown).text });
      // Language hosts that can be built here generate no programs.
      await project.run(["import", "--file", "import.json", "--yes", "--skip-preview", "--generate-code=false"]);
      expect((await project.preview()).changes).toEqual({});

      await project.run(["state", "unprotect", "--all", "--yes"]);
      await project.destroy();
      expect(emulator.resource(`${ASSOCIATIONS}/prod`)).toBeUndefined();
      expect(emulator.resource(FHIR_STORE)?.policy).toMatchObject({ bindings: [OTHERS] });
    } finally {
      await project.dispose();
      await emulator.stop();
    }
  },
);
