/** On the real engine: settings that are set with --secret are in no state, output, message or trace in plain text. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;
const PROJECT = "canary-project-7f3a";
const TOKEN = "canary-token-9c1e";

const program = (team: string) => ({
  name: "sample",
  runtime: "yaml",
  resources: {
    link: {
      type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
      properties: {
        firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
        network: "projects/demo-project/global/networks/prod",
        location: "us-central1-a",
        firewallEndpointAssociationId: "prod",
        labels: { team },
      },
    },
  },
  variables: {
    scope: {
      "fn::invoke": {
        function: "perimeter:fleet/v1beta:getScope",
        arguments: { location: "global", scopeId: "team-a" },
      },
    },
  },
  outputs: { link: "${link.name}", scope: { "fn::secret": "${scope.name}" } },
});

describeHere(`a secret default project and access token${skipped(missing)}`, () => {
  let emulator: Emulator;
  let project: EngineProject;

  beforeEach(async () => {
    const scope = { service: "gkehub", name: `projects/${PROJECT}/locations/global/scopes/team-a` };
    emulator = await startEmulator({ seed: [...demoSeed, scope] });
    project = await EngineProject.create({
      program: { "Pulumi.yaml": JSON.stringify(program("network")) },
      env: { ...emulator.env, PERIMETER_LOG: "trace" },
      path: [pluginFolder()],
      nodeModules: "none",
    });
    const secrets = [`perimeter:project=${PROJECT}`, `perimeter:accessToken=${TOKEN}`];
    await project.run(["config", "set-all", ...secrets.flatMap((each) => ["--secret", each])]);
  });
  afterEach(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  test("do not appear anywhere, from the first preview to the destroy", async () => {
    const link = () => emulator.resources().filter((each) => each.name.endsWith("/firewallEndpointAssociations/prod"));
    const quiet = async (run: Promise<{ diagnostics: { message: string }[] }>) => {
      const { diagnostics } = await run;
      const shown = JSON.stringify([diagnostics, await project.exportState()]);
      expect(shown).not.toContain(PROJECT);
      expect(shown).not.toContain(TOKEN);
      return diagnostics;
    };
    await quiet(project.preview());
    const lines = await quiet(project.up({ args: ["--debug"] }));
    expect(JSON.stringify(lines)).toContain("/projects/[secret]/locations/");
    expect(link().map((each) => each.name)).toEqual([
      `projects/${PROJECT}/locations/us-central1-a/firewallEndpointAssociations/prod`,
    ]);
    expect(await project.outputs()).toEqual({
      link: link()[0]?.name,
      scope: `projects/${PROJECT}/locations/global/scopes/team-a`,
    });
    project.writeFiles({ "Pulumi.yaml": JSON.stringify(program("security")) });
    await quiet(project.up({ args: ["--refresh"] }));
    expect(link()[0]?.body).toMatchObject({ labels: { team: "security" } });
    await quiet(project.destroy());
    expect(link()).toEqual([]);
  });
});
