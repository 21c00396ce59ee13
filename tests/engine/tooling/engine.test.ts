/** The support itself: the real engine runs programs apart from the user's own settings, and its plans can be read. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ENGINE_TIMEOUT_MS, EngineProject, engine, missingHost, type ProjectOptions } from "../../support/engine";
import { EngineError } from "../../support/engine-run";
import { buildAhead, goEnvironment } from "../../support/go";
import { leftOut } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const projects: EngineProject[] = [];

async function create(options: ProjectOptions): Promise<EngineProject> {
  const project = await EngineProject.create(options);
  projects.push(project);
  return project;
}

afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.dispose()));
});

/** A test that is skipped, with the reason in its name, where something cannot be had on this machine. */
function testWith(missing: string | undefined, name: string, run: () => Promise<void>): void {
  if (missing === undefined) test(name, run);
  else test.skip(`${name} [skipped: ${missing}]`, run);
}

function reason(found: object): string | undefined {
  return "missing" in found ? String(found.missing) : undefined;
}

describe("YAML", () => {
  const yaml = (greeting: string, more = "") => ({
    "Pulumi.yaml": `name: sample\nruntime: yaml\n${more}outputs:\n  greeting: ${greeting}\n`,
  });

  testWith(missingHost("yaml"), "up, preview and destroy; configuration, secrets and a state put back", async () => {
    const settings = "configuration:\n  who: { type: string }\n  word: { type: string }\n";
    const project = await create({
      program: yaml("${who} ${word}", settings),
      nodeModules: "none",
      config: { "sample:who": "Ada" },
    });
    await project.setConfig("word", "open sesame", { secret: true });
    const up = await project.up();
    expect(up.changes).toEqual({ create: 1 });
    expect(up.step("sample-test")).toMatchObject({ op: "create", type: "pulumi:pulumi:Stack" });
    expect(await project.outputs()).toEqual({ greeting: "Ada open sesame" });
    const state = await project.exportState();
    expect(JSON.stringify(state)).not.toContain("sesame");
    expect(JSON.stringify(await project.exportState({ showSecrets: true }))).toContain("sesame");

    project.writeFiles(yaml("hello"));
    const preview = await project.preview({ diff: true });
    expect(preview.stdout).toMatch(/greeting: \[secret\] => "hello"/);
    expect(() => preview.step("sample-test", "delete")).toThrow(/no step delete of sample-test; steps: .*sample-test/);
    expect((await project.destroy()).changes).toEqual({ delete: 1 });
    expect((await project.exportState()).deployment.resources ?? []).toEqual([]);

    project.importState(state);
    project.writeFiles(yaml("${who} ${word}", settings));
    expect((await project.preview()).changes).toEqual({});
  });

  test("the CLI knows passwords from words, with lists that it reads when it needs them", async () => {
    const project = await create({ program: yaml("hello"), nodeModules: "none" });
    const set = (value: string) => project.run(["config", "set", "sample:password", value], { fail: "maybe" });
    expect((await set("Xq7dd8fKzp0aYt5v")).stderr).toContain("looks like a secret");
    expect((await set("correcthorsebatt")).code).toBe(0);
    if (engine().source !== "build") return;
    // A released CLI reads the lists at each start. Go tells what each package allocates before the program begins.
    const { stderr } = await project.run(["version"], { env: { GODEBUG: "inittrace=1" } });
    expect(stderr).toMatch(/^init \S*pulumi/m);
    expect(stderr).not.toMatch(/^init \S*zxcvbn-go\/(frequency|matching) .* \d{6,} bytes/m);
  });

  testWith(missingHost("yaml"), "a failure shows all that was printed", async () => {
    const project = await create({ program: yaml("${nothing}"), nodeModules: "none" });
    const failure = await project.preview().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EngineError);
    expect(String(failure)).toMatch(/pulumi preview.*code \d+[^]*--- stdout ---[^]*nothing/);
    expect(String(failure)).not.toContain("\u001b[");
  });
});

describe("TypeScript", () => {
  testWith(
    missingHost("nodejs"),
    "a program sees nothing of the caller's environment, and has a home of its own",
    async () => {
      const before = process.env.GOOGLE_PROJECT;
      process.env.GOOGLE_PROJECT = "the-users-own";
      try {
        const program = `export const seen = process.env.GOOGLE_PROJECT ?? "nothing", home: string = process.env.HOME!;\n`;
        const project = await create({ program: { "index.ts": program } });
        expect((await project.up()).changes).toEqual({ create: 1 });
        const { seen, home } = await project.outputs();
        expect(seen).toBe("nothing");
        expect(home).not.toBe(process.env.HOME);
        // The project keeps its state in a folder of its own.
        expect(fs.existsSync(path.join(project.dir, "../state/.pulumi"))).toBe(true);
      } finally {
        if (before === undefined) delete process.env.GOOGLE_PROJECT;
        else process.env.GOOGLE_PROJECT = before;
      }
    },
  );

  // tests/engine/kill and tests/engine/dynamic/interruption.test.ts interrupt updates in the same way.
  testWith(
    missingHost("nodejs") ?? leftOut,
    "an update can be interrupted, and its events up to then be read",
    async () => {
      const slow = `import * as pulumi from "@pulumi/pulumi";
const provider: pulumi.dynamic.ResourceProvider = {
  create: () => new Promise((resolve) => setTimeout(() => resolve({ id: "1", outs: {} }), 3_600_000)),
};
class Slow extends pulumi.dynamic.Resource {
  constructor(name: string) {
    super(provider, name, {});
  }
}
new Slow("slow");
`;
      const project = await create({ program: { "index.ts": slow } });
      const log = project.eventLog();
      const running = project.start(["up", "--yes", "--skip-preview", ...log.args]);
      await running.waitFor(/slow.*creating/);
      // The first one asks the provider to stop, which a dynamic one does not heed; the second one ends it.
      running.kill("SIGINT");
      await running.waitFor(/press \^C again/);
      running.kill("SIGINT");
      const result = await running.done;
      expect(result.code).not.toBe(0);
      expect(fs.readFileSync(log.file, "utf8")).toContain("resourcePreEvent");
    },
  );
});

describe("Go", () => {
  const go = goEnvironment();
  // tests/engine/go runs an example, which is built ahead.
  testWith(reason(go) ?? leftOut, "a program is built and run", async () => {
    if ("missing" in go) return;
    const project = await create({
      program: path.join(__dirname, "programs/go"),
      nodeModules: "none",
      config: { "sample:who": "Ada" },
      env: go.env,
      path: [go.bin],
    });
    await project.up();
    expect(await project.outputs()).toEqual({ greeting: "hello Ada" });
  });

  // With a CLI that was built here, tests/engine/go does the same.
  testWith(
    reason(go) ?? leftOut,
    "a program that is built ahead needs no Go on PATH, also where the CLI is on PATH",
    async () => {
      if ("missing" in go) return;
      const source = jest.replaceProperty(engine(), "source", "path");
      try {
        const project = await create({
          program: path.join(__dirname, "programs/go"),
          nodeModules: "none",
          config: { "sample:who": "Ada" },
          env: go.env,
        });
        buildAhead(go, project);
        await project.up();
        expect(await project.outputs()).toEqual({ greeting: "hello Ada" });
      } finally {
        source.restore();
      }
    },
  );
});

test("reports missing tools with their reason", () => {
  for (const [name, host] of Object.entries(engine().hosts)) {
    if (host.missing === undefined) expect(fs.existsSync(host.path)).toBe(true);
    else expect(host.missing).toMatch(/\w+ \w+/);
    expect(name).toMatch(/^\w+$/);
  }
});
