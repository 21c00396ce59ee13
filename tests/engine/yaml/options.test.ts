/** The options that every Pulumi resource has, explicit and default providers, and secrets, through the plugin. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import type { StackState } from "../../support/state";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, FHIR_STORE, MIGRATION_JOB, PROJECT } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

interface Resource {
  type: string;
  properties?: Record<string, unknown>;
  options?: Record<string, unknown>;
}

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;
const CANARY = "canary-7f3a9c";

let emulator: Emulator;
let project: EngineProject;

async function start(
  resources: Record<string, Resource>,
  options: { config?: Record<string, string>; env?: Record<string, string> } = {},
) {
  emulator = await startEmulator({ seed: demoSeed });
  project = await EngineProject.create({
    program: program(resources),
    config: options.config ?? { "perimeter:project": PROJECT },
    env: { ...emulator.env, ...options.env },
    path: [pluginFolder()],
    nodeModules: "none",
  });
}

afterEach(async () => {
  await project?.dispose();
  await emulator?.stop();
});

/** JSON is YAML too. */
function program(resources: Record<string, Resource>, more: Record<string, unknown> = {}): Record<string, string> {
  return { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources, ...more }) };
}

function association(properties: Record<string, unknown> = {}, options?: Record<string, unknown>): Resource {
  return {
    type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
    properties: {
      firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
      network: `projects/${PROJECT}/global/networks/prod`,
      location: "us-central1-a",
      firewallEndpointAssociationId: "prod",
      labels: { team: "network" },
      ...properties,
    },
    ...(options ? { options } : {}),
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

function mutations(): string[] {
  const made = emulator.requests().filter(({ method }) => method !== "GET");
  emulator.clearRequests();
  return made.map(({ method, path }) => `${method} ${decodeURIComponent(path).replace(/^\/v[^/]+\//, "")}`);
}

function has(state: StackState, name: string): boolean {
  return (state.deployment.resources ?? []).some(({ urn }) => urn.endsWith(`::${name}`));
}

describeHere(`plugin${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  test("ignoreChanges, replaceOnChanges, protect and retainOnDelete", async () => {
    await start({ prod: association() });
    await project.up();
    mutations();

    project.writeFiles(
      program({ prod: association({ labels: { team: "security" } }, { ignoreChanges: ["labels.team"] }) }),
    );
    expect((await project.preview()).changes).toEqual({});
    project.writeFiles(
      program({ prod: association({ labels: { team: "security" } }, { replaceOnChanges: ["labels"] }) }),
    );
    const forced = await project.preview();
    expect(forced.changes).toEqual({ replace: 1 });
    expect(forced.step("prod", "replace").keys).toEqual(["labels"]);

    project.writeFiles(program({ prod: association({}, { protect: true }) }));
    await project.up();
    project.writeFiles(program({}));
    const refused = await project.up({ fail: "yes" });
    expect(refused.messages("error", "prod").join("\n")).toMatch(/cannot be deleted[^]*protect/);
    expect(mutations()).toEqual([]);

    project.writeFiles(program({ prod: association({}, { retainOnDelete: true }) }));
    await project.up();
    await project.destroy();
    expect(mutations()).toEqual([]);
    expect(emulator.resource(`${ASSOCIATIONS}/prod`)).toBeDefined();
  });

  test("deletedWith leaves the deletion to the other; deleteBeforeReplace deletes first", async () => {
    await start({ prod: association(), access: grant({}, { deletedWith: "${prod}" }) });
    await project.up();
    mutations();

    project.writeFiles(
      program({
        prod: association({ firewallEndpointAssociationId: "stage" }),
        access: grant({}, { deletedWith: "${prod}" }),
      }),
    );
    const replaced = await project.up();
    expect(replaced.changes).toMatchObject({ replace: 1 });
    // The API takes one association for a network in a zone, so the old one has to go first.
    expect(mutations()).toEqual([`DELETE ${ASSOCIATIONS}/prod`, `POST ${ASSOCIATIONS}`]);

    await project.destroy();
    expect(mutations()).toEqual([`DELETE ${ASSOCIATIONS}/stage`]);
  });

  test("customTimeouts are how long an operation is waited for; what is not ready stays in the state", async () => {
    await start({ prod: association({}, { customTimeouts: { create: "1s" } }) });
    // Longer than the engine may run.
    emulator.configure({ operationMs: 30 * 60_000 });
    const late = await project.up({ fail: "yes" });
    expect(late.messages("error", "prod").join("\n")).toMatch(
      /Operation \S+ \(create\) goes on in the cloud; the next pulumi up/,
    );
    expect(has(await project.exportState(), "prod")).toBe(true);

    emulator.advance(30 * 60_000);
    project.writeFiles(program({ prod: association() }));
    await project.up();
    expect(mutations()).toEqual([`POST ${ASSOCIATIONS}`]);
  });

  test("an explicit provider and the default one, each with its project; the environment stays out of the state", async () => {
    await start(
      {
        other: { type: "pulumi:providers:perimeter", properties: { project: "other-project", zone: "us-central1-b" } },
        // The location of this one is the provider's zone.
        there: association(
          { location: undefined, firewallEndpoint: "organizations/1/locations/us-central1-b/firewallEndpoints/x" },
          { provider: "${other}" },
        ),
        here: association(),
      },
      { env: { GOOGLE_OAUTH_ACCESS_TOKEN: CANARY } },
    );
    await project.up();
    expect(emulator.resource(`${ASSOCIATIONS}/prod`)).toBeDefined();
    expect(
      emulator.resource("projects/other-project/locations/us-central1-b/firewallEndpointAssociations/prod"),
    ).toBeDefined();
    expect(JSON.stringify(await project.exportState({ showSecrets: true }))).not.toContain(CANARY);
    expect((await project.preview()).changes).toEqual({});

    const wrong = program({
      other: { type: "pulumi:providers:perimeter", properties: { grantMode: "add" } },
    });
    project.writeFiles(wrong);
    const refused = await project.preview({ fail: "yes" });
    expect(refused.messages("error").join("\n")).toMatch(/grantMode must be one of replace, merge/);
  });

  test("secrets are in the state encrypted, in outputs that show them too, and in no message", async () => {
    await start(
      { access: grant({ member: { "fn::secret": `group:${CANARY}@example.com` } }) },
      { config: { "perimeter:project": PROJECT } },
    );
    await project.setConfig("perimeter:accessToken", `${CANARY}-token`, { secret: true });
    const others = emulator.resource(FHIR_STORE)?.policy;
    expect(others?.bindings).not.toEqual([]);
    const made = await project.up();
    const plain = JSON.stringify(await project.exportState()) + made.stdout + made.stderr + JSON.stringify(made.events);
    expect(plain).not.toContain(CANARY);
    expect(JSON.stringify(emulator.resource(MIGRATION_JOB)?.policy)).toContain(`group:${CANARY}@example.com`);
    expect((await project.refresh()).changes).toEqual({});

    project.writeFiles(program({ access: grant({ member: { "fn::secret": `nobody:${CANARY}` } }) }));
    const refused = await project.preview({ fail: "yes" });
    expect(refused.messages("error", "access").join("\n")).toMatch(/has a problem: member must /);
    expect(refused.stdout + refused.stderr).not.toContain(CANARY);
    // The grant is known by an id that does not show the member, and can be taken back all the same.
    project.writeFiles(program({}));
    await project.up();
    expect(emulator.resource(MIGRATION_JOB)?.policy?.bindings ?? []).toEqual([]);
    // Nobody else's policy was touched.
    expect(emulator.resource(FHIR_STORE)?.policy).toEqual(others);
  });
});
