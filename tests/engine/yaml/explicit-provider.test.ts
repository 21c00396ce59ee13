/** What explicit providers take from the stack's configuration (nothing), from the environment, and from their arguments. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const association = (provider: string) => ({
  type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
  properties: {
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/inspection",
    network: "projects/p/global/networks/prod",
    firewallEndpointAssociationId: "prod",
    location: "us-central1-a",
  },
  options: provider === "default" ? {} : { provider: `\${${provider}}` },
});

const PROGRAM = {
  name: "explicit",
  runtime: "yaml",
  resources: {
    bare: { type: "pulumi:providers:perimeter" },
    own: { type: "pulumi:providers:perimeter", properties: { project: "own-project", grantMode: "merge" } },
    ofDefault: association("default"),
    ofBare: association("bare"),
    ofOwn: association("own"),
    grant: {
      type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
      properties: { name: FHIR_STORE, role: "roles/healthcare.fhirResourceReader", member: "group:nurses@example.com" },
      options: { provider: "${bare}" },
    },
  },
};

let emulator: Emulator;
let project: EngineProject;
afterEach(async () => {
  await project?.dispose();
  await emulator?.stop();
});

test("the stack's configuration reaches only the default provider, the environment reaches all providers", async () => {
  emulator = await startEmulator({ seed: demoSeed });
  project = await EngineProject.create({
    // JSON is YAML too.
    program: { "Pulumi.yaml": JSON.stringify(PROGRAM) },
    path: [pluginFolder()],
    nodeModules: "none",
    config: { "perimeter:project": "stack-project", "perimeter:grantMode": "merge" },
    env: { ...emulator.env, GOOGLE_PROJECT: "environment-project" },
  });
  const planned = await project.preview();
  const projectOf = (name: string) => planned.step(name).new?.inputs?.project;
  expect([projectOf("ofDefault"), projectOf("ofBare"), projectOf("ofOwn")]).toEqual([
    "stack-project",
    "environment-project",
    "own-project",
  ]);

  // A stack that says "merge" does not expect a grant that replaces: the provider says that it does.
  expect(planned.messages("warning", "grant")).toEqual([expect.stringContaining("This replaces the access policy")]);
  expect(planned.messages("warning", "bare")).toEqual([
    expect.stringContaining("ignores perimeter:grantMode in the stack's configuration"),
  ]);
  expect(planned.messages("warning", "own")).toEqual([]);
});

test("a refresh after a new setting says to run `pulumi up` first, and an update takes the setting", async () => {
  emulator = await startEmulator({ seed: demoSeed });
  const { grant } = PROGRAM.resources;
  const program = { name: "default", runtime: "yaml", resources: { grant: { ...grant, options: {} } } };
  project = await EngineProject.create({
    program: { "Pulumi.yaml": JSON.stringify(program) },
    path: [pluginFolder()],
    nodeModules: "none",
    config: { "perimeter:project": "demo-project" },
    env: emulator.env,
  });
  await project.up();
  await project.setConfig("perimeter:grantMode", "merge");
  const warnings = async () => (await project.refresh()).messages("warning", "default");
  expect(await warnings()).toEqual([
    expect.stringMatching(/^perimeter:grantMode in the stack's configuration takes effect.* Run `pulumi up` first/),
  ]);
  await project.up();
  expect(await warnings()).toEqual([]);
});
