/** Grants made by hand, taken over with the file of `perimeter access --adopt`: the next preview changes nothing. */
import { createRequire } from "node:module";
import * as fs from "node:fs";
import * as path from "node:path";
import type { ImportFile } from "../../../access";
import { run } from "../../../cli/program";
import { demoSeed, parseText, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, FHIR_STORE, PROJECT, TRIGGER } from "../../support/programs";
import { ASSOCIATION, STORE_GRANT } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const READER = "roles/healthcare.fhirResourceReader";
const ADMIN = "roles/healthcare.fhirStoreAdmin";
const CONDITION = { title: "office hours", description: "by/day", expression: "request.time.getHours() < 19" };
const HAND = "user:hand@example.com";

const RESOURCES = {
  cloud: { type: "pulumi:providers:perimeter", properties: { project: PROJECT, grantMode: "merge" } },
  nurses: { type: STORE_GRANT, properties: { name: FHIR_STORE, role: READER, member: "group:nurses@example.com" } },
  viewer: {
    type: "perimeter:eventing/v1:TriggerIamMember",
    properties: { name: TRIGGER, role: "roles/eventarc.viewer", member: "user:zoe@example.com" },
    options: { provider: "${cloud}" },
  },
};

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`adoption${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let emulator: Emulator;
  let project: EngineProject;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    project = await EngineProject.create({
      program: program(RESOURCES),
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
      env: emulator.env,
      path: [pluginFolder()],
      nodeModules: "none",
    });
    await project.up();
    emulator.mutate(FHIR_STORE, {
      policy: {
        version: 3,
        bindings: [
          { role: READER, members: ["group:nurses@example.com", HAND] },
          { role: READER, members: [HAND], condition: CONDITION },
          { role: ADMIN, members: ["allAuthenticatedUsers", "deleted:user:gone@example.com?uid=1", HAND] },
        ],
      },
    });
    const link = { network: `projects/${PROJECT}/global/networks/prod`, state: "ACTIVE" };
    const firewallEndpoint = "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection";
    emulator.seed([
      { service: "networksecurity", name: `${ASSOCIATIONS}/by-hand`, body: { ...link, firewallEndpoint } },
    ]);
  });

  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  test("chooses by principal, role or resource, and writes no file where nothing is left", async () => {
    const { code, stderr } = await perimeter(["--only", "user:nobody@*", "--only", "projects/other/*"]);
    expect(code).toBe(0);
    expect(stderr).toBe("adopt.json is not written: there is nothing to adopt\n");
    await perimeter(["--only", "user:HAND@*", "--only", "roles/eventarc.admin"]);
    expect(written().resources.map(({ name }) => name)).toEqual([
      "records-fhirResourceReader-hand-example-com",
      "records-fhirResourceReader-hand-example-com-office-hours",
      "records-fhirStoreAdmin-hand-example-com",
      "orders-admin-grace-example-com",
    ]);
  });

  test("says in one line why the options are wrong or the associations cannot be listed", async () => {
    expect(await perimeter(["--associations", "us-central1-a"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: [^\n]*projects\/\{project\}\/locations\/\{location\}[^\n]*\n$/) as string,
    });
    emulator.configure({ deny: ["networksecurity.firewallEndpointAssociations.list"] });
    const denied = await perimeter(["--associations", LOCATION]);
    emulator.configure({ deny: [] });
    expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining("PERMISSION_DENIED") as string });
  });

  test("imports grants and associations, and the next preview changes nothing; a seed rehearses the same", async () => {
    const { code, stderr } = await perimeter(["--associations", LOCATION]);
    expect(code).toBe(0);
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(
        /^warning: allAuthenticatedUsers roles\/healthcare\.fhirStoreAdmin on .* is left out: member/,
      ),
      expect.stringMatching(
        /^warning: deleted:user:gone@example\.com.* is left out: member must be an identity that exists/,
      ),
      "adopt.json has 7 resources to adopt: pulumi import --file adopt.json",
    ]);
    const { resources, nameTable } = written();
    expect(nameTable).toEqual({ cloud: expect.stringMatching(/::pulumi:providers:perimeter::cloud$/) as string });
    expect(resources.map(({ name, provider }) => [name, provider])).toEqual([
      ["records-fhirResourceReader-hand-example-com", undefined],
      ["records-fhirResourceReader-hand-example-com-office-hours", undefined],
      ["records-fhirStoreAdmin-hand-example-com", undefined],
      ["orders-viewer-platform-example-com", "cloud"],
      ["orders-viewer-ada-example-com", "cloud"],
      ["orders-admin-grace-example-com", "cloud"],
      ["by-hand", undefined],
    ]);

    const before = emulator.requests().length;
    await project.run(["import", "--yes", "--skip-preview", "--generate-code=false", "--file", "adopt.json"]);
    const { deployment } = await project.exportState();
    const adopted = resources.map(({ type, name, provider }) => {
      const { inputs } = deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`)) ?? {};
      const options = { protect: true, ...(provider === undefined ? {} : { provider: `\${${provider}}` }) };
      return [name, { type, properties: inputs, options }];
    });
    expect(adopted.find(([name]) => name === "by-hand")).toMatchObject(["by-hand", { type: ASSOCIATION }]);
    project.writeFiles(program({ ...RESOURCES, ...Object.fromEntries(adopted) }));
    expect((await project.preview()).changes).toEqual({});
    expect((await project.up()).changes).toEqual({});
    const sent = emulator.requests().slice(before);
    expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);

    const seeded = await perimeter(["--seed", "prod.yaml"]);
    expect(seeded.stderr).toMatch(/^prod\.yaml has \d+ resources: npx pulumi-perimeter emulator --seed prod\.yaml$/m);
    const file = path.join(project.dir, "prod.yaml");
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const copy = await startEmulator({ seed: parseText("prod.yaml", fs.readFileSync(file, "utf8")) });
    try {
      expect(copy.resource(FHIR_STORE)?.policy).toEqual(emulator.resource(FHIR_STORE)?.policy);
      expect((await project.preview({ refresh: true, env: copy.env })).changes).toEqual({});
    } finally {
      await copy.stop();
    }

    const again = await perimeter(["--associations", LOCATION]);
    expect(again.stderr).toContain("adopt.json is not written: there is nothing to adopt");
  });

  const LOCATION = `projects/${PROJECT}/locations/us-central1-a`;

  const written = () => JSON.parse(fs.readFileSync(path.join(project.dir, "adopt.json"), "utf8")) as ImportFile;

  /** `perimeter access --stack test --adopt adopt.json` with more arguments. */
  async function perimeter(more: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const text = { stdout: "", stderr: "" };
    const before = process.cwd();
    process.chdir(project.dir);
    try {
      const code = await run(
        ["node", "perimeter", "access", "--stack", "test", "--adopt", "adopt.json", "--no-inherited", ...more],
        {
          load: createRequire(path.join(repositoryRoot, "cli/main.ts")),
          write: (chunk) => (text.stdout += chunk),
          writeError: (chunk) => (text.stderr += chunk),
          screen: {},
          environment: project.env,
        },
      );
      return { code, ...text };
    } finally {
      process.chdir(before);
    }
  }
});

function program(resources: Record<string, unknown>): Record<string, string> {
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources }) };
}
