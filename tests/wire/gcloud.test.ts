/**
 * Google's command line, unchanged, against the emulator: a handful of commands for each API, and with
 * PERIMETER_GCLOUD=all those of `gcloud/commands.ts` that are rarer. PERIMETER_GCLOUD_LOG names a file for what they
 * print.
 */
import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { SCENARIOS } from "./gcloud/commands";
import { isOnPath, skip } from "./on-path";

const present = isOnPath("gcloud", "--version");
const all = process.env.PERIMETER_GCLOUD === "all";
const log = process.env.PERIMETER_GCLOUD_LOG;
/** A command takes seconds, most of them to start Python. */
const COMMAND_MS = 60_000;

let folder: string;
let emulator: Emulator;

if (present) {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "gcloud-"));
    writeFileSync(join(folder, "openapi.yaml"), 'swagger: "2.0"\ninfo: {title: t, version: "1"}\npaths: {}\n');
    const bindings = [{ role: "roles/viewer", members: ["user:ada@example.com"] }];
    writeFileSync(join(folder, "policy.json"), JSON.stringify({ bindings }));
    emulator = await startEmulator();
  });
  afterAll(async () => {
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  SCENARIOS.forEach(({ api, everyday, rare }) => {
    const commands = all ? [...everyday, ...rare] : everyday;
    test(
      `gcloud works on ${api}: ${commands.length} commands`,
      async () => {
        for (const command of commands) {
          await gcloud(api, command);
        }
        const sent = emulator.requests().filter(({ headers }) => headers["user-agent"]?.includes("gcloud"));
        expect(sent.length).toBeGreaterThanOrEqual(commands.length);
        expect(sent.filter(({ status, id }) => status !== 200 || !id?.startsWith(`${api}.`))).toEqual([]);
        emulator.reset();
      },
      COMMAND_MS * commands.length,
    );
  });
} else {
  skip("gcloud is not on PATH");
}

/** Runs one command. @throws Error with what it printed unless it succeeds */
async function gcloud(api: string, command: string): Promise<void> {
  const words = command
    .replace("{op}", command.includes("{op}") ? await lastOperation(api) : "")
    .replace("{openapi}", join(folder, "openapi.yaml"))
    .replace("{policy}", join(folder, "policy.json"));
  const printed = await new Promise<string>((resolve, reject) => {
    const env = { ...process.env, ...environment(api) };
    execFile("gcloud", words.split(" "), { env, timeout: COMMAND_MS }, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout + stderr);
      } else {
        reject(new Error(`gcloud ${words} failed:\n${stdout}${stderr}`));
      }
    });
  });
  if (log !== undefined) {
    appendFileSync(log, `$ gcloud ${words}\n${printed}\n`);
  }
}

/** Id of the newest operation of an API; empty if there is none. */
async function lastOperation(api: string): Promise<string> {
  const places = ["locations/us-central1", "locations/global", "locations/us-central1/datasets/gd"];
  for (const place of places) {
    const response = await fetch(`${emulator.url}/${api}/v1/projects/demo-project/${place}/operations?pageSize=1000`);
    const { operations = [] } = (response.ok ? await response.json() : {}) as { operations?: { name: string }[] };
    const last = operations.sort((a, b) => (a.name < b.name ? -1 : 1)).at(-1);
    if (last !== undefined) {
      return last.name.slice(last.name.lastIndexOf("/") + 1);
    }
  }
  return "";
}

/** gcloud without credentials, updates or questions, with this API at the emulator under the API's prefix. */
function environment(api: string): Record<string, string> {
  return {
    CLOUDSDK_CONFIG: join(folder, "config"),
    CLOUDSDK_CORE_PROJECT: "demo-project",
    CLOUDSDK_CORE_DISABLE_PROMPTS: "1",
    CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: "1",
    CLOUDSDK_CORE_CHECK_GCE_METADATA: "0",
    CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK: "1",
    CLOUDSDK_AUTH_DISABLE_CREDENTIALS: "1",
    [`CLOUDSDK_API_ENDPOINT_OVERRIDES_${api.toUpperCase()}`]: `${emulator.url}/${api}/`,
  };
}
