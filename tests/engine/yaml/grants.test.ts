/** examples/grants-yaml on the real engine: grants beside those of others, and role bindings. */
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { drifts } from "../../support/drift";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
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
  /** The bindings of a resource, before and after the `up`. */
  let before: (name: string) => unknown[];
  let after: typeof before;
  /** The `up` with its preview. */
  let made: OperationResult;

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
    if (engine().source === "build") {
      const program = path.join(project.dir, "Pulumi.yaml");
      fs.writeFileSync(program, fs.readFileSync(program, "utf8").replace(/^config:$/m, "configuration:"));
    }
    before = bindings();
    made = await project.up({ args: ["--skip-preview=false"] });
    transcript({ example: EXAMPLE }, "pulumi up", made);
    after = bindings();
  });

  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  const NAMES = [TRIGGER, GATEWAY, MIGRATION_JOB, TOPIC, BUCKET, SECRET];
  /** The current bindings of all policies. */
  const bindings = () => {
    const policies = NAMES.map((name) => {
      const policy = emulator.resource(name)?.policy as { bindings?: unknown[] } | undefined;
      return [name, policy?.bindings ?? []] as const;
    });
    return (name: string) => new Map(policies).get(name) ?? [];
  };

  test.each([
    ["gains a role on the trigger", "+ group:orders@example.com roles/eventarc.developer"],
    ["loses the role of a binding on the job", `- user:by-hand@example.com ${ADMIN}`],
    ["gains a role on the gateway", "+ group:audit@example.com roles/apigateway.viewer"],
    ["gains a role on the topic", "+ group:orders@example.com roles/pubsub.publisher"],
    ["gains the role of a binding on the secret", "+ group:database@example.com roles/secretmanager.secretAccessor"],
  ])("the preview names who %s", (_title, said) => {
    expect(made.stdout).toContain(said);
  });

  test("up creates each resource, and has the outputs of the lookups", async () => {
    // The stack counts as a resource.
    expect(made.changes).toEqual({ create: 7 });
    expect(await project.outputs()).toEqual({
      triggerPolicyEtag: expect.stringMatching(/.+/) as string,
      gatewayProject: PROJECT,
    });
  });

  const condition = { title: "until-2027", expression: 'request.time < timestamp("2027-01-01T00:00:00Z")' };
  const audit = (role: string) => ({ role, members: ["group:audit@example.com"], condition });
  test.each([
    ["a trigger", TRIGGER, { role: "roles/eventarc.developer", members: ["group:orders@example.com"] }],
    ["a gateway, with its condition", GATEWAY, audit("roles/apigateway.viewer")],
    ["a topic", TOPIC, { role: "roles/pubsub.publisher", members: ["group:orders@example.com"] }],
    ["a bucket, with its condition", BUCKET, audit("roles/storage.objectViewer")],
    [
      "a secret",
      SECRET,
      {
        role: "roles/secretmanager.secretAccessor",
        members: ["group:database@example.com", "user:grace@example.com"],
      },
    ],
  ])("up adds the grant to those of others on %s", (_title, name, grant) => {
    expect(after(name)).toEqual([...before(name), grant]);
  });

  test("up replaces the members of a role that a binding declares", () => {
    expect(before(MIGRATION_JOB)).toEqual([{ role: ADMIN, members: ["user:by-hand@example.com"] }]);
    expect(after(MIGRATION_JOB)).toEqual([
      { role: ADMIN, members: ["group:database@example.com", "user:grace@example.com"] },
    ]);
  });

  test("up --refresh finds no drift and changes nothing", async () => {
    const again = await project.up({ args: ["--refresh"] });
    expect([again.changes, drifts(again)]).toEqual([{}, {}]);
  });

  test("destroy removes these grants, and the roles of the bindings from everybody", async () => {
    await project.destroy();
    const left = bindings();
    for (const name of NAMES) expect([name, left(name)]).toEqual([name, name === MIGRATION_JOB ? [] : before(name)]);
  });
});
