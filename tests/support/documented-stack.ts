/** The stack that docs/review.md shows, on the real engine and the emulator, with a shell to run the document's commands in. */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { stringify } from "yaml";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import type { CommandEnd } from "./command";
import { CommandService, runPackage, type Asked } from "./command-service";
import { EngineProject } from "./engine";
import { pluginFolder } from "./plugin";
import { FHIR_STORE, PROJECT } from "./programs";
import { STORE_GRANT } from "./tokens";

const READER = "roles/healthcare.fhirResourceReader";

interface SceneGrant {
  member: string;
  role: string;
  condition?: { title: string; expression: string };
}

const exporter = (version: string) => `serviceAccount:export-${version}@${PROJECT}.iam.gserviceaccount.com`;

/** The program before and after a pull request: a delete, a replacement, and a grant that gets a condition. */
const PROGRAMS = {
  before: {
    analysts: { member: "group:analysts@example.com", role: "roles/healthcare.fhirStoreViewer" },
    contractor: { member: "user:bob@example.com", role: READER },
    export: { member: exporter("v1"), role: READER },
  },
  after: {
    contractor: {
      member: "user:bob@example.com",
      role: READER,
      condition: { title: "until June", expression: 'request.time < timestamp("2099-06-01T00:00:00Z")' },
    },
    export: { member: exporter("v2"), role: READER },
  },
} satisfies Record<string, Record<string, SceneGrant>>;

export class DocumentedStack {
  /** The folder of `npx`, for PATH. */
  readonly bin: string;
  /** What `npx` does: it runs the command. A test may give another answer. */
  npx: (asked: Asked) => Promise<CommandEnd> = runPackage;
  private service: CommandService | undefined;

  private constructor(
    readonly emulator: Emulator,
    readonly project: EngineProject,
  ) {
    this.bin = path.join(project.dir, "..", "shims");
  }

  /** The stack as it is before the pull request, in the folder of the pull request. */
  static async create(): Promise<DocumentedStack> {
    const emulator = await startEmulator({ seed: demoSeed });
    try {
      const project = await EngineProject.create({
        program: program(PROGRAMS.before),
        stack: "dev",
        config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
        env: emulator.env,
        path: [pluginFolder()],
        nodeModules: "none",
      });
      const scene = new DocumentedStack(emulator, project);
      await project.up();
      project.writeFiles(program(PROGRAMS.after));
      fs.mkdirSync(scene.bin);
      scene.service = await CommandService.start(scene.bin, (asked) => scene.npx(asked));
      return scene;
    } catch (error) {
      await emulator.stop();
      throw error;
    }
  }

  /**
   * Makes the plan of the update, and keeps it with the state.
   *
   * @returns an `npx` that reviews the plan, after a change if there is one, in place of the stack
   */
  async plan(): Promise<(change?: (plan: string) => string) => (asked: Asked) => Promise<CommandEnd>> {
    const { stdout: plan } = await this.project.run(["preview", "--json", "--show-sames"]);
    const file = (name: string) => path.join(this.project.dir, "..", name);
    fs.writeFileSync(file("state.json"), JSON.stringify(await this.project.exportState()));
    return (change = (text) => text) =>
      (asked) => {
        fs.writeFileSync(file("plan.json"), change(plan));
        const at = asked.args.indexOf("--stack");
        const args = asked.args.with(at, "--plan").with(at + 1, file("plan.json"));
        return runPackage({ ...asked, args: [...args, "--state", file("state.json")] });
      };
  }

  /** Has the project install the package. @param command the file that runs; by default, it does what `npx` does */
  installPackage(command?: string): void {
    const bin = path.join(this.project.dir, "node_modules/.bin");
    fs.mkdirSync(bin, { recursive: true });
    const installed = path.join(bin, "pulumi-perimeter");
    fs.rmSync(installed, { force: true });
    if (command !== undefined) fs.symlinkSync(command, installed);
    else fs.writeFileSync(installed, `#!/bin/sh\nexec '${this.bin}/npx' pulumi-perimeter "$@"\n`, { mode: 0o755 });
  }

  /** Runs a script in the project's folder. @param shell by default, as GitHub and GitLab call it */
  async shell(
    script: string,
    env: Record<string, string> = {},
    shell: readonly [string, ...string[]] = ["bash", "-e", "-o", "pipefail"],
  ): Promise<CommandEnd> {
    const [program, ...options] = shell;
    const child = spawn(program, [...options, "-c", script], {
      cwd: this.project.dir,
      env: {
        ...this.project.env,
        PATH: `${this.bin}:${this.project.env.PATH}`,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const text = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (text.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (text.stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { code, ...text };
  }

  async dispose(): Promise<void> {
    await this.service?.stop();
    await this.project.dispose();
    await this.emulator.stop();
  }
}

function program(grants: Record<string, SceneGrant>): Record<string, string> {
  const resources = Object.entries(grants).map(([name, grant]) => [
    name,
    { type: STORE_GRANT, properties: { name: FHIR_STORE, ...grant } },
  ]);
  return { "Pulumi.yaml": stringify({ name: "clinic", runtime: "yaml", resources: Object.fromEntries(resources) }) };
}
