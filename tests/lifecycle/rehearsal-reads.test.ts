/** Plans in which a program reads a grant (`get`), before or after its stack manages it. */
import type { PlannedState } from "../../access/plan/planned-state";
import { ADA, EVE, GRACE, holding, linesOf, planned, planOf, RehearsalCloud, STORE, VIEWER } from "../support/plans";
import { STORE_GRANT, urnOf } from "../support/tokens";

let cloud: RehearsalCloud;
const start = async (options: Parameters<typeof RehearsalCloud.start>[0] = {}) =>
  (cloud = await RehearsalCloud.start(options));
afterEach(() => cloud.stop());

describe("a grant that the stack reads (get), before or after it manages it", () => {
  const read = { external: true, inputs: {}, outputs: { name: STORE, role: VIEWER, member: ADA } };
  const replaced = (old: PlannedState, wanted: PlannedState) =>
    ({ op: "replace", urn: wanted.urn, type: STORE_GRANT, old: { ...old, delete: true }, new: wanted }) as const;
  const asPlanned = (name: string, member: string) => planned(name, { member }, { id: undefined });

  test("in replace mode, others lose their access when a grant becomes managed", async () => {
    await start({ store: holding(ADA, GRACE) });
    const step = replaced(planned("x", {}, read), asPlanned("x", EVE));
    expect(linesOf(await cloud.rehearse(planOf([step], { mode: "replace" })))).toEqual([
      "lost user:ada@example.com fhirStoreViewer <- x",
      "lost user:grace@example.com fhirStoreViewer <- x",
      "gained user:eve@example.com fhirStoreViewer <- x",
    ]);
  });

  test("in merge mode, a grant that becomes managed is gained, and the grant that was read stays", async () => {
    await start({ store: holding(ADA) });
    const step = replaced(planned("x", {}, read), asPlanned("x", EVE));
    expect(linesOf(await cloud.rehearse(planOf([step])))).toEqual(["gained user:eve@example.com fhirStoreViewer <- x"]);
  });

  test.each(["merge", "replace"])(
    "%s: a managed grant is lost if the program reads another grant in its place",
    async (mode) => {
      await start({ store: holding(ADA, EVE) });
      const step = replaced(planned("x", { member: EVE }), planned("x", {}, read));
      expect(linesOf(await cloud.rehearse(planOf([step], { mode })))).toEqual([
        "lost user:eve@example.com fhirStoreViewer <- x",
      ]);
    },
  );

  test("nothing changes if the program reads the grant that it managed, another grant, or no grant", async () => {
    await start({ store: holding(ADA, GRACE) });
    const reads = (name: string, old: PlannedState) =>
      ({ op: "read", urn: urnOf(name), type: STORE_GRANT, old, new: planned(name, {}, read) }) as const;
    const forgets = { op: "discard", urn: urnOf("z"), type: STORE_GRANT, old: planned("z", {}, read) };
    const steps = [reads("x", planned("x", { member: ADA })), reads("y", planned("y", {}, read)), forgets];
    expect((await cloud.rehearse(planOf(steps, { mode: "replace" }))).resources).toEqual([]);
  });

  test("the parts of a replacement that --show-replacement-steps adds change nothing", async () => {
    await start({ store: holding(ADA, EVE) });
    const whole = replaced(planned("x", { member: EVE }), planned("x", {}, read));
    const parts = ["read-replacement", "delete-replaced"].map((op) => ({ ...whole, op }));
    expect(linesOf(await cloud.rehearse(planOf([...parts, whole])))).toEqual([
      "lost user:eve@example.com fhirStoreViewer <- x",
    ]);
    const alone = await cloud.rehearse(planOf(parts.slice(0, 1)));
    expect(alone.unknown).toMatchObject([{ code: "unsupported", step: urnOf("x") }]);
  });
});
