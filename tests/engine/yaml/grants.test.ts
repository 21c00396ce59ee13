/** examples/grants-yaml on the real engine: grants on a trigger and a gateway beside those of others, and a role binding. */
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { drifts } from "../../support/drift";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { transcript } from "../../support/firewall";
import { PLUGIN_FORMS, pluginFolder } from "../../support/plugin";
import { casesHere } from "../../support/test-all";
import { GATEWAY, MIGRATION_JOB, PROJECT, TRIGGER } from "../../support/programs";

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

  const policies = () => [TRIGGER, GATEWAY, MIGRATION_JOB].map((name) => bindingsOf(name));
  const bindingsOf = (name: string) => {
    const policy = emulator.resource(name)?.policy as { bindings?: unknown[] } | undefined;
    return policy?.bindings ?? [];
  };

  test("preview names who gains access, up adds the grant to the others, and up --refresh finds it", async () => {
    const before = policies();
    const preview = await project.preview();
    transcript({ example: EXAMPLE }, "pulumi preview", preview);
    const said = preview.messages("info").join("\n");
    expect(said).toContain("+ group:orders@example.com roles/eventarc.developer");
    expect(preview.messages("warning").join("\n")).toContain(`- user:by-hand@example.com ${ADMIN}`);
    expect(said).toContain("+ group:audit@example.com roles/apigateway.viewer");
    expect(policies()).toEqual(before);

    const made = await project.up();
    // The stack counts as a resource.
    expect(made.changes).toEqual({ create: 4 });
    expect(await project.outputs()).toEqual({
      triggerPolicyEtag: expect.stringMatching(/.+/) as string,
      gatewayProject: PROJECT,
    });
    const [trigger = [], gateway = [], job] = before;
    expect(job).toEqual([{ role: ADMIN, members: ["user:by-hand@example.com"] }]);
    expect(bindingsOf(MIGRATION_JOB)).toEqual([
      { role: ADMIN, members: ["group:database@example.com", "user:grace@example.com"] },
    ]);
    expect(bindingsOf(TRIGGER)).toEqual([
      ...trigger,
      { role: "roles/eventarc.developer", members: ["group:orders@example.com"] },
    ]);
    expect(bindingsOf(GATEWAY)).toEqual([
      ...gateway,
      {
        role: "roles/apigateway.viewer",
        members: ["group:audit@example.com"],
        condition: { title: "until-2027", expression: 'request.time < timestamp("2027-01-01T00:00:00Z")' },
      },
    ]);
    const again = await project.up({ args: ["--refresh"] });
    expect([again.changes, drifts(again)]).toEqual([{}, {}]);
  });

  test("destroy removes these grants, and the role of the binding from everybody", async () => {
    await project.destroy();
    const seeded = [TRIGGER, GATEWAY].map((name) => demoSeed.find((each) => each.name === name)?.policy);
    expect(policies()).toEqual([...seeded.map((policy) => (policy as { bindings: unknown[] }).bindings), []]);
  });
});
