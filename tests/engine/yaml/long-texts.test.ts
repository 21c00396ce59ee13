/** What an engine gets of an API's text that is longer than gRPC's trailers, and of a large resource that is not ready. */
import { startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder, PLUGIN_FORMS } from "../../support/plugin";
import { casesHere } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const ID = "projects/p/locations/us-central1-a/firewallEndpointAssociations/prod";
const labels = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`label-${at}`, "v".repeat(63)]));
const PROGRAM = {
  name: "long-texts",
  runtime: "yaml",
  resources: {
    link: {
      type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
      properties: {
        firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
        network: "projects/p/global/networks/n",
        firewallEndpointAssociationId: "prod",
        location: "us-central1-a",
        labels,
      },
    },
  },
};

let emulator: Emulator;
let project: EngineProject;
afterEach(async () => {
  await project?.dispose();
  await emulator?.stop();
});

const yaml = missingHost("yaml");
const testHere = yaml === undefined ? test : test.skip;
const reason = yaml === undefined ? "" : ` [skipped: ${yaml}]`;
// tests/lifecycle/plugin/long-texts.test.ts sends them with each form.
const FORMS = casesHere(PLUGIN_FORMS, (form) => form === "the executable");
testHere.each(FORMS)(
  `the engine prints a long error, and keeps what was created, with the plugin as %s${reason}`,
  async (form) => {
    emulator = await startEmulator();
    project = await EngineProject.create({
      program: { "Pulumi.yaml": JSON.stringify(PROGRAM) },
      path: [pluginFolder(form)],
      nodeModules: "none",
      config: { "perimeter:project": "p" },
      env: emulator.env,
    });
    const error = { code: 403, status: "PERMISSION_DENIED", message: `It begins. ${"no ".repeat(40_000)}` };
    const refusal = { status: 403, body: { error } };
    emulator.setFaults([{ match: { method: "POST" }, times: 0, fault: refusal }]);
    const refused = await project.up({ fail: "yes" });
    expect(refused.messages("error").join("\n")).toMatch(
      /PERMISSION_DENIED: It begins\. no .*\[cut here: the text is too long for a message\]/s,
    );

    const operation = "projects/p/locations/us-central1-a/operations/operation-1";
    emulator.setFaults([
      { match: { method: "POST" }, times: 0, fault: { status: 200, body: { name: operation, done: false } } },
      { match: { method: "GET" }, times: 0, fault: refusal },
    ]);
    const unfinished = await project.up({ fail: "yes" });
    expect(unfinished.messages("error").join("\n")).toMatch(/\[cut here.*continues in the cloud/s);
    const kept = (await project.exportState()).deployment?.resources?.find((each) => each.id === ID);
    expect(kept?.inputs?.labels).toEqual(labels);
    expect(kept?.outputs).toMatchObject({ __pending: { verb: "create" } });
  },
);
