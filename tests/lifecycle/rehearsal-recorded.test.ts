/** Plans and states that the real engine wrote, played on copies of the policies of an emulator. */
import { stepOn } from "../../access/plan/plan";
import {
  ADA,
  creates,
  EVE,
  GRACE,
  holding,
  JOB,
  linesOf,
  planned,
  planOf,
  RehearsalCloud,
  realPlan,
  realState,
  STORE,
  updates,
  VIEWER,
} from "../support/plans";

let cloud: RehearsalCloud;
const start = async (options: Parameters<typeof RehearsalCloud.start>[0] = {}) =>
  (cloud = await RehearsalCloud.start(options));
afterEach(() => cloud.stop());

describe("a plan of the real engine", () => {
  const members = ["same", "explicit", "gone"].map((name) => `group:${name}@example.com`);
  const moved = { role: VIEWER, members: ["group:moved@example.com"], condition: { title: "t", expression: "true" } };
  const store = { bindings: [{ role: VIEWER, members: [...members, "user:sec@example.com"] }, moved] };

  test.each(["update", "update-without-sames", "refresh"])(
    "%s: shows a delete and replacements, and hides secrets",
    async (name) => {
      await start({ store });
      const result = await cloud.rehearse(realPlan(name), realState("state"));
      expect(linesOf(result).sort()).toEqual([
        "condition group:moved@example.com fhirStoreViewer if t -> t <- moved",
        "gained [secret] fhirStoreAdmin <- newsec",
        "gained group:g10b33cb7-5b1e-4a56-a580-f29e0bcb9164@example.com fhirStoreViewer <- unk",
        "gained user:other@example.com fhirStoreViewer <- sec",
        "lost group:gone@example.com fhirStoreViewer <- gone",
      ]);
      const [resource] = result.resources;
      expect(resource).toMatchObject({ resource: STORE, kind: "a FHIR store", api: "healthcare", unchanged: 3 });
      expect(resource?.endpoint).toBe(`${cloud.emulator.url}/v1beta1/`);
      // The new condition of the second is never true.
      expect(resource?.noAccessLeft).toEqual(["group:gone@example.com", "group:moved@example.com"]);
      expect(resource?.unknown.map(({ message }) => message).sort()).toEqual([
        "A secret principal may lose roles/healthcare.fhirStoreViewer",
        "Who gains roles/healthcare.fhirStoreAdmin is secret",
      ]);
      // The one that nothing else explains may be the secret one.
      expect(resource?.unmanaged).toEqual([{ principal: "user:[secret]", role: VIEWER, hidden: "secret" }]);
      expect(JSON.stringify(result)).not.toContain("user:sec@");
      expect(result.summary).toMatchObject({ gained: 3, lost: 1, conditions: 1, refused: 0, unknown: 2 });
      // The store's policy is read once. The job's grant does not change, so its policy is not read.
      expect(cloud.read).toEqual([`${STORE}:getIamPolicy`]);
    },
  );

  test("create: an existing grant does not change, and a grant with another provider is reviewed", async () => {
    await start({ store: holding("group:same@example.com") });
    const result = await cloud.rehearse(realPlan("create"), []);
    expect(linesOf(result)).toHaveLength(4);
    expect(linesOf(result).join()).not.toContain("group:same@");
    expect(linesOf(result, JOB)).toEqual(["gained user:x@example.com roles/viewer <- j"]);
  });

  test("destroy: all grants are lost, even if other resources have them", async () => {
    await start({ store, job: { bindings: [{ role: "roles/viewer", members: ["user:x@example.com", EVE] }] } });
    const result = await cloud.rehearse(realPlan("destroy", "destroy"), realState("state"));
    expect(linesOf(result)).toHaveLength(4);
    expect(linesOf(result, JOB)).toEqual(["lost user:x@example.com roles/viewer <- j"]);
    expect(result.resources.find(({ resource }) => resource === JOB)?.unmanaged).toEqual([
      { principal: EVE, role: "roles/viewer" },
    ]);
  });

  test("npm: a renamed, an aliased and a retained grant stay, and replaced and deleted grants are lost", async () => {
    const names = ["prot", "ali", "same", "moves", "ren", "dbr", "goes", "ret"];
    await start({ store: holding(...names.map((name) => `group:${name}@example.com`)) });
    const result = await cloud.rehearse(realPlan("npm"), undefined);
    const lines = linesOf(result).filter((line) => !line.includes("cond@"));
    expect(lines.filter((line) => line.startsWith("lost")).sort()).toEqual([
      "lost group:dbr@example.com fhirStoreViewer <- dbr",
      "lost group:goes@example.com fhirStoreViewer <- goes",
      "lost group:moves@example.com fhirStoreViewer <- moves",
    ]);
    expect(lines.filter((line) => line.startsWith("gained")).sort()).toEqual([
      "gained [known after the update] fhirStoreViewer <- unk",
      "gained [secret] fhirStoreViewer <- newsec",
      "gained [secret] fhirStoreViewer <- sec",
      "gained group:dbr2@example.com fhirStoreViewer <- dbr",
      "gained group:moved@example.com fhirStoreViewer <- moves",
      "gained group:new@example.com fhirStoreViewer <- new",
    ]);
  });

  test.each([
    ["writes no policy", {}, []],
    [
      "finishes what an earlier update left unfinished",
      { __notReady: true },
      ["lost user:grace@example.com fhirStoreViewer <- after"],
    ],
  ])("npm, in replace mode: an alias alone %s", async (_what, more, lines) => {
    await start({ store: holding(ADA, GRACE) });
    const type = "pulumi-nodejs:dynamic/healthcare/v1beta1:DatasetFhirStoreIamMember";
    const grant = (name: string) => planned(name, { member: ADA, __identity: name }, { type });
    const old = grant("before");
    const step = updates({ ...old, outputs: { ...old.outputs, ...more } }, grant("after"));
    expect(linesOf(await cloud.rehearse(planOf([step], { mode: "replace" })))).toEqual(lines);
  });

  test("a resource that an earlier update deleted before its replacement failed does not declare its grant", async () => {
    await start({ store: holding(ADA) });
    const deleted = planned("a", { member: ADA }, { pendingReplacement: true });
    const result = await cloud.rehearse(planOf([creates("new", { member: EVE })], { hasUnchanged: false }), [deleted]);
    expect(result.resources[0]?.unmanaged).toEqual([{ principal: ADA, role: VIEWER }]);
  });

  test("pending deletes of an earlier update are included, although no plan shows them", async () => {
    const [a, b, old] = ["a", "b", "olda"].map((name) => `group:${name}@example.com`);
    await start({ store: holding(a ?? "", b ?? "", old ?? "") });
    const result = await cloud.rehearse(planOf([creates("new", { member: ADA })]), realState("pending-delete-state"));
    expect(linesOf(result)).toEqual([
      "lost group:olda@example.com fhirStoreViewer <- a",
      "gained user:ada@example.com fhirStoreViewer <- new",
    ]);
  });

  test("a pending delete that --exclude leaves to a later update removes nothing", async () => {
    await start({ store: holding("group:olda@example.com") });
    const state = realState("pending-delete-state");
    const kept = state.filter((each) => each.delete).map((old) => ({ ...stepOn(old, "same"), new: old }));
    const result = await cloud.rehearse(planOf([creates("new", { member: ADA }), ...kept]), state);
    expect(linesOf(result)).toEqual(["gained user:ada@example.com fhirStoreViewer <- new"]);
  });
});
