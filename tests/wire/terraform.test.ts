/**
 * Terraform's google provider, unchanged, against the emulator: all of `terraform/main.tf` created, found unchanged,
 * changed and destroyed. The provider is looked for in the folder PERIMETER_TERRAFORM_PROVIDER, as
 * `terraform-provider-google`; nothing is downloaded.
 */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { isOnPath, skip } from "./on-path";

const RUN_MS = 300_000;
const providers = process.env.PERIMETER_TERRAFORM_PROVIDER;

let folder: string;
let emulator: Emulator;

if (!isOnPath("terraform")) {
  skip("terraform is not on PATH");
} else if (providers === undefined || !existsSync(join(providers, "terraform-provider-google"))) {
  skip("PERIMETER_TERRAFORM_PROVIDER names no folder with terraform-provider-google");
} else {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "terraform-"));
    copyFileSync(join(__dirname, "terraform", "main.tf"), join(folder, "main.tf"));
    const overrides = `dev_overrides { "hashicorp/google" = ${JSON.stringify(providers)} }`;
    writeFileSync(join(folder, "cli.tfrc"), `provider_installation {\n  ${overrides}\n}\n`);
    emulator = await startEmulator({ operationMs: 200 });
  });
  afterAll(async () => {
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  test("the google provider creates, reads, changes and destroys", lifetime, RUN_MS);
}

async function lifetime(): Promise<void> {
  expect(await terraform("apply", "-auto-approve")).toContain("Resources: 14 added, 0 changed, 0 destroyed.");
  expect(emulator.resources()).toHaveLength(11);
  expect(await terraform("plan")).toContain("No changes.");
  expect(await terraform("apply", "-auto-approve", "-var=label=second")).toContain(
    "Resources: 0 added, 3 changed, 0 destroyed.",
  );
  expect(await terraform("plan", "-var=label=second")).toContain("No changes.");
  expect(await terraform("destroy", "-auto-approve")).toContain("Resources: 14 destroyed.");
  expect(emulator.resources()).toEqual([]);
  const unknown = emulator.requests().filter(({ id }) => id === undefined);
  expect(unknown).toEqual([]);
}

/** Runs a command. @returns what it printed @throws Error with that unless it succeeds */
function terraform(...words: string[]): Promise<string> {
  const env = {
    ...process.env,
    TF_CLI_CONFIG_FILE: join(folder, "cli.tfrc"),
    TF_VAR_host: emulator.url,
    TF_IN_AUTOMATION: "1",
    CHECKPOINT_DISABLE: "1",
  };
  return new Promise((resolve, reject) => {
    execFile("terraform", [...words, "-no-color"], { cwd: folder, env, timeout: RUN_MS }, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout + stderr);
      } else {
        reject(new Error(`terraform ${words.join(" ")} failed:\n${stdout}${stderr}`));
      }
    });
  });
}
