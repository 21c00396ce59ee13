import { LocalWorkspace, type InlineProgramArgs } from "@pulumi/pulumi/automation";
import * as perimeter from "pulumi-perimeter";
import { demoSeed, startEmulator } from "pulumi-perimeter/emulator";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";

/** What a stack for one ward declares. */
async function program() {
  const scope = await perimeter.fleet.v1beta.getScope({ location: "global", scopeId: "team-a" });
  const records = new perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember("records", {
    name: STORE,
    role: "roles/healthcare.fhirResourceReader",
    member: "group:nurses@example.com",
  });
  return { member: records.member, store: records.name, scopeState: scope.state.code };
}

async function main() {
  const emulator = await startEmulator({ seed: demoSeed });
  const state = mkdtempSync(join(tmpdir(), "automation-"));
  const args: InlineProgramArgs = { stackName: "ward", projectName: "automation-typescript", program };
  try {
    const stack = await LocalWorkspace.createOrSelectStack(args, {
      envVars: { PULUMI_CONFIG_PASSPHRASE: "", PULUMI_BACKEND_URL: `file://${state}` },
    });
    // Settings of the stack reach the engine and this process alike. `envVars` reach the engine only.
    await stack.setAllConfig({
      "perimeter:emulatorHost": { value: new URL(emulator.url).host },
      "perimeter:project": { value: "demo-project" },
      "perimeter:grantMode": { value: "merge" },
    });

    const planned = await stack.preview();
    console.log("planned:", planned.changeSummary);
    const { outputs } = await stack.up();
    console.log("outputs:", Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value])));
    console.log("policy:", JSON.stringify(emulator.resource(STORE)?.policy, undefined, 2));
    await stack.destroy();
    console.log("left over:", JSON.stringify(emulator.resource(STORE)?.policy).includes("nurses"));
    await stack.workspace.removeStack("ward");
  } finally {
    await emulator.stop();
    rmSync(state, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
