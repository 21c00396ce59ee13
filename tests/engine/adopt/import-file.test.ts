/** What `perimeter access --adopt` writes for `pulumi import`: what is chosen, named, left out, and refused. */
import * as fs from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import type { ImportFile } from "../../../access";
import { demoSeed, parseText, startEmulator, type Emulator } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { runCommand } from "../../support/command";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, programGenerators } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { pluginFolder } from "../../support/plugin";
import {
  association,
  ASSOCIATIONS,
  declaring,
  FHIR_STORE,
  fhirGrant,
  GATEWAY,
  JAVASCRIPT,
  PROJECT,
  storeOf,
  TRIGGER,
} from "../../support/programs";
import { testInAll } from "../../support/test-all";
import { STORE_GRANT } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const READER = "roles/healthcare.fhirResourceReader";
const ADMIN = "roles/healthcare.fhirStoreAdmin";
const HAND = "user:hand@example.com";
const LOCATION = `projects/${PROJECT}/locations/us-central1-a`;
const SEVEN = storeOf("7-days");

const RESOURCES = {
  cloud: { type: "pulumi:providers:perimeter", properties: { project: PROJECT, grantMode: "merge" } },
  nurses: { type: STORE_GRANT, properties: { name: FHIR_STORE, role: READER, member: "group:nurses@example.com" } },
  seven: { type: STORE_GRANT, properties: { name: SEVEN, role: READER, member: "group:nurses@example.com" } },
  // Named as the unmanaged grant of another member would be.
  "records-fhirResourceReader-taken-example-com": {
    type: STORE_GRANT,
    properties: { name: FHIR_STORE, role: READER, member: "group:taken@example.com" },
  },
  viewer: {
    type: "perimeter:eventing/v1:TriggerIamMember",
    properties: { name: TRIGGER, role: "roles/eventarc.viewer", member: "user:zoe@example.com" },
    options: { provider: "${cloud}" },
  },
  edge: {
    type: "perimeter:apigateway/v1beta:GatewayIamMember",
    properties: { name: GATEWAY, role: "roles/apigateway.viewer", member: "group:edge@example.com" },
    // Of the default provider of this version, as all grants without a provider of their own.
    options: { version: "0.1.0" },
  },
};

const link = {
  network: `projects/${PROJECT}/global/networks/prod`,
  firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
  state: "ACTIVE",
};
const associationsOf = (...ids: string[]) =>
  ids.map((id) => ({ service: "networksecurity", name: `${ASSOCIATIONS}/${id}`, body: link }));

const program = (resources: object): Record<string, string> => ({
  // JSON is YAML too.
  "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources }),
});

const adoptIn = (project: EngineProject, ...more: string[]) =>
  runCommand(["access", "--stack", project.stack, "--adopt", "adopt.json", "--no-inherited", ...more], {
    cwd: project.dir,
    env: project.env,
  });

