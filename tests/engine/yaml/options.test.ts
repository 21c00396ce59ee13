/** The options that every Pulumi resource has, explicit and default providers, and secrets, through the plugin. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { drifts } from "../../support/drift";
import { ENGINE_TIMEOUT_MS, engineIsAtLeast, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, FHIR_STORE, MIGRATION_JOB, PROJECT } from "../../support/programs";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

interface Resource {
  type: string;
  properties?: Record<string, unknown>;
  options?: Record<string, unknown>;
}

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;
const CANARY = "canary-7f3a9c";
const OTHER_JOB = `${MIGRATION_JOB}-too`;
const TOKEN = "canary-token";

let emulator: Emulator;
let project: EngineProject;
let others: unknown;

beforeAll(async () => {
  emulator = await startEmulator({ seed: [...demoSeed, { service: "datamigration", name: OTHER_JOB }] });
  others = emulator.resource(FHIR_STORE)?.policy;
  project = await EngineProject.create({
    program: program({}),
    config: { "perimeter:project": PROJECT },
    env: { ...emulator.env, GOOGLE_OAUTH_ACCESS_TOKEN: TOKEN },
    path: [pluginFolder()],
    nodeModules: "none",
  });
});
afterAll(async () => {
  await project?.dispose();
  await emulator?.stop();
});

/** JSON is YAML too. */
function program(resources: Record<string, Resource>): Record<string, string> {
  return { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources }) };
}

/** Each on a network of its own: the API takes one association for a network in a zone. */
function association(id: string, { options, ...properties }: Record<string, unknown> = {}): Resource {
  return {
    type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
    properties: {
      firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
      network: `projects/${PROJECT}/global/networks/${id.replace(/-.*/, "")}`,
      location: "us-central1-a",
      firewallEndpointAssociationId: id,
      labels: { team: "network" },
      ...properties,
    },
    ...(options ? { options: options as Resource["options"] } : {}),
  };
}

function grant(properties: Record<string, unknown> = {}, options?: Record<string, unknown>): Resource {
  return {
    type: "perimeter:datamigration/v1beta1:MigrationJobIamMember",
    properties: {
      name: MIGRATION_JOB,
      role: "roles/datamigration.admin",
      member: "group:database@example.com",
      ...properties,
    },
    ...(options ? { options } : {}),
  };
}

/** The changes that the cloud was asked for since the last time. */
function mutations(): string[] {
  const made = changesAmong(emulator.requests());
  emulator.clearRequests();
  return made.map(({ method, path }) => `${method} ${decodeURIComponent(path).replace(/^\/v[^/]+\//, "")}`);
}

