/** Check and preview: inputs before any request to the cloud. */
import { changesAmong } from "../../support/changes";
import { FHIR_STORE, MIGRATION_JOB } from "../../support/programs";
import { ASSOCIATION, JOB_GRANT, STORE_GRANT } from "../../support/tokens";
import { secret, UNKNOWN, type Failure, type Props } from "../plugin-client";
import {
  ENDPOINT,
  NETWORK,
  LINK,
  linkInputs,
  grantInputs,
  emulator,
  engine,
  plugin,
  describePlugin,
  up,
  nextRun,
} from "./scene";

describePlugin(() => {
  describe("check", () => {
    test("reports every mistake of a resource with its path", async () => {
      const { failures } = await plugin.check(ASSOCIATION, {
        firewallEndpoint: "edge",
        labels: { Env: "dev", ok: "No Way" },
        locations: "us-central1-a",
        requestId: "1",
      });
      const byPath = Object.fromEntries(failures.map((each: Failure) => [each.reason.split(" ")[0], each.reason]));
      expect(Object.keys(byPath).sort()).toEqual(
        ["firewallEndpoint", "labels.Env", "labels.ok", "location", "locations", "network", "requestId"].sort(),
      );
      // The engine prints the value of a named property, so failures name only properties that have a value.
      const named = failures.map((each: Failure) => each.property).filter((property) => property !== "");
      expect(named.sort()).toEqual(["firewallEndpoint", "locations", "requestId"]);
      expect(byPath.network).toMatch(/^network is required but missing/);
      expect(byPath.locations).toContain('did you mean "location"?');
      expect(byPath.location).toContain("pulumi config set perimeter:zone");
    });

    test("fills in defaults, normalizes names, and keeps unknowns and secrets", async () => {
      const { inputs } = await plugin.check(ASSOCIATION, {
        firewallEndpoint: `https://networksecurity.googleapis.com/v1beta1/${ENDPOINT}`,
        network: secret(`//compute.googleapis.com/${NETWORK}`),
        location: UNKNOWN,
        labels: { plain: "a", hidden: secret("b"), later: secret(UNKNOWN) },
      });
      expect(inputs).toEqual({
        firewallEndpoint: ENDPOINT,
        network: secret(NETWORK),
        location: UNKNOWN,
        project: "demo-project",
        labels: { plain: "a", hidden: secret("b"), later: secret(UNKNOWN) },
      });
    });

    test("refuses a name with another host, and shows the valid host", async () => {
      // Earlier runs marked names of this project as secret.
      await nextRun();
      const foreign = await plugin.check(STORE_GRANT, grantInputs({ name: `//evil.example/${FHIR_STORE}` }));
      expect(foreign.failures.map(({ reason }) => reason)).toEqual([
        `name must have no host, or the host of a FHIR store, healthcare.googleapis.com, got "//evil.example/${FHIR_STORE}"`,
      ]);
      const others = { name: `https://healthcare.googleapis.com/v1/${MIGRATION_JOB}` };
      const { failures } = await plugin.check(JOB_GRANT, grantInputs(others));
      expect(failures.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(
          /^name must have no host, or the host of a migration job, datamigration\.googleapis\.com, got/,
        ),
      ]);
      const network = `https://compute.evil.example/v1/${NETWORK}`;
      const linked = await plugin.check(ASSOCIATION, linkInputs({ network: secret(network) }));
      expect(linked.failures.map(({ reason }) => reason)).toEqual([
        "network must have no host, or the host of a network, compute.googleapis.com",
      ]);
      const id = `//evil.example/${FHIR_STORE}/roles/viewer/user:ada@example.com`;
      await expect(plugin.read(STORE_GRANT, id)).rejects.toThrow("id must have no host, or healthcare.googleapis.com");
      expect(
        (await plugin.check(STORE_GRANT, grantInputs({ name: `//healthcare.googleapis.com/${FHIR_STORE}` }))).inputs,
      ).toEqual(grantInputs({ name: FHIR_STORE }));
    });

    test("refuses names and texts that a URL or UTF-8 would change", async () => {
      const reasons = async (type: string, inputs: Props) =>
        (await plugin.check(type, inputs)).failures.map(({ reason }) => reason.split(",")[0]);
      expect(await reasons(ASSOCIATION, linkInputs({ project: "..", location: "." }))).toEqual([
        "location must be one part of a resource name",
        "project must be one part of a resource name",
      ]);
      expect(await reasons(JOB_GRANT, grantInputs({ name: MIGRATION_JOB.replace("us-central1", "..") }))).toEqual([
        expect.stringMatching(/^name must be the name of a migration job/),
      ]);
      const condition = { title: "day\0", expression: "true" };
      expect(await reasons(JOB_GRANT, grantInputs({ condition, member: "user:ada\0@example.com" }))).toEqual([
        "condition.title must not have a NUL character or an unpaired surrogate (half of a character)",
        "member must not have a NUL character or an unpaired surrogate (half of a character)",
      ]);
    });

    test("suggests the correct name for a misspelled nested property", async () => {
      const condition = { titel: "day", expresion: "true" };
      const { failures } = await plugin.check(JOB_GRANT, grantInputs({ condition }));
      const reasons = failures.map(({ reason }) => reason).join("\n");
      expect(reasons).toContain('condition.titel is not a property of this type (did you mean "title"?)');
      expect(reasons).toContain('condition.expresion is not a property of this type (did you mean "expression"?)');
      expect(failures.map(({ property }) => property)).toEqual(failures.map(() => ""));
    });

    test("refuses a wrong secret without quoting it", async () => {
      const { failures } = await plugin.check(JOB_GRANT, grantInputs({ member: secret("users:canary") }));
      // The engine would print the value of a named property.
      expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^member must be one of/) }]);
      expect(failures[0]?.reason).not.toContain("canary");
    });

    test("refuses a file as a label", async () => {
      const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" };
      const { failures } = await plugin.check(ASSOCIATION, linkInputs({ labels: { env: asset } }));
      expect(failures).toEqual([
        {
          property: "",
          reason: "labels.env must be a plain value, got a file (an asset or archive)",
        },
      ]);
    });

    test("uses the id of a resource in place of a name", async () => {
      const network = {
        "4dabf18193072939515e22adb298388d": "5cf8f73096256a8f31e491e813e4eb8e",
        urn: "urn:pulumi:stack::project::gcp:compute/network:Network::main",
        id: NETWORK,
      };
      const { inputs } = await plugin.check(ASSOCIATION, linkInputs({ network }));
      expect(inputs.network).toBe(NETWORK);
    });

    test("accepts a message of any size", async () => {
      const { failures } = await plugin.check(ASSOCIATION, linkInputs({ labels: { env: "x".repeat(6_000_000) } }));
      expect(failures.map((each) => each.reason)).toEqual([
        expect.stringMatching(/^labels\.env must be a label value/),
      ]);
    });
  });

  describe("preview", () => {
    test("names the settings from the environment once in a run, after the changes of access", async () => {
      await plugin.create(JOB_GRANT, grantInputs({ role: "roles/viewer" }), { preview: true, name: "first" });
      await plugin.create(JOB_GRANT, grantInputs({ role: "roles/owner" }), { preview: true, name: "second" });
      expect(engine.lines.map(({ message }) => message.replace(/:? [^]*/, ""))).toEqual([
        "Access",
        "Settings",
        "Access",
      ]);
      expect(engine.lines[1]?.message).toMatch(
        /^Settings from the environment, not from the stack: datamigration API at http:/,
      );
    });

    test("of a create returns the known outputs, without requests", async () => {
      const { id, outputs } = await plugin.create(ASSOCIATION, linkInputs(), { preview: true });
      expect(id).toBe("");
      expect(outputs).toEqual({
        ...linkInputs(),
        name: LINK,
        createTime: UNKNOWN,
        updateTime: UNKNOWN,
        state: UNKNOWN,
        reconciling: UNKNOWN,
      });
      expect(emulator.requests()).toEqual([]);
    });

    test("of unknown inputs returns unknown outputs, also for outputs that depend on them", async () => {
      const inputs = linkInputs({ location: UNKNOWN, labels: { env: "dev", later: UNKNOWN } });
      const { outputs } = await plugin.create(ASSOCIATION, inputs, { preview: true });
      expect(outputs).toMatchObject({
        location: UNKNOWN,
        name: UNKNOWN,
        labels: { env: "dev", later: UNKNOWN },
        network: NETWORK,
      });
    });

    test("of a grant takes the project from the name of the resource", async () => {
      const { outputs } = await plugin.create(JOB_GRANT, grantInputs(), { preview: true });
      expect(outputs).toEqual({ ...grantInputs(), project: "demo-project", etag: UNKNOWN });
      const unknown = await plugin.create(JOB_GRANT, grantInputs({ name: UNKNOWN }), { preview: true });
      expect(unknown.outputs.project).toBe(UNKNOWN);
      expect(changesAmong(emulator.requests())).toEqual([]);
    });

    test("of an update keeps the outputs that cannot change", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      emulator.clearRequests();
      const news = linkInputs({ labels: { env: "prod" } });
      expect(await plugin.update(ASSOCIATION, prior.id, prior, news, { preview: true })).toEqual({
        ...news,
        name: LINK,
        createTime: prior.outputs.createTime,
        updateTime: UNKNOWN,
        state: UNKNOWN,
        reconciling: UNKNOWN,
      });
      expect(emulator.requests()).toEqual([]);
    });
  });
});