const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(
  `an import file${missing === undefined ? "" : ` [skipped: ${missing}]`}`,
  () => {
    let emulator: Emulator;
    let project: EngineProject;

    beforeAll(async () => {
      emulator = await startEmulator({ seed: demoSeed });
      emulator.seed([{ service: "healthcare", name: SEVEN, body: {} }]);
      project = await EngineProject.create({
        program: program(RESOURCES),
        config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
        env: emulator.env,
        path: [pluginFolder()],
        nodeModules: "none",
      });
      await project.up();
      const nurses = "group:nurses@example.com";
      emulator.mutate(FHIR_STORE, {
        policy: {
          bindings: [
            {
              role: READER,
              members: [
                nurses,
                "group:taken@example.com",
                "user:a-b@example.com",
                "user:a.b@example.com",
                "user:taken@example.com",
              ],
            },
            { role: ADMIN, members: ["allAuthenticatedUsers", "deleted:user:gone@example.com?uid=1", HAND] },
          ],
        },
      });
      emulator.mutate(SEVEN, { policy: { bindings: [{ role: READER, members: [nurses, HAND] }] } });
      emulator.seed(associationsOf("by-hand"));
    });

    afterAll(async () => {
      await project?.dispose();
      await emulator?.stop();
    });

    const adopt = (...more: string[]) => adoptIn(project, ...more);
    const written = () => JSON.parse(fs.readFileSync(path.join(project.dir, "adopt.json"), "utf8")) as ImportFile;

    test("has what is chosen by principal, role or resource, and is not written where nothing is left", async () => {
      const { code, stderr } = await adopt("--only", "user:nobody@*", "--only", "projects/other/*");
      expect([code, stderr]).toEqual([0, "adopt.json is not written: there is nothing to adopt\n"]);
      expect(fs.existsSync(path.join(project.dir, "adopt.json"))).toBe(false);
      await adopt("--only", "user:HAND@*", "--only", "roles/eventarc.admin");
      expect(written().resources.map(({ name }) => name)).toEqual([
        "fhirStore-7-days-fhirResourceReader-hand-example-com",
        "records-fhirStoreAdmin-hand-example-com",
        "orders-admin-grace-example-com",
      ]);
    });

    test("has the associations of all pages of a location", async () => {
      const ids = Array.from({ length: 1000 }, (_, index) => `n${index}`);
      const copy = await startEmulator({ seed: [...demoSeed, ...associationsOf(...ids, "z-last")] });
      try {
        const { code, stderr } = await runCommand(
          [
            "access",
            "--stack",
            project.stack,
            "--adopt",
            "pages.json",
            "--no-inherited",
            "--associations",
            LOCATION,
          ].concat(["--only", "*/firewallEndpointAssociations/*"]),
          { cwd: project.dir, env: { ...project.env, ...copy.env } },
        );
        expect([code, stderr]).toEqual([
          3,
          expect.stringContaining("pages.json has 1,001 resources to adopt") as string,
        ]);
        expect(
          copy.requests().filter(({ path: asked }) => asked.endsWith("/firewallEndpointAssociations")),
        ).toHaveLength(2);
      } finally {
        await copy.stop();
      }
    });

    test("is refused in one line for a wrong location, and where the associations cannot be listed", async () => {
      expect(await adopt("--associations", "us-central1-a")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^error: [^\n]*projects\/\{project\}\/locations\/\{location\}[^\n]*\n$/,
        ) as string,
      });
      const permission = "networksecurity.firewallEndpointAssociations.list";
      emulator.configure({ deny: [permission] });
      const denied = await adopt("--associations", LOCATION);
      emulator.configure({ deny: [] });
      expect([denied.code, denied.stderr]).toEqual([
        1,
        `error: Could not list the firewall endpoint associations in ${LOCATION}: PERMISSION_DENIED: ` +
          `the caller lacks the permission ${permission}\n`,
      ]);
    });

    test("names each resource once, with its provider, and leaves out what cannot be imported", async () => {
      const { code, stderr } = await adopt("--associations", LOCATION);
      expect(code).toBe(0);
      expect(stderr.trimEnd().split("\n")).toEqual([
        expect.stringMatching(
          /^warning: allAuthenticatedUsers \(everyone with a Google account\) roles\/healthcare\.fhirStoreAdmin on .* is left out: member/,
        ),
        expect.stringMatching(
          /^warning: deleted:user:gone@example\.com.* is left out: member must be an identity that exists/,
        ),
        expect.stringMatching(/^adopt\.json has 12 resources to adopt: pulumi import --stack test --file adopt\.json$/),
      ]);
      const { resources, nameTable } = written();
      expect(nameTable).toEqual({ cloud: expect.stringMatching(/::pulumi:providers:perimeter::cloud$/) as string });
      const hashed = (name: string) => expect.stringMatching(new RegExp(`^${name}-[0-9a-f]{8}$`)) as string;
      expect(resources.map(({ name, provider, version }) => [name, provider ?? version])).toEqual([
        ["fhirStore-7-days-fhirResourceReader-hand-example-com", "0.1.0"],
        [hashed("records-fhirResourceReader-a-b-example-com"), "0.1.0"],
        [hashed("records-fhirResourceReader-a-b-example-com"), "0.1.0"],
        [hashed("records-fhirResourceReader-taken-example-com"), "0.1.0"],
        ["records-fhirStoreAdmin-hand-example-com", "0.1.0"],
        ["edge-viewer-support-example-com-until-july", "0.1.0"],
        ["edge-admin-grace-example-com", "0.1.0"],
        ["edge-admin-ci-demo-project-iam-gserviceaccount-com", "0.1.0"],
        ["orders-viewer-platform-example-com", "cloud"],
        ["orders-viewer-ada-example-com", "cloud"],
        ["orders-admin-grace-example-com", "cloud"],
        ["by-hand", "0.1.0"],
      ]);
      expect(new Set(resources.map(({ name }) => name)).size).toBe(resources.length);
    });

    test("imports all under these names, and a seed rehearses the same", async () => {
      const before = emulator.requests().length;
      const generated = path.join(path.dirname(project.dir), "generated.yaml");
      const PATH = [...programGenerators(), project.env.PATH].join(path.delimiter);
      await project.run(["import", "--yes", "--skip-preview", "--file", "adopt.json", "--out", generated], {
        env: { PATH },
      });
      const code = parse(fs.readFileSync(generated, "utf8")) as { resources: object };
      project.writeFiles(program({ ...RESOURCES, ...code.resources }));
      expect((await project.preview()).changes).toEqual({});
      expect((await project.up()).changes).toEqual({});
      const sent = emulator.requests().slice(before);
      expect(changesAmong(sent)).toEqual([]);

      const seeded = await adopt("--associations", LOCATION, "--seed", "prod.yaml");
      expect(seeded.stderr).toContain("adopt.json is not written: there is nothing to adopt\n");
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
    });
  },
);

// `make test` has the text of this line in access/files/adopt.test.ts.
testInAll("a stack of the npm package has nothing to import, and the command says so in one line", async () => {
  const emulator = await startEmulator({ seed: [...demoSeed, ...associationsOf("by-hand")] });
  const prod = association({ network: `projects/${PROJECT}/global/networks/other` });
  const project = await EngineProject.create({
    program: declaring({ nurses: fhirGrant(), prod }),
    runtime: JAVASCRIPT,
    config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
    env: emulator.env,
    nodeModules: packedPackage().nodeModules,
  });
  try {
    await project.up();
    const { policy } = emulator.resource(FHIR_STORE) ?? {};
    const { bindings = [] } = policy as { bindings?: object[] };
    emulator.mutate(FHIR_STORE, { policy: { bindings: [...bindings, { role: ADMIN, members: [HAND] }] } });
    const { code, stderr } = await adoptIn(project, "--associations", LOCATION, "--only", HAND, "--only", "*/by-hand");
    expect([code, stderr]).toEqual([
      0,
      "warning: 1 unmanaged grant and 1 association are left out: the stack declares such resources with the npm package, " +
        "and Pulumi imports resources of the plugin only. Move the stack to the plugin first (docs/fronts.md), or declare " +
        "the grants in the program with the grant mode merge\n" +
        "adopt.json is not written: there is nothing to adopt\n",
    ]);
  } finally {
    await project.dispose();
    await emulator.stop();
  }
});
