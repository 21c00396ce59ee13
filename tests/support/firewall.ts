/**
 * Runs the `firewall` examples through up, preview, review, refresh and destroy on the real engine, with the same steps in every
 * language. Other suites patch parts of Pulumi to save time; these runs patch nothing. `make test` runs all steps in YAML. Of the
 * other languages it has the update: refresh and destroy run no program, and a preview runs the same as an update. Of Python it
 * has the update of the example's README (tests/engine/examples/readmes.test.ts).
 */
import * as path from "node:path";
import { reviewStack } from "../../access";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { onlyStack } from "./answers";
import { changesAmong } from "./changes";
import { drifts } from "./drift";
import { ENGINE_TIMEOUT_MS, EngineProject, repositoryRoot, type HostName, type ProjectOptions } from "./engine";
import type { OperationResult } from "./engine-events";
import { membersIn } from "./grant-texts";
import { pluginFolder, type PluginForm } from "./plugin";
import { ASSOCIATIONS, FHIR_STORE, MIGRATION_JOB, PROJECT, SECRET, TOPIC } from "./programs";
import { casesHere, testInAll } from "./test-all";

export interface Flavour {
  /** The folder below examples/, which is the project's name too. */
  example: string;
  host: HostName;
  /** Why this language cannot run here. */
  missing: string | undefined;
  /** What the language needs beside the plugin. */
  prepare(): Partial<ProjectOptions>;
  /** Changes the copied program, such as to name a binary that was built ahead. */
  adapt?(project: EngineProject): void;
  /** Outputs of its own, beside those that all languages have. */
  outputs: Record<string, unknown>;
}

const ASSOCIATION = `${ASSOCIATIONS}/prod`;

/** Outputs that the programs of all languages have. */
export const COMMON_OUTPUTS = {
  association: ASSOCIATION,
  state: "ACTIVE",
  migrationPolicyEtag: expect.stringMatching(/.+/) as string,
  recordsProject: PROJECT,
  scopeState: "READY",
  scopeNamespaceLabels: { "cost-centre": "4711" },
  ordersService: "orders",
  publishersTopic: `//pubsub.googleapis.com/${TOPIC}`,
  passwordReaders: ["group:database@example.com", "user:grace@example.com"],
};

/** Outputs that only programs in languages with list functions have. */
export const LISTED_OUTPUTS = {
  triggerRoles: ["roles/eventarc.viewer", "roles/eventarc.admin"],
  gatewayConditions: ["until-july"],
  archiveRoles: ["roles/storage.admin"],
};

/** Wrong values of the program's configuration by the resource that gets them, and what its errors must say. */
const BAD_INPUT: [string, Record<string, string>, RegExp[]][] = [
  ["migration", { migrationMember: "allUsers" }, [/^member .*user:\{emailid\}/s]],
  ["prod", { team: "The Network", zone: "us-central1" }, [/^labels\.team must be a label value/, /^location /]],
];

/**
 * Defines the tests. Each continues from the state that the one before it left. Runs that show no more of another language,
 * such as those of bad input, are YAML's alone, whose starts are the cheapest; bad input itself is tested with one form.
 *
 * @param forms the forms of the plugin that the program runs on, one after the other
 */
export function walkFirewall(flavour: Flavour, forms: readonly PluginForm[] = ["the executable"]): void {
  jest.setTimeout(ENGINE_TIMEOUT_MS);
  const title = `examples/${flavour.example}`;
  if (flavour.missing !== undefined) {
    test.skip(`${title} [skipped: ${flavour.missing}]`, () => undefined);
    return;
  }
  describe.each(forms)(`${title}, with %s`, (form) => steps(flavour, form));
}