async function stateOf(name: string) {
  const { deployment } = await project.exportState();
  return deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`));
}

const secretGrant = grant({ member: { "fn::secret": `group:${CANARY}@example.com` } });

/** What the program declares from the first `up` that does not fail. */
const DECLARED = {
  late: association("late"),
  secret: secretGrant,
  ignoring: association("ignoring"),
  forcing: association("forcing"),
  protected: association("protected", { options: { protect: true } }),
  retained: association("retained", { options: { retainOnDelete: true } }),
  first: association("first"),
  access: grant({ name: OTHER_JOB }, { deletedWith: "${first}" }),
  other: { type: "pulumi:providers:perimeter", properties: { project: "other-project", zone: "us-central1-b" } },
  // The location of this one is the provider's zone.
  there: association("there", {
    location: undefined,
    firewallEndpoint: "organizations/1/locations/us-central1-b/firewallEndpoints/x",
    options: { provider: "${other}" },
  }),
};

// Each continues from the state that the one before it left.
describeHere(`plugin${skipped(missing)}`, () => {
  test("customTimeouts limit the wait for an operation; a resource that is not ready stays in the state", async () => {
    project.writeFiles(program({ late: association("late", { options: { customTimeouts: { create: "1s" } } }) }));
    // Longer than the engine may run.
    emulator.configure({ operationMs: 30 * 60_000 });
    const late = await project.up({ fail: "yes" });
    expect(late.messages("error", "late").join("\n")).toMatch(
      /Operation \S+ \(create\) continues in the cloud; the next pulumi up/,
    );
    expect(await stateOf("late")).toBeDefined();
    expect(mutations()).toEqual([`POST ${ASSOCIATIONS}`]);
    emulator.advance(30 * 60_000);
    emulator.configure({ operationMs: 0 });
  });

  test("the problem of a secret is reported without its value", async () => {
    const { late } = DECLARED;
    project.writeFiles(program({ late, secret: grant({ member: { "fn::secret": `nobody:${CANARY}` } }) }));
    const refused = await project.preview({ fail: "yes" });
    expect(refused.messages("error", "secret").join("\n")).toMatch(/has a problem: member must /);
    expect(refused.stdout + refused.stderr).not.toContain(CANARY);
  });

  test("a wrong setting of an explicit provider is refused", async () => {
    project.writeFiles(program({ other: { type: "pulumi:providers:perimeter", properties: { grantMode: "add" } } }));
    const refused = await project.preview({ fail: "yes" });
    expect(refused.messages("error").join("\n")).toMatch(/grantMode must be one of replace, merge/);
  });

  test("an explicit provider and the default provider use their own projects; a late create is not repeated", async () => {
    project.writeFiles(program(DECLARED));
    const made = await project.up();
    const names = emulator.resources().map(({ name }) => name);
    for (const id of ["late", "first", "ignoring"]) expect(names).toContain(`${ASSOCIATIONS}/${id}`);
    expect(names).toContain("projects/other-project/locations/us-central1-b/firewallEndpointAssociations/there");
    // All but the late one.
    expect(mutations().filter((each) => each === `POST ${ASSOCIATIONS}`)).toHaveLength(5);

    // Secrets are in the state encrypted, and in no message.
    const plain = JSON.stringify(await project.exportState()) + made.stdout + made.stderr + JSON.stringify(made.events);
    expect(plain).not.toContain(CANARY);
    expect(JSON.stringify(emulator.resource(MIGRATION_JOB)?.policy)).toContain(`group:${CANARY}@example.com`);
    // The environment is not in the state at all.
    expect(JSON.stringify(await project.exportState({ showSecrets: true }))).not.toContain(TOKEN);
  });

  test("a refresh finds no change; ignoreChanges ignores a change, replaceOnChanges replaces for it, and no other change is planned", async () => {
    const labels = { team: "security" };
    project.writeFiles(
      program({
        ...DECLARED,
        ignoring: association("ignoring", { labels, options: { ignoreChanges: ["labels.team"] } }),
        forcing: association("forcing", { labels, options: { replaceOnChanges: ["labels"] } }),
      }),
    );
    const planned = await project.preview({ refresh: true });
    expect([planned.changes, drifts(planned)]).toEqual([{ replace: 1 }, {}]);
    expect(planned.step("forcing", "replace").keys).toEqual(["labels"]);
  });

  test("protect prevents a delete", async () => {
    const { protected: _, ...rest } = DECLARED;
    project.writeFiles(program(rest));
    const refused = await project.up({ fail: "yes" });
    expect(refused.messages("error", "protected").join("\n")).toMatch(/cannot be deleted[^]*protect/);
    expect(mutations()).toEqual([]);
  });

  const older = engineIsAtLeast("3.274.0") ? undefined : "it needs Pulumi 3.274 or newer";
  (older === undefined ? test : test.skip)(
    `--ignore-protect deletes a protected resource once, and --override-env changes nothing in a stack without environments${skipped(older)}`,
    async () => {
      const kept = association("kept", { options: { protect: true } });
      project.writeFiles(program({ ...DECLARED, kept }));
      await project.up();
      expect(mutations()).toEqual([`POST ${ASSOCIATIONS}`]);

      project.writeFiles(program(DECLARED));
      const args = ["--ignore-protect", "--override-env", "team/dev=team/other"];
      expect((await project.preview({ args })).changes).toEqual({ delete: 1 });
      expect((await project.up({ args })).changes).toEqual({ delete: 1 });
      expect(mutations()).toEqual([`DELETE ${ASSOCIATIONS}/kept`]);
    },
  );

  test("deleteBeforeReplace deletes first, and the id of a deleted grant does not show its secret", async () => {
    const { secret: _, ...rest } = DECLARED;
    project.writeFiles(
      program({
        ...rest,
        protected: association("protected", { options: { retainOnDelete: true } }),
        // On the same network.
        first: association("first-again"),
      }),
    );
    const made = await project.up();
    expect(made.changes).toMatchObject({ delete: 1 });
    const replaced = new Set(made.steps.filter(({ op }) => op === "replace").map(({ name }) => name));
    // Engines of today also replace what is deleted with a resource that is replaced. Its grant is there: nothing is written.
    expect([["first"], ["access", "first"]]).toContainEqual([...replaced].sort());
    const mutated = mutations();
    expect(mutated.filter((each) => each.includes(ASSOCIATIONS))).toEqual([
      `DELETE ${ASSOCIATIONS}/first`,
      `POST ${ASSOCIATIONS}`,
    ]);
    expect(mutated.filter((each) => each.includes("IamPolicy"))).toEqual([`POST ${MIGRATION_JOB}:setIamPolicy`]);
    expect(emulator.resource(MIGRATION_JOB)?.policy?.bindings ?? []).toEqual([]);
  });

  test("retainOnDelete keeps an undeclared resource; deletedWith leaves the deletion to the other resource", async () => {
    const granted = emulator.resource(OTHER_JOB)?.policy;
    await project.destroy();
    const gone = ["late", "ignoring", "forcing", "first-again"].map((id) => `DELETE ${ASSOCIATIONS}/${id}`);
    const there = "DELETE projects/other-project/locations/us-central1-b/firewallEndpointAssociations/there";
    expect(mutations().sort()).toEqual([...gone, there].sort());
    for (const id of ["protected", "retained"]) expect(emulator.resource(`${ASSOCIATIONS}/${id}`)).toBeDefined();
    expect(emulator.resource(OTHER_JOB)?.policy).toEqual(granted);
    // Nobody else's policy was touched.
    expect(emulator.resource(FHIR_STORE)?.policy).toEqual(others);
  });
});
