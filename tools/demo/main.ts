import { join } from "node:path";
import { demoSeed, startEmulator } from "../../emulator";
import { EngineProject, repositoryRoot } from "../../tests/support/engine";
import type { OperationResult } from "../../tests/support/engine-events";
import { caption, command, shown } from "./terminal";

/**
 * `make demo`: the main features of the provider on the real engine, against the embedded emulator. Each step prints its
 * purpose, shows the terminal output of a user, and checks the result: the demo fails if a check fails.
 */

const EXAMPLE = join(repositoryRoot, "examples", "firewall-typescript");

async function main(): Promise<void> {
  caption("The emulator serves the six APIs on this machine: no account, no network, no credentials.");
  const emulator = await startEmulator({ seed: demoSeed, operationMs: 1_000 });
  console.log(`emulator at ${emulator.url}`);
  const project = await EngineProject.create({
    program: EXAMPLE,
    stack: "demo",
    config: { "perimeter:project": "demo-project" },
    env: { ...emulator.env },
    packages: { "pulumi-perimeter": repositoryRoot },
  });
  try {
    await walk(project);
  } finally {
    await project.dispose();
    await emulator.stop();
  }
}

async function walk(project: EngineProject): Promise<void> {
  caption("1. Before any change, the preview names who would gain and who would lose access.");
  const first = await project.preview();
  show("pulumi preview", first);
  expect(first.messages("warning", "records").length === 1, "the preview should warn of those who lose access");

  caption("2. up: an association (waits for its operation), four grants, five lookups.");
  show("pulumi up", await project.up());

  caption("3. The outputs, including the results of the lookups.");
  const outputs = await project.run(["stack", "output"]);
  command("pulumi stack output");
  shown(outputs.stdout);

  caption("4. A new location needs a new association: the preview plans a replacement.");
  await project.setConfig("zone", "us-central1-b");
  const moved = await project.preview({ diff: true });
  show("pulumi preview --diff   # zone is us-central1-b now", moved);
  expect(planned(moved, "replace"), "the location change should replace the association");
  await project.setConfig("zone", "us-central1-a");

  caption("5. A changed label is an update in place.");
  await project.setConfig("team", "security");
  const relabelled = await project.preview({ diff: true });
  show("pulumi preview --diff   # the label team is security now", relabelled);
  expect(planned(relabelled, "update"), "the label change should update in place");

  await project.setConfig("team", "network");

  caption("6. The preview refuses bad input, and names the property and the valid values.");
  await project.setConfig("migrationMember", "allUsers");
  const refused = await project.preview({ fail: "yes" });
  show("pulumi preview          # the grant's member is allUsers now", refused);
  expect(
    refused.messages("error").some((text) => text.includes("member")),
    "the error should name the property",
  );
  await project.removeConfig("migrationMember");

  caption("7. destroy: deletes the association, and removes only its own grants from the policies.");
  show("pulumi destroy", await project.destroy());
  console.log("\nAll steps ran on the real Pulumi engine. The program is in examples/firewall-typescript.");
}

function show(text: string, result: OperationResult): void {
  command(text);
  shown(result.stdout);
}

function planned(preview: OperationResult, op: string): boolean {
  return preview.steps.some((step) => step.name === "prod" && step.op === op);
}

function expect(condition: boolean, message: string): void {
  if (!condition) throw new Error(`demo: ${message}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
