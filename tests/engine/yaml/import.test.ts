/** `pulumi import` through the plugin with each form of id that users type, and then a program that declares the result. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { transcript } from "../../support/firewall";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, FHIR_STORE, GATEWAY, MIGRATION_JOB, PROJECT, TRIGGER } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const ASSOCIATION = `${ASSOCIATIONS}/prod`;
const MEMBER = "group:database@example.com";
const ROLE = "roles/datamigration.admin";
const READER = "roles/healthcare.fhirResourceReader";
const EDITOR = "roles/healthcare.fhirResourceEditor";
const EDITORS = ["group:nurses@example.com", "user:Ada@example.com"];
const CONDITION = { title: "office-hours", expression: "request.time.getHours() < 19" };

const TYPES = {
  association: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
  migration: "perimeter:datamigration/v1beta1:MigrationJobIamMember",
  records: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
  trigger: "perimeter:eventing/v1:TriggerIamMember",
  gateway: "perimeter:apigateway/v1beta:GatewayIamMember",
  viewers: "perimeter:eventing/v1:TriggerIamBinding",
  editors: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding",
} as const;

/** What an import puts into the state and the program must say. */
const INPUTS = {
  association: {
    firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
    firewallEndpointAssociationId: "prod",
    labels: { team: "network" },
    location: "us-central1-a",
    network: `projects/${PROJECT}/global/networks/prod`,
    project: PROJECT,
  },
  migration: { name: MIGRATION_JOB, role: ROLE, member: MEMBER },
  records: { name: FHIR_STORE, role: READER, member: "group:nurses@example.com", condition: CONDITION },
  trigger: { name: TRIGGER, role: "roles/eventarc.admin", member: "user:grace@example.com" },
  gateway: { name: GATEWAY, role: "roles/apigateway.admin", member: "user:grace@example.com" },
  viewers: {
    name: TRIGGER,
    role: "roles/eventarc.viewer",
    members: ["group:platform@example.com", "user:ada@example.com"],
  },
  editors: { name: FHIR_STORE, role: EDITOR, members: EDITORS, condition: CONDITION },
};

const IDS: [keyof typeof TYPES, string, string][] = [
  ["association", "our own", ASSOCIATION],
  ["association", "the full resource name", `//networksecurity.googleapis.com/${ASSOCIATION}`],
  ["association", "its URL", `https://networksecurity.googleapis.com/v1beta1/${ASSOCIATION}`],
  ["migration", "our own, as Terraform's", `${MIGRATION_JOB}/${ROLE}/${MEMBER}`],
  ["migration", "the parts with blanks", `${MIGRATION_JOB} ${ROLE} ${MEMBER}`],
  ["migration", "the full resource name", `//datamigration.googleapis.com/${MIGRATION_JOB} ${ROLE} ${MEMBER}`],
  [
    "records",
    "our own, with its condition",
    `${FHIR_STORE}/${READER}/group:nurses@example.com/${CONDITION.title}//${CONDITION.expression}`,
  ],
  ["records", "the parts with the title", `${FHIR_STORE} ${READER} group:nurses@example.com ${CONDITION.title}`],
  ["trigger", "our own", `${TRIGGER}/roles/eventarc.admin/user:grace@example.com`],
  ["trigger", "its URL", `https://eventarc.googleapis.com/v1/${TRIGGER} roles/eventarc.admin user:grace@example.com`],
  ["viewers", "the parts with blanks", `${TRIGGER} roles/eventarc.viewer`],
  ["editors", "the parts with the title", `${FHIR_STORE} ${EDITOR} ${CONDITION.title}`],
  ["gateway", "the parts with blanks", `${GATEWAY} roles/apigateway.admin user:grace@example.com`],
];

// The inputs are what a program is generated from; tests/engine/adopt generates some.
const IMPORT = ["import", "--yes", "--skip-preview", "--generate-code=false", "--file"];

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`import${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let emulator: Emulator;
  let project: EngineProject;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    emulator.seed([
      {
        service: "networksecurity",
        name: ASSOCIATION,
        body: {
          firewallEndpoint: INPUTS.association.firewallEndpoint,
          network: INPUTS.association.network,
          labels: INPUTS.association.labels,
          state: "ACTIVE",
          createTime: "2026-01-12T09:30:00Z",
          updateTime: "2026-01-12T09:30:00Z",
        },
      },
    ]);
    emulator.mutate(MIGRATION_JOB, { policy: { bindings: [{ role: ROLE, members: [MEMBER] }] } });
    emulator.mutate(FHIR_STORE, {
      policy: {
        version: 3,
        bindings: [
          { role: READER, members: ["group:nurses@example.com"], condition: CONDITION },
          { role: EDITOR, members: EDITORS, condition: CONDITION },
          { role: EDITOR, members: ["user:always@example.com"] },
        ],
      },
    });
    project = await EngineProject.create({
      program: program({}),
      // In this mode, a binding may be beside a member grant of another role.
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
      env: emulator.env,
      path: [pluginFolder()],
      nodeModules: "none",
    });
  });

  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  const nameOf = (resource: string, form: string) => `${resource}-${form.replace(/\W+/g, "-")}`;

  describe("of a file with all resources", () => {
    beforeAll(async () => {
      const resources = IDS.map(([resource, form, id]) => ({
        type: TYPES[resource],
        name: nameOf(resource, form),
        id,
      }));
      project.writeFiles({ "import.json": JSON.stringify({ resources }) });
      const args = [...IMPORT, "import.json"];
      transcript({ example: "import" }, `pulumi ${args.join(" ")}`, await project.run(args));
    });

    test.each(IDS)("%s by %s", async (resource, form) => {
      expect((await stateOf(nameOf(resource, form)))?.inputs).toEqual(INPUTS[resource]);
    });
  });

  test("imported resources preview without a change, with the imported inputs in the program", async () => {
    const resources = Object.fromEntries(
      IDS.map(([resource, form]) => [
        nameOf(resource, form),
        { type: TYPES[resource], properties: INPUTS[resource], options: { protect: true } },
      ]),
    );
    project.writeFiles(program(resources));
    const preview = await project.preview();
    expect(preview.changes).toEqual({});
    expect(preview.messages("warning").filter((text) => !text.includes("$PATH"))).toEqual([]);
  });

  test("an id that does not exist and an invalid id give clear errors", async () => {
    const resources = [
      { type: TYPES.association, name: "absent", id: `${ASSOCIATIONS}/absent` },
      { type: TYPES.migration, name: "wrong", id: "orders-to-sql" },
    ];
    project.writeFiles({ "import.json": JSON.stringify({ resources }) });
    const { stdout, stderr } = await project.run([...IMPORT, "import.json"], { fail: "yes" });
    expect(stdout + stderr).toMatch(/\/absent\S* does not exist/);
    expect(stdout + stderr).toMatch(/orders-to-sql[^]*projects\/\{project\}/);
  });

  test("the imports sent only reads to the cloud", () => {
    expect(changesAmong(emulator.requests())).toEqual([]);
  });

  async function stateOf(name: string) {
    const { deployment } = await project.exportState();
    return deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`));
  }
});

function program(resources: Record<string, unknown>): Record<string, string> {
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources }) };
}