function steps(flavour: Flavour, form: PluginForm): void {
  let emulator: Emulator;
  let project: EngineProject;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    const { path: folders = [], env, ...needs } = flavour.prepare();
    project = await EngineProject.create({
      program: path.join(repositoryRoot, "examples", flavour.example),
      config: { "perimeter:project": PROJECT },
      nodeModules: "none",
      unpatched: true,
      ...needs,
      path: [pluginFolder(form), ...folders],
      env: { ...emulator.env, ...env },
    });
    flavour.adapt?.(project);
  });

  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  /** The engine keeps what is set this way, so each setting is undone. */
  const preview = async (config: Record<string, string>, options: { fail?: "yes" } = {}): Promise<OperationResult> => {
    const settings = Object.entries(config).map(([key, value]) => [`${flavour.example}:${key}`, value] as const);
    const args = settings.flatMap(([key, value]) => ["--config", `${key}=${value}`]);
    // `up` checks the types of a TypeScript program.
    const env = { TS_NODE_TRANSPILE_ONLY: "true" };
    const result = await project.preview({ diff: true, args, env, ...options });
    for (const [key] of settings) await project.removeConfig(key);
    transcript(flavour, `pulumi preview --diff   # ${JSON.stringify(config)}`, result);
    return result;
  };

  const policyMembers = (name: string): string[] => membersIn(emulator.resource(name)?.policy);

  const inYaml = flavour.host === "yaml";
  if (inYaml && form === "the executable")
    test.each(
      casesHere(
        BAD_INPUT,
        ([name]) => name === "prod",
        ([name]) => `wrong settings of ${name}`,
      ),
    )("of %s, each wrong setting is one diagnostic with its path, at preview", async (name, bad, said) => {
      const messages = (await preview(bad, { fail: "yes" })).messages("error", name);
      const reasons = messages.map((message) => /has a problem: (.*)/s.exec(message)?.[1]?.trim());
      expect(reasons.sort()).toEqual(said.map((each) => expect.stringMatching(each) as unknown));
      // What the engine prints as the value of a property that is not among the inputs, such as a nested one.
      expect(messages.join()).not.toContain("<nil>");
      expect(changesAmong(emulator.requests())).toEqual([]);
    });

  test("up makes everything, and the outputs are those of the cloud", async () => {
    const made = await project.up();
    // The stack counts as a resource.
    expect(made.changes).toEqual({ create: 6 });
    expect(await project.outputs()).toEqual({ ...COMMON_OUTPUTS, ...flavour.outputs });
    expect(emulator.resource(ASSOCIATION)?.body).toMatchObject({ labels: { team: "network" } });
    expect(policyMembers(MIGRATION_JOB)).toEqual(["group:database@example.com"]);
    expect(policyMembers(FHIR_STORE)).toEqual(["group:nurses@example.com"]);
    expect(policyMembers(TOPIC)).toEqual(["group:support@example.com", "group:orders@example.com"]);
    expect(policyMembers(SECRET)).toEqual([
      "user:grace@example.com",
      "group:database@example.com",
      "user:grace@example.com",
    ]);
  });

  // The steps after the update.
  const testRest = inYaml ? test : testInAll;

  testRest(
    "another location replaces, another label updates, each shown property by property, and nothing else",
    async () => {
      const planned = await preview({ zone: "us-central1-b", team: "security" });
      expect(planned.changes).toEqual({ replace: 1 });
      const replacement = planned.step("prod", "replace");
      expect(replacement.keys).toEqual(["location"]);
      expect(replacement.detailedDiff).toEqual({
        location: { diffKind: "update-replace", inputDiff: true },
        firewallEndpoint: { diffKind: "update", inputDiff: true },
        "labels.team": { diffKind: "update", inputDiff: true },
      });
      expect(planned.stdout).toMatch(/~ location +: "us-central1-a" => "us-central1-b"/);
      expect(planned.stdout).toMatch(/~ team: "network" => "security"/);
    },
  );

  testRest("a review says who gains and who loses access by another setting, and that nothing is unknown", async () => {
    const member = `${flavour.example}:migrationMember`;
    const args = ["--config", `${member}=group:support@example.com`];
    const { resources, summary } = onlyStack(await reviewStack({ ...project.stackOptions, args }));
    await project.removeConfig(member);
    expect(resources.flatMap(({ changes }) => changes.map(({ change, principal }) => [change, principal]))).toEqual([
      ["lost", "group:database@example.com"],
      ["gained", "group:support@example.com"],
    ]);
    expect(summary).toMatchObject({ unknown: 0, refused: 0 });
  });

  testRest("refresh finds a label changed and a grant removed outside", async () => {
    emulator.mutate(ASSOCIATION, { patch: { labels: { team: "security" } } });
    emulator.mutate(MIGRATION_JOB, { policy: { bindings: [] } });
    const refreshed = await project.refresh({ args: ["--diff"] });
    transcript(flavour, "pulumi refresh --diff", refreshed);
    expect(refreshed.changes).toEqual({ update: 1, delete: 1 });
  });

  if (inYaml)
    test("up repairs both, and up again finds and changes nothing", async () => {
      const repaired = await project.up();
      expect(repaired.changes).toEqual({ update: 1, create: 1 });
      expect(repaired.step("prod").detailedDiff).toEqual({ "labels.team": { diffKind: "update", inputDiff: true } });
      expect(emulator.resource(ASSOCIATION)?.body).toMatchObject({ labels: { team: "network" } });
      expect(policyMembers(MIGRATION_JOB)).toEqual(["group:database@example.com"]);

      emulator.clearRequests();
      const again = await project.up({ args: ["--refresh"] });
      expect([again.changes, drifts(again)]).toEqual([{}, {}]);
      expect(changesAmong(emulator.requests())).toEqual([]);
    });

  testRest("destroy leaves nothing", async () => {
    await project.destroy();
    expect(emulator.resource(ASSOCIATION)).toBeUndefined();
    expect(policyMembers(MIGRATION_JOB)).toEqual([]);
    expect(policyMembers(FHIR_STORE)).toEqual([]);
    // In this grant mode, too, what others have on any other resource stays.
    expect(policyMembers(TOPIC)).toEqual(["group:support@example.com"]);
    expect(policyMembers(SECRET)).toEqual(["user:grace@example.com"]);
  });
}

/** With PERIMETER_TRANSCRIPTS=1, prints what the terminal of a user would show. */
export function transcript({ example }: Pick<Flavour, "example">, command: string, result: { stdout: string }): void {
  if (process.env.PERIMETER_TRANSCRIPTS) process.stderr.write(`\n[${example}] $ ${command}\n${result.stdout}\n`);
}
