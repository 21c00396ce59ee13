/**
 * Google's command line, unchanged, against the emulator: `make test` runs the commands of one API, `make test-all` those of
 * all, with the rarer ones of `gcloud/commands.ts`. PERIMETER_GCLOUD_LOG names a file for what they print.
 */
import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { SCENARIOS, type Scenario } from "./gcloud/commands";
import { casesHere, leftOut } from "../support/test-all";
import { isOnPath, skip } from "./on-path";

const present = isOnPath("gcloud");
const log = process.env.PERIMETER_GCLOUD_LOG;
/** A command takes seconds, most of them to start Python. */
const COMMAND_MS = 60_000;

/** What a scenario works with: its own emulator and its own configuration of gcloud. */
interface Place {
  api: string;
  apis: Readonly<Record<string, string>>;
  folder: string;
  emulator: Emulator;
}

const runs = new Map<string, Promise<void>>();

if (present) {
  const scenarios = casesHere(
    SCENARIOS,
    ({ api, apis }) => api === "networksecurity" || apis !== undefined,
    ({ api }) => api,
  );
  // All at once: a command mostly waits, for Python and for the next poll.
  beforeAll(() => scenarios.forEach((scenario) => runs.set(scenario.api, run(scenario))));
  afterAll(() => Promise.allSettled(runs.values()));
  test.each(scenarios)(
    "gcloud works on $api",
    async ({ api }) => {
      await expect(runs.get(api)).resolves.toBeUndefined();
    },
    COMMAND_MS * 30,
  );
} else {
  skip("gcloud is not on PATH");
}

/** Runs the commands of a scenario in order. @throws Error for the first that fails or asks for what is not served */
async function run({ api, apis = { [api]: `${api}/` }, everyday, rare }: Scenario): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "gcloud-"));
  writeFileSync(join(folder, "openapi.yaml"), 'swagger: "2.0"\ninfo: {title: t, version: "1"}\npaths: {}\n');
  const bindings = [{ role: "roles/viewer", members: ["user:ada@example.com"] }];
  writeFileSync(join(folder, "policy.json"), JSON.stringify({ bindings }));
  const emulator = await startEmulator({ anyResource: true });
  try {
    for (const command of leftOut === undefined ? [...everyday, ...rare] : everyday) {
      await gcloud({ api, apis, folder, emulator }, command);
    }
    const sent = emulator.requests().filter(({ headers }) => headers["user-agent"]?.includes("gcloud"));
    expect(sent.length).toBeGreaterThanOrEqual(everyday.length);
    expect(sent.filter(({ status, id }) => status !== 200 || !Object.hasOwn(apis, id?.split(".", 1)[0] ?? ""))).toEqual(
      [],
    );
  } finally {
    await emulator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs one command. @throws Error with what it printed unless it succeeds */
async function gcloud(place: Place, command: string): Promise<void> {
  const { folder } = place;
  const words = command
    .replace("{op}", command.includes("{op}") ? await lastOperation(place) : "")
    .replace("{openapi}", join(folder, "openapi.yaml"))
    .replace("{policy}", join(folder, "policy.json"));
  const printed = await new Promise<string>((resolve, reject) => {
    const env = { ...process.env, ...environment(place) };
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
async function lastOperation({ api, emulator }: Place): Promise<string> {
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

/** gcloud without credentials, updates or questions, with these APIs at the emulator under the prefixes of the APIs. */
function environment({ apis, folder, emulator }: Place): Record<string, string> {
  return {
    CLOUDSDK_CONFIG: join(folder, "config"),
    CLOUDSDK_CORE_PROJECT: "demo-project",
    CLOUDSDK_CORE_DISABLE_PROMPTS: "1",
    CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: "1",
    CLOUDSDK_CORE_CHECK_GCE_METADATA: "0",
    CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK: "1",
    CLOUDSDK_AUTH_DISABLE_CREDENTIALS: "1",
    ...Object.fromEntries(
      Object.entries(apis).map(([api, path]) => [
        `CLOUDSDK_API_ENDPOINT_OVERRIDES_${api.toUpperCase()}`,
        `${emulator.url}/${path}`,
      ]),
    ),
  };
}
