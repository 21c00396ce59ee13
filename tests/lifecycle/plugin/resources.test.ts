/** What the engine's calls on resources get: outputs, differences in the engine's form, and refusals. */
import { FHIR_STORE } from "../../support/programs";
import { ASSOCIATION, JOB_GRANT, STORE_BINDING } from "../../support/tokens";
import { UNKNOWN, type Props } from "../plugin-client";
import { LINK, linkInputs, grantInputs, emulator, plugin, describePlugin, failing, up, nextRun } from "./scene";

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

    test.each<
      [string, Props, Record<string, string>, { replaces?: string[]; ignored?: string[]; sideBySide?: boolean }]
    >([
      ["nothing", {}, {}, {}],
      ["a label", { labels: { env: "prod" } }, { "labels.env": "UPDATE" }, {}],
      ["one more label", { labels: { env: "dev", "a.b": "c" } }, { 'labels["a.b"]': "ADD" }, {}],
      ["no labels", { labels: undefined }, { labels: "DELETE" }, {}],
      ["an unknown label", { labels: { env: UNKNOWN } }, { "labels.env": "UPDATE" }, {}],
      ["an ignored label", { labels: { env: "prod" } }, {}, { ignored: ["labels.env"] }],
      ["everything ignored", { labels: { env: "prod" }, location: "us-central1-b" }, {}, { ignored: ["*"] }],
      [
        "another location",
        { location: "us-central1-b" },
        { location: "UPDATE_REPLACE" },
        { replaces: ["location"], sideBySide: true },
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

    test("is in the project that the inputs name by its id or number, until the number changes", async () => {
      const { id, outputs } = await up(ASSOCIATION, linkInputs());
      const [number, another] = [linkInputs({ project: "123456789012" }), linkInputs({ project: "210987654321" })];
      const renumbered = (inputs: Props, news: Props) => plugin.diff(ASSOCIATION, id, { outputs, inputs }, news);
      expect(await renumbered(linkInputs(), number)).toMatchObject({ changes: "DIFF_NONE" });
      expect(await renumbered(number, linkInputs())).toMatchObject({ changes: "DIFF_NONE" });
      expect(await renumbered(number, another)).toMatchObject({ replaces: ["project"] });
      const read = await plugin.read(ASSOCIATION, id, { outputs, inputs: number });
      expect([read.inputs.project, read.outputs.project]).toEqual(["123456789012", "demo-project"]);
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

    test("is imported by its name, and needs no change", async () => {
      await up(ASSOCIATION, linkInputs());
      const imported = await plugin.read(ASSOCIATION, LINK);
      expect(imported).toMatchObject({ id: LINK, inputs: linkInputs() });
      expect(await plugin.diff(ASSOCIATION, LINK, imported, linkInputs())).toMatchObject({ changes: "DIFF_NONE" });
    });

    test("cannot be imported if it does not exist", async () => {
      expect(await plugin.read(ASSOCIATION, LINK)).toEqual({ id: "", inputs: {}, outputs: {} });
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
  });

  test("a state of the dynamic front shows no difference, and loses its internal properties", async () => {
    const foreign = { __provider: "exports.handler=…", __defaults: [], selfLink: "https://…", labels: { env: "dev" } };
    const prior = await up(ASSOCIATION, linkInputs());
    const old = { outputs: { ...prior.outputs, ...foreign }, inputs: { ...linkInputs(), ...foreign } };
    expect(await plugin.diff(ASSOCIATION, LINK, old, linkInputs())).toMatchObject({ changes: "DIFF_NONE" });
    const read = await plugin.read(ASSOCIATION, LINK, old);
    expect(read.inputs).toEqual(linkInputs());
    expect(Object.keys(read.outputs).sort()).toEqual(Object.keys(prior.outputs).sort());
  });
});
