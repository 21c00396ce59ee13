/** The lifecycle of an association and of grants, and states of other providers. */
import { FHIR_STORE, MIGRATION_JOB } from "../../support/programs";
import { ASSOCIATION, JOB_GRANT, STORE_BINDING, STORE_GRANT } from "../../support/tokens";
import { UNKNOWN, type Props } from "../plugin-client";
import {
  ENDPOINT,
  NETWORK,
  LINK,
  linkInputs,
  grantInputs,
  emulator,
  plugin,
  describePlugin,
  failing,
  up,
  nextRun,
  refresh,
} from "./scene";

describePlugin(() => {
  describe("an association", () => {
    test("is created, changed and deleted", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      expect(prior.id).toBe(LINK);
      expect(prior.outputs).toMatchObject({ ...linkInputs(), name: LINK, state: "ACTIVE", reconciling: false });
      const news = linkInputs({ labels: { env: "prod", team: "a" } });
      const outputs = await plugin.update(ASSOCIATION, prior.id, prior, news);
      expect(outputs).toMatchObject({ labels: { env: "prod", team: "a" }, createTime: prior.outputs.createTime });
      await nextRun();
      await plugin.delete(ASSOCIATION, prior.id, { inputs: news, outputs });
      expect(emulator.resource(LINK)).toBeUndefined();
      await plugin.delete(ASSOCIATION, prior.id, { inputs: news, outputs });
    });

    test("is created again with the same request id after a killed run", async () => {
      await plugin.create(ASSOCIATION, linkInputs());
      await plugin.create(ASSOCIATION, linkInputs());
      const other = linkInputs({ firewallEndpointAssociationId: "other", location: "us-central1-b" });
      await plugin.create(ASSOCIATION, other, { name: "other" });
      const creates = emulator.requests().filter((each) => each.method === "POST");
      const [first, second, third] = creates.map((each) => each.query.requestId);
      expect(second).toBe(first);
      expect(third).not.toBe(first);
    });

    test.each<
      [string, Props, Record<string, string>, { replaces?: string[]; ignored?: string[]; sideBySide?: boolean }]
    >([
      ["nothing", {}, {}, {}],
      ["another spelling of the same network", { network: `//compute.googleapis.com/${NETWORK}` }, {}, {}],
      ["a request id", { requestId: "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11" }, {}, {}],
      ["a label", { labels: { env: "prod" } }, { "labels.env": "UPDATE" }, {}],
      ["one more label", { labels: { env: "dev", "a.b": "c" } }, { 'labels["a.b"]': "ADD" }, {}],
      ["one label less", { labels: {} }, { labels: "DELETE" }, {}],
      ["no labels", { labels: undefined }, { labels: "DELETE" }, {}],
      ["an unknown label", { labels: { env: UNKNOWN } }, { "labels.env": "UPDATE" }, {}],
      ["an ignored label", { labels: { env: "prod" } }, {}, { ignored: ["labels.env"] }],
      ["everything ignored", { labels: { env: "prod" }, location: "us-central1-b" }, {}, { ignored: ["*"] }],
      [
        "a new policy",
        { tlsInspectionPolicy: "projects/p/locations/us-central1/tlsInspectionPolicies/t" },
        { tlsInspectionPolicy: "ADD" },
        {},
      ],
      [
        "another location",
        { location: "us-central1-b" },
        { location: "UPDATE_REPLACE" },
        { replaces: ["location"], sideBySide: true },
      ],
      [
        "another id in the same place",
        { firewallEndpointAssociationId: "two" },
        { firewallEndpointAssociationId: "UPDATE_REPLACE" },
        { replaces: ["firewallEndpointAssociationId"] },
      ],
      [
        "another project and a label",
        { project: "other", labels: { env: "prod" } },
        { project: "UPDATE_REPLACE", "labels.env": "UPDATE" },
        { replaces: ["project"] },
      ],
    ])("diff of %s", async (_case, change, detailed, { replaces = [], ignored = [], sideBySide = false }) => {
      const prior = await up(ASSOCIATION, linkInputs());
      const diff = await plugin.diff(ASSOCIATION, prior.id, prior, linkInputs(change), ignored);
      expect(diff.detailed).toEqual(detailed);
      const tops = [...new Set(Object.keys(detailed).map((path) => path.split(/[.[]/)[0] as string))];
      expect(diff.diffs.sort()).toEqual(tops.sort());
      // Also when the diff replaces nothing: a user may request it.
      expect(diff).toMatchObject({ replaces, deleteBeforeReplace: !sideBySide });
      expect(diff.changes).toBe(tops.length > 0 ? "DIFF_SOME" : "DIFF_NONE");
    });

    test("keeps an ignored label that was changed outside, when another input is updated", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      emulator.mutate(LINK, { patch: { labels: { env: "outside" } } });
      const live = await plugin.read(ASSOCIATION, prior.id, prior);
      const policy = "projects/p/locations/us-central1/tlsInspectionPolicies/t";
      const news = linkInputs({ tlsInspectionPolicy: policy });
      await plugin.update(ASSOCIATION, prior.id, live, news, { ignored: ["labels.env"] });
      expect(emulator.resource(LINK)?.body).toMatchObject({ labels: { env: "outside" }, tlsInspectionPolicy: policy });
    });

    test("refresh shows only the properties that were changed outside", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      expect((await refresh(ASSOCIATION, prior))?.drift.detailed).toEqual({});
      emulator.mutate(LINK, { patch: { labels: { env: "outside", extra: "x" } } });
      const { live, drift } = (await refresh(ASSOCIATION, prior)) ?? {};
      expect(live?.inputs).toEqual(linkInputs({ labels: { env: "outside", extra: "x" } }));
      expect(drift?.detailed).toEqual({ "labels.env": "UPDATE", "labels.extra": "DELETE" });
    });

    test("is removed by a refresh after somebody deleted it outside", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      emulator.remove(LINK);
      expect(await refresh(ASSOCIATION, prior)).toBeUndefined();
    });

    test.each([
      LINK,
      `//networksecurity.googleapis.com/${LINK}`,
      `https://networksecurity.googleapis.com/v1beta1/${LINK}`,
    ])("is imported by %s, and needs no change", async (id) => {
      await up(ASSOCIATION, linkInputs());
      const imported = await plugin.read(ASSOCIATION, id);
      expect(imported.id).toBe(LINK);
      expect(imported.inputs).toEqual(linkInputs());
      const { inputs, failures } = await plugin.check(ASSOCIATION, imported.inputs);
      expect(failures).toEqual([]);
      expect(await plugin.diff(ASSOCIATION, imported.id, imported, inputs)).toMatchObject({ changes: "DIFF_NONE" });
    });

    test("is not imported by an invalid id", async () => {
      const error = await failing(plugin.read(ASSOCIATION, "link"));
      expect(error.code).toBe("INVALID_ARGUMENT");
      expect(error.message).toContain(
        "must look like projects/{project}/locations/{location}/firewallEndpointAssociations/{firewallEndpointAssociationId}",
      );
    });

    test("cannot be imported if it does not exist", async () => {
      expect(await plugin.read(ASSOCIATION, LINK)).toEqual({ id: "", inputs: {}, outputs: {} });
    });
  });

  describe("a grant", () => {
    const conditional = {
      role: "roles/healthcare.fhirResourceReader",
      member: "user:eve@example.com",
      condition: { title: "until-july", expression: "request.time < timestamp('2026-07-01T00:00:00Z')" },
    };

    beforeEach(() => {
      const bindings = [
        { role: conditional.role, members: [conditional.member], condition: conditional.condition },
        { role: "roles/healthcare.fhirStoreAdmin", members: ["user:grace@example.com"] },
      ];
      emulator.mutate(FHIR_STORE, { policy: { bindings } });
    });

    test.each([
      ["our own id", `${FHIR_STORE}/roles/healthcare.fhirStoreAdmin/user:grace@example.com`],
      ["Terraform's form", `${FHIR_STORE} roles/healthcare.fhirStoreAdmin user:grace@example.com`],
      [
        "the full resource name",
        `//healthcare.googleapis.com/${FHIR_STORE} roles/healthcare.fhirStoreAdmin user:grace@example.com`,
      ],
    ])("is imported by %s, and needs no change", async (_form, id) => {
      const imported = await plugin.read(STORE_GRANT, id);
      expect(imported.id).toBe(`${FHIR_STORE}/roles/healthcare.fhirStoreAdmin/user:grace@example.com`);
      expect(imported.inputs).toEqual({
        name: FHIR_STORE,
        role: "roles/healthcare.fhirStoreAdmin",
        member: "user:grace@example.com",
      });
      expect(imported.outputs).toMatchObject({ ...imported.inputs, project: "demo-project" });
      const { inputs, failures } = await plugin.check(STORE_GRANT, imported.inputs);
      expect(failures).toEqual([]);
      expect(await plugin.diff(STORE_GRANT, imported.id, imported, inputs)).toMatchObject({ changes: "DIFF_NONE" });
    });

    test("with a condition is imported by the title of the condition", async () => {
      const { inputs } = await plugin.read(
        STORE_GRANT,
        `${FHIR_STORE} ${conditional.role} ${conditional.member} until-july`,
      );
      expect(inputs).toEqual({ name: FHIR_STORE, ...conditional });
    });

    test("is removed by a refresh after somebody removed it outside", async () => {
      const prior = await up(JOB_GRANT, grantInputs());
      expect((await refresh(JOB_GRANT, prior))?.drift.detailed).toEqual({});
      emulator.mutate(MIGRATION_JOB, { policy: { bindings: [] } });
      await nextRun();
      expect(await refresh(JOB_GRANT, prior)).toBeUndefined();
    });

    test.each(["role", "member", "name", "condition"])(
      "is replaced when its %s changes, the new one first",
      async (property) => {
        const prior = await up(JOB_GRANT, grantInputs());
        const other: Props = {
          role: "roles/datamigration.viewer",
          member: "user:bob@example.com",
          name: MIGRATION_JOB.replace("orders", "users"),
          condition: conditional.condition,
        };
        const diff = await plugin.diff(JOB_GRANT, prior.id, prior, grantInputs({ [property]: other[property] }));
        expect(diff).toMatchObject({
          detailed: { [property]: property === "condition" ? "ADD_REPLACE" : "UPDATE_REPLACE" },
          replaces: [property],
          deleteBeforeReplace: false,
        });
      },
    );

    test("is deleted without any other change of the policy", async () => {
      const imported = await plugin.read(
        STORE_GRANT,
        `${FHIR_STORE} ${conditional.role} ${conditional.member} until-july`,
      );
      // By another name: a delete of what the run has read for the same resource is of its older record.
      await plugin.delete(STORE_GRANT, imported.id, imported, 0, "another");
      expect(emulator.resource(FHIR_STORE)?.policy).toMatchObject({
        bindings: [{ role: "roles/healthcare.fhirStoreAdmin", members: ["user:grace@example.com"] }],
      });
    });
  });

  describe("an update that the engine requests without a diff", () => {
    const binding = {
      name: FHIR_STORE,
      role: "roles/healthcare.fhirResourceReader",
      members: ["user:ada@example.com"],
    };

    test.each<[string, string, Props, Props, string]>([
      ["the member of a grant", JOB_GRANT, grantInputs(), { member: "user:bob@example.com" }, "member"],
      [
        "the condition of a grant",
        JOB_GRANT,
        grantInputs(),
        { condition: { title: "t", expression: "true" } },
        "condition",
      ],
      ["the role of a binding", STORE_BINDING, binding, { role: "roles/healthcare.fhirStoreViewer" }, "role"],
      ["the location of an association", ASSOCIATION, linkInputs(), { location: "us-central1-b" }, "location"],
    ])("is refused before the first request if it changes %s", async (_what, type, inputs, change, property) => {
      const prior = await up(type, inputs);
      emulator.clearRequests();
      for (const preview of [false, true]) {
        const error = await failing(plugin.update(type, prior.id, prior, { ...prior.inputs, ...change }, { preview }));
        expect(error.code).toBe("FAILED_PRECONDITION");
        expect(error.message).toMatch(
          new RegExp(
            `^A change of ${property} replaces this \\w+, .*Delete it and create another one, or .*pulumi up$`,
          ),
        );
      }
      expect(emulator.requests()).toEqual([]);
    });

    test("changes the members of a binding in place", async () => {
      const prior = await up(STORE_BINDING, binding);
      const members = ["user:ada@example.com", "user:bob@example.com"];
      const outputs = await plugin.update(STORE_BINDING, prior.id, prior, { ...prior.inputs, members });
      expect(outputs.members).toEqual(members);
    });
  });

  describe("states of other providers", () => {
    const foreign = { __provider: "exports.handler=…", __defaults: [], selfLink: "https://…", labels: { env: "dev" } };

    test("of the dynamic front show no difference, and lose its internal properties", async () => {
      const prior = await up(ASSOCIATION, linkInputs());
      const old = { outputs: { ...prior.outputs, ...foreign }, inputs: { ...linkInputs(), ...foreign } };
      expect(await plugin.diff(ASSOCIATION, LINK, old, linkInputs())).toMatchObject({ changes: "DIFF_NONE" });
      const read = await plugin.read(ASSOCIATION, LINK, old);
      expect(read.inputs).toEqual(linkInputs());
      expect(Object.keys(read.outputs).sort()).toEqual(Object.keys(prior.outputs).sort());
    });

    test("of google-native, which has fewer outputs, show no difference", async () => {
      await up(ASSOCIATION, linkInputs());
      const old = { outputs: { firewallEndpoint: ENDPOINT, network: NETWORK, labels: { env: "dev" }, name: LINK } };
      expect(await plugin.diff(ASSOCIATION, LINK, old, linkInputs())).toMatchObject({ changes: "DIFF_NONE" });
    });

    test("of google-native's grants are accepted, with an id and outputs of another form", async () => {
      const inputs = grantInputs({ role: "roles/datamigration.viewer" });
      await up(JOB_GRANT, inputs);
      const old = { id: `${MIGRATION_JOB}/whatever`, inputs, outputs: { ...inputs, bindings: [] } };
      expect(await plugin.diff(JOB_GRANT, old.id, old, inputs)).toMatchObject({ changes: "DIFF_NONE" });
      const read = await plugin.read(JOB_GRANT, old.id, old);
      expect(read).toMatchObject({ inputs, outputs: { project: "demo-project" } });
      await nextRun();
      await plugin.delete(JOB_GRANT, old.id, old);
      expect(JSON.stringify(emulator.resource(MIGRATION_JOB)?.policy ?? {})).not.toContain("ada@example.com");
    });
  });
});
