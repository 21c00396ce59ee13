/**
 * A life of a stack whose every input is a secret somewhere, with the plugin's traces on and a cloud that repeats what it
 * is told: nothing that the engine or the plugin prints, logs or keeps holds a secret in plain text.
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, type OperationOptions } from "../../support/engine";
import { withEvents, type OperationResult } from "../../support/engine-events";
import { pluginFolder } from "../../support/plugin";
import {
  ACCESS_TOKEN,
  BOUND_ROLE,
  BOUND_STORES,
  CANARY,
  DEFAULT_PROJECT,
  program,
  REFUSALS,
  refusedProgram,
  SEED,
} from "./program";
import { QuotingApi } from "./quoting-api";

interface Policy {
  bindings: { role: string; members: string[] }[];
}

/** What the API quoted, as the provider may tell it. */
const QUOTED: unknown = expect.stringMatching(/Not "[^"]*\[secret\]/);

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`secrets${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let emulator: Emulator;
  let api: QuotingApi;
  let project: EngineProject;
  let folder: string;
  let trace: string;
  /** What has been looked through so far. */
  const seen = { traceLines: 0, files: new Set<string>() };

  beforeAll(async () => {
    emulator = await startEmulator({ seed: SEED });
    api = await QuotingApi.start(emulator);
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-secrets-"));
    trace = path.join(folder, "trace.log");
    // Engines hide what a plugin writes to its standard error; this one keeps it.
    const launcher = `#!/bin/sh\nexec "${pluginFolder()}/pulumi-resource-perimeter" "$@" 2>>"${trace}"\n`;
    fs.writeFileSync(path.join(folder, "pulumi-resource-perimeter"), launcher, { mode: 0o755 });
    project = await EngineProject.create({
      program: program(0),
      config: { "perimeter:grantMode": "merge", "perimeter:retry": '{"maxAttempts":2}' },
      nodeModules: "none",
      path: [folder],
      env: {
        PERIMETER_EMULATOR_HOST: api.host,
        PERIMETER_LOG: "trace",
        // The engine writes the state once, at the end of a command, and not after each resource. The files are read then.
        PULUMI_EXPERIMENTAL: "true",
        PULUMI_SKIP_CHECKPOINTS: "true",
      },
    });
    const settings = [`perimeter:project=${DEFAULT_PROJECT}`, `perimeter:accessToken=${ACCESS_TOKEN}`];
    await project.run(["config", "set-all", ...settings.flatMap((each) => ["--secret", each])]);
  });
  afterAll(async () => {
    await project?.dispose();
    await api?.stop();
    await emulator?.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  afterEach(() => {
    api.refusals = [];
    emulator.setFaults([]);
    emulator.configure({ operationMs: 0 });
  });

  /** Runs a command, and fails with every line that shows a secret: what it printed, logged, kept or left lying about. */
  async function quiet(
    args: readonly string[],
    { fail = "no", ...options }: OperationOptions = {},
  ): Promise<OperationResult> {
    const log = project.eventLog();
    const [command = "", ...rest] = args;
    const done = await project.run([command, ...log.args, ...rest, "--diff"], { fail, ...options });
    const result = withEvents(done, log.file);
    expectNothingShown(args.join(" "), done.stdout + done.stderr);
    return result;
  }

  function expectNothingShown(what: string, printed: string): void {
    const kept = ["home", "state", "tmp", "logs"].flatMap((each) => filesBelow(path.join(project.dir, "..", each)));
    const texts: [string, string][] = [
      [what, printed],
      ...[...kept, trace].map((file): [string, string] => [file, read(file)]),
    ];
    seen.traceLines += read(trace)
      .split("\n")
      .filter((line) => line.startsWith("perimeter: ")).length;
    for (const file of kept) seen.files.add(file);
    const shown = texts.flatMap(([where, text]) =>
      text
        .split("\n")
        .filter((line) => line.search(CANARY) >= 0)
        .map((line) => `${path.basename(where)}: ${around(line)}`),
    );
    // The next step is about what it shows itself.
    for (const file of [...filesBelow(path.join(project.dir, "../logs")), trace]) fs.rmSync(file, { force: true });
    expect([...new Set(shown)].slice(0, 40)).toEqual([]);
  }

  const up = ["up", "--yes", "--skip-preview", "--continue-on-error"];

  test("do not appear in a preview", async () => {
    expect((await quiet(["preview"])).stdout).toContain("[secret]");
  });

  test("do not appear when creates fail with each kind of error, or operations fail", async () => {
    const { files, names } = refusedProgram();
    project.writeFiles(files);
    api.refusals = REFUSALS;
    const { messages } = await quiet(up, { fail: "yes" });
    // Each was told what the API had quoted.
    for (const name of names) {
      // An operation in the place of a policy tells nothing of the grant, which stays in the state.
      const said =
        name === "operation-grant" ? expect.stringMatching(/\[secret\].* may be in the access policy/) : QUOTED;
      expect([name, messages("error", name).join()]).toEqual([name, said]);
    }
    project.writeFiles(program(0));
  });

  async function interrupted(path: RegExp): Promise<void> {
    emulator.clearRequests();
    const log = project.eventLog();
    const running = project.start(["up", ...log.args, "--yes", "--skip-preview", "--diff"]);
    let ended = false;
    void running.done.then(() => (ended = true));
    while (!ended && !emulator.requests().some((each) => path.test(`${each.method} ${each.path}`))) await tick();
    const interruptedAtWork = !ended;
    running.kill("SIGINT");
    const { stdout, stderr, code } = await running.done;
    // If the run had already ended, the test would not show what an interrupted run prints.
    expect([interruptedAtWork, code === 0]).toEqual([true, false]);
    expectNothingShown("ctrl-C", stdout + stderr);
  }

  test("do not appear when a create is interrupted", async () => {
    emulator.configure({ operationMs: 30 * 60_000 });
    try {
      await interrupted(/^GET .*\/operations\//);
    } finally {
      emulator.advance(30 * 60_000);
    }
  });

  test("do not appear in a create", async () => {
    await quiet(up);
  });

  test("do not appear when the write of a policy is interrupted", async () => {
    project.writeFiles(program(1));
    emulator.setFaults([{ match: { id: "**.setIamPolicy" }, times: 0, fault: { stall: true } }]);
    await interrupted(/^POST .*:setIamPolicy/);
    emulator.setFaults([]);
    // Of the grants that the interrupted replacements have left to delete, the plugin is told last: the policies that it
    // reads before show them, and so would its trace.
    await quiet(up, { env: { PERIMETER_LOG: "" } });
  });

  test("do not appear in a failed and a successful update", async () => {
    project.writeFiles(program(2));
    api.refusals = [{ methods: ["POST", "PATCH", "DELETE"], code: 403, status: "PERMISSION_DENIED" }];
    // Its preview comes first, and succeeds.
    const { messages } = await quiet(["up", "--yes", "--continue-on-error"], { fail: "yes" });
    for (const name of ["labels", "expression"]) expect([name, messages("error", name).join()]).toEqual([name, QUOTED]);
    api.refusals = [];
    await quiet(up);
  });

  test("do not appear when somebody adds a member before the secret one of a list", async () => {
    for (const name of BOUND_STORES) {
      const { bindings } = emulator.resource(name)?.policy as unknown as Policy;
      const bound = bindings.find(({ role }) => role === BOUND_ROLE)!;
      bound.members = ["user:late@example.com", ...bound.members];
      emulator.mutate(name, { policy: { bindings } });
    }
    const { changes } = await quiet(["refresh", "--yes", "--skip-preview"]);
    expect(changes).toEqual({ update: BOUND_STORES.length });
    await quiet(up);
    const [owned, ignored] = BOUND_STORES.map((name) => JSON.stringify(emulator.resource(name)?.policy));
    expect([owned, ignored]).toEqual([expect.not.stringContaining("late@"), expect.stringContaining("late@")]);
  });

  test("do not appear in a refresh that finds drift and deleted resources, or in an update without changes", async () => {
    api.refusals = [{ methods: ["GET"], code: 403, status: "PERMISSION_DENIED" }];
    await quiet(["refresh", "--yes", "--skip-preview"], { fail: "yes" });
    api.refusals = [];
    const owners = { bindings: [{ role: "roles/owner", members: ["user:grace@example.com"] }] };
    for (const { name, service } of emulator.resources()) {
      if (service === "networksecurity") emulator.mutate(name, { patch: { labels: { drift: "open" } } });
      else emulator.mutate(name, { policy: owners });
    }
    emulator.remove("projects/open/locations/us-central1-a/firewallEndpointAssociations/tls");
    await quiet([...up, "--refresh"]);
    await quiet([...up, "--expect-no-changes"]);
  });

  test("do not appear in an import", async () => {
    const name = "projects/open/locations/us-central1-a/firewallEndpointAssociations/imported";
    const { body } = emulator.resources().find((each) => each.name.endsWith("/label"))!;
    const network = "projects/open/global/networks/imported";
    emulator.seed([{ service: "networksecurity", name, body: { ...body, name: undefined, network, labels: {} } }]);
    const done = await project.import(
      "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
      "imported",
      name,
      {
        args: ["--protect=false", "--generate-code=false"],
      },
    );
    expectNothingShown("import", done.stdout + done.stderr);
  });

  test("do not appear in a failed and a successful delete", async () => {
    api.refusals = [{ methods: ["POST", "DELETE"], code: 403, status: "PERMISSION_DENIED" }];
    await quiet(["destroy", "--yes", "--skip-preview", "--continue-on-error"], { fail: "yes" });
    api.refusals = [];
    await quiet(["destroy", "--yes", "--skip-preview"]);
    expect(emulator.resources().filter(({ service }) => service === "networksecurity")).toEqual([]);
    // Traces, the state, its backups and its history were there to be looked through.
    expect(seen.traceLines).toBeGreaterThan(100);
    for (const kind of ["stacks", "backups", "history"]) {
      expect([...seen.files]).toContainEqual(expect.stringContaining(`/.pulumi/${kind}/`));
    }
  });
});

function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function read(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
}

/** Each secret of a line with some of what is beside it. */
function around(line: string): string {
  return [...line.matchAll(CANARY)]
    .map(({ index = 0 }) => line.slice(Math.max(0, index - 80), index + 50))
    .join(" | ")
    .slice(0, 500);
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 20));
