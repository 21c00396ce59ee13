/** examples/grants-yaml on the real engine: grants beside those of others, and role bindings. */
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { drifts } from "../../support/drift";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { transcript } from "../../support/firewall";
import { PLUGIN_FORMS, pluginFolder } from "../../support/plugin";
import { casesHere } from "../../support/test-all";
import { BUCKET, GATEWAY, MIGRATION_JOB, PROJECT, SECRET, TOPIC, TRIGGER } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const EXAMPLE = "grants-yaml";
const ADMIN = "roles/datamigration.admin";

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

const title = `examples/${EXAMPLE}${missing === undefined ? "" : ` [skipped: ${missing}]`}`;

// The forms differ in their runtime, whose part the suites of tests/lifecycle/plugin run with each.
const FORMS = casesHere(
  PLUGIN_FORMS,
  (form) => form === "the executable",
  (form) => `${title}, with ${form}`,
);

describeHere.each(FORMS)(`${title}, with %s`, (form) => {
  let emulator: Emulator;
  let project: EngineProject;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    const byHand = { role: ADMIN, members: ["user:by-hand@example.com"] };
    emulator.mutate(MIGRATION_JOB, { policy: { bindings: [byHand] } });
    project = await EngineProject.create({
      program: path.join(repositoryRoot, "examples", EXAMPLE),
      config: { "perimeter:grantMode": "merge", [`${EXAMPLE}:project`]: PROJECT },
      env: emulator.env,
      path: [pluginFolder(form)],
      nodeModules: "none",
    });
    // The YAML host that can be built is older than the engine, and knows this block under its former name only.
    if (engine().source !== "build") return;
    const program = path.join(project.dir, "Pulumi.yaml");
    fs.writeFileSync(program, fs.readFileSync(program, "utf8").replace(/^config:$/m, "configuration:"));
  });

  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  let before: unknown[][];
  const policies = () => [TRIGGER, GATEWAY, MIGRATION_JOB, TOPIC, BUCKET, SECRET].map((name) => bindingsOf(name));
  const bindingsOf = (name: string) => {
    const policy = emulator.resource(name)?.policy as { bindings?: unknown[] } | undefined;
    return policy?.bindings ?? [];
  };

  test("the preview names who gains access, up adds the grant to the others, and up --refresh finds it", async () => {
    before = policies();
    const made = await project.up({ args: ["--skip-preview=false"] });
    transcript({ example: EXAMPLE }, "pulumi up", made);
    for (const said of [
      "+ group:orders@example.com roles/eventarc.developer",
      `- user:by-hand@example.com ${ADMIN}`,
      "+ group:audit@example.com roles/apigateway.viewer",
      "+ group:orders@example.com roles/pubsub.publisher",
      "+ group:database@example.com roles/secretmanager.secretAccessor",
    ]) {
      expect(made.stdout).toContain(said);
    }
    // The stack counts as a resource.
    expect(made.changes).toEqual({ create: 7 });
    expect(await project.outputs()).toEqual({
      triggerPolicyEtag: expect.stringMatching(/.+/) as string,
      gatewayProject: PROJECT,
    });
    const [trigger = [], gateway = [], job, topic = [], bucket = [], secret = []] = before;
    expect(job).toEqual([{ role: ADMIN, members: ["user:by-hand@example.com"] }]);
    expect(bindingsOf(MIGRATION_JOB)).toEqual([
      { role: ADMIN, members: ["group:database@example.com", "user:grace@example.com"] },
    ]);
    expect(bindingsOf(TRIGGER)).toEqual([
      ...trigger,
      { role: "roles/eventarc.developer", members: ["group:orders@example.com"] },
    ]);
    const condition = { title: "until-2027", expression: 'request.time < timestamp("2027-01-01T00:00:00Z")' };
    const audit = (role: string) => ({ role, members: ["group:audit@example.com"], condition });
    expect(bindingsOf(GATEWAY)).toEqual([...gateway, audit("roles/apigateway.viewer")]);
    expect(bindingsOf(TOPIC)).toEqual([
      ...topic,
      { role: "roles/pubsub.publisher", members: ["group:orders@example.com"] },
    ]);
    expect(bindingsOf(BUCKET)).toEqual([...bucket, audit("roles/storage.objectViewer")]);
    expect(bindingsOf(SECRET)).toEqual([
      ...secret,
      {
        role: "roles/secretmanager.secretAccessor",
        members: ["group:database@example.com", "user:grace@example.com"],
      },
    ]);
    const again = await project.up({ args: ["--refresh"] });
    expect([again.changes, drifts(again)]).toEqual([{}, {}]);
  });

  test("destroy removes these grants, and the roles of the bindings from everybody", async () => {
    await project.destroy();
    expect(policies()).toEqual([...before.slice(0, 2), [], ...before.slice(3)]);
  });
});
