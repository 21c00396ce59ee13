import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoSeed, startEmulator } from "pulumi-perimeter/emulator";
import { accessOfStack, readPolicy, reviewStack, terminalText } from "pulumi-perimeter/review";

/** What a change may give without a person's approval. */
const RULES = `
version: 1
mayGain:
  - principals: ["group:*@example.com"]
    roles: [roles/healthcare.fhirResourceReader]
    reason: Groups of the hospital may read records
`;

async function main() {
  const emulator = await startEmulator({ seed: demoSeed });
  const folder = mkdtempSync(join(tmpdir(), "review-automation-"));
  const environment = {
    ...process.env,
    ...emulator.env,
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "",
  };
  const [stackName, workDir] = ["dev", join(__dirname, "infra")];
  const place = { stack: stackName, cwd: workDir, environment };
  const stack = await LocalWorkspace.createOrSelectStack({ stackName, workDir }, { envVars: environment });
  try {
    // The preview saves the plan that the review reads.
    const plan = join(folder, "plan.json");
    const rules = { policy: readPolicy(RULES, "the rules of main.ts") };
    const reviewed = await reviewStack({ ...place, rules, all: true, args: [`--save-plan=${plan}`] });
    console.log(terminalText(reviewed, { width: 100, color: false }));
    if (reviewed.exitCode !== 0) {
      process.exitCode = reviewed.exitCode;
      return;
    }

    // Pulumi stops at a step that is not in the plan.
    await stack.up({ plan });

    // Others can change policies during the update. So the access afterwards is compared with the review.
    const now = await accessOfStack({ ...place, expected: reviewed });
    console.log(terminalText(now, { width: 100, color: false }));
    process.exitCode = now.exitCode;
    await stack.destroy();
  } finally {
    await stack.workspace.removeStack(stackName, { force: true });
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
