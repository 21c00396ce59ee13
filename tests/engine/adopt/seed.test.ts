/** `perimeter access --seed`: a copy of what a stack manages, read from one emulator and taken by another. */
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import type { SeededResource } from "../../../access";
import { changesAmong } from "../../support/changes";
import { runCommand } from "../../support/command";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, FHIR_STORE, PROJECT, TRIGGER } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const DATASET = FHIR_STORE.replace(/\/fhirStores.*/, "");
const VIEWER = "roles/healthcare.fhirStoreViewer";
const CUSTOM = `projects/${PROJECT}/roles/auditor`;

const resources = {
  nurses: {
    type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
    properties: { name: FHIR_STORE, role: VIEWER, member: "group:nurses@example.com" },
  },
  hidden: {
    type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
    properties: { name: FHIR_STORE, role: VIEWER, member: { "fn::secret": "user:secret-canary@example.com" } },
  },
  events: {
    type: "perimeter:eventing/v1:TriggerIamMember",
    properties: { name: TRIGGER, role: "roles/eventarc.viewer", member: "user:zoe@example.com" },
  },
  prod: {
    type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
    properties: {
      location: "us-central1-a",
      firewallEndpointAssociationId: "prod",
      firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
      network: `projects/${PROJECT}/global/networks/prod`,
      labels: { team: "network" },
    },
  },
};

const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(
  `a seed of a stack${missing === undefined ? "" : ` [skipped: ${missing}]`}`,
  () => {
    let cloud: Emulator;
    let project: EngineProject;

    beforeAll(async () => {
      cloud = await startEmulator({ seed: demoSeed, operationMs: 0 });
      project = await EngineProject.create({
        program: { "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }) },
        config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
        env: cloud.env,
        path: [pluginFolder(), engine().bin],
        nodeModules: "none",
      });
      await project.up();
      const { policy } = cloud.resource(FHIR_STORE) ?? {};
      cloud.mutate(FHIR_STORE, {
        policy: {
          ...policy,
          version: 3,
          bindings: [
            ...((policy?.bindings as object[] | undefined) ?? []),
            {
              role: VIEWER,
              members: ["user:ada@example.com", "deleted:user:gone@example.com?uid=123456789"],
              condition: { title: "until June", expression: 'request.time < timestamp("2099-06-01T00:00:00Z")' },
            },
          ],
          auditConfigs: [
            {
              service: "allServices",
              auditLogConfigs: [{ logType: "DATA_READ", exemptedMembers: ["user:ada@example.com"] }],
            },
          ],
        },
      });
      cloud.mutate(DATASET, { policy: { bindings: [{ role: CUSTOM, members: ["group:audit@example.com"] }] } });
      cloud.seed([
        {
          service: "iam",
          name: CUSTOM,
          body: { title: "Auditor", includedPermissions: ["healthcare.fhirStores.get"] },
        },
        { service: "cloudresourcemanager", name: `projects/${PROJECT}`, body: { parent: "folders/7" } },
        { service: "cloudresourcemanager", name: "folders/7", body: { parent: "organizations/1" } },
        {
          service: "cloudresourcemanager",
          name: "organizations/1",
          policy: { bindings: [{ role: "roles/owner", members: ["group:platform@example.com"] }] },
        },
      ]);
    });
    afterAll(async () => {
      await project?.dispose();
      await cloud?.stop();
    });

    async function seeded(file: string, env: Record<string, string>, ...more: string[]) {
      const args = ["access", "--stack", "test", "--seed", file, ...more];
      const ended = await runCommand(args, { cwd: project.dir, env: { ...project.env, ...env } });
      const text = readFileSync(path.join(project.dir, file), "utf8");
      return { ...ended, text, entries: parse(text) as SeededResource[] };
    }

    test("has everything of the stack and above it, brings it back, and is read again the same", async () => {
      cloud.clearRequests();
      const first = await seeded("prod.yaml", {});
      expect(first.code).toBe(0);
      expect(first.stderr.trim().split("\n")).toEqual([
        "prod.yaml has 8 resources: npx pulumi-perimeter emulator --seed prod.yaml",
      ]);
      const sent = changesAmong(cloud.requests());
      expect(sent).toEqual([]);
      expect(first.entries.map(({ name }) => name).sort()).toEqual(
        [
          `projects/${PROJECT}`,
          DATASET,
          FHIR_STORE,
          TRIGGER,
          `${ASSOCIATIONS}/prod`,
          CUSTOM,
          "folders/7",
          "organizations/1",
        ].sort(),
      );
      // The policy has it, and so has the seed: only its owner can read the file.
      expect(first.text).toContain("secret-canary");
      const store = first.entries.find(({ name }) => name === FHIR_STORE);
      expect(store?.policy).toMatchObject({ version: 3, auditConfigs: [{ service: "allServices" }] });

      const copy = await startEmulator({ seed: first.entries });
      try {
        const again = await seeded("again.yaml", copy.env);
        expect(again.entries).toEqual(first.entries);
      } finally {
        await copy.stop();
      }
    });

    test("the next update is rehearsed on the copy", async () => {
      const copy = await startEmulator({ seed: (await seeded("prod.yaml", {})).entries, operationMs: 0 });
      try {
        const { stdout } = await project.run(["up", "--yes", "--skip-preview", "--refresh"], { env: copy.env });
        expect(stdout).toMatch(/unchanged/);
        expect(JSON.stringify(copy.resource(FHIR_STORE)?.policy)).toContain("secret-canary");
      } finally {
        await copy.stop();
      }
    });

    test("with masked principals, it is still a seed, and has no name of a person", async () => {
      const { text, entries, code } = await seeded("masked.json", {}, "--mask-principals");
      expect(code).toBe(0);
      expect(text).not.toMatch(/secret-canary|ada@|zoe@|nurses@|platform@|audit@/);
      const copy = await startEmulator({ seed: entries });
      await copy.stop();
    });

    test("what cannot be read is named, and the rest is there", async () => {
      cloud.configure({ deny: ["eventarc.triggers.get", "resourcemanager.projects.get"] });
      try {
        const { stderr, entries } = await seeded("part.yaml", {});
        expect(stderr).toMatch(new RegExp(`^warning: ${TRIGGER} is not in the seed: .*PERMISSION_DENIED`, "m"));
        expect(stderr).toMatch(new RegExp(`^warning: projects/${PROJECT} is not in the seed: `, "m"));
        expect(entries.find(({ name }) => name === TRIGGER)).toMatchObject({ policy: { bindings: expect.any(Array) } });
      } finally {
        cloud.configure({ deny: [] });
      }
    });
  },
);
