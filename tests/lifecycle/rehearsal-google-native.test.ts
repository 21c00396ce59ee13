/** Plans on grants of google-native, played as its source has it (pulumi-google-native, provider/pkg/provider/iam.go). */
import {
  ADA,
  creates,
  deletes,
  EVE,
  GRACE,
  holding,
  linesOf,
  planned,
  planOf,
  RehearsalCloud,
  same,
  STORE,
  VIEWER,
} from "../support/plans";

const ADMIN = "roles/healthcare.fhirStoreAdmin";

let cloud: RehearsalCloud;
const start = async (options: Parameters<typeof RehearsalCloud.start>[0] = {}) =>
  (cloud = await RehearsalCloud.start(options));
afterEach(() => cloud.stop());

describe("google-native", () => {
  const native = (kind: string) => ({ type: `google-native:healthcare/v1beta1:DatasetFhirStore${kind}` });
  const names = (result: Awaited<ReturnType<typeof cloud.rehearse>>) =>
    linesOf(result).map((each) => each.split(" <-")[0]);

  test("a member is gained and lost, even if another resource declares it", async () => {
    await start({ store: holding(ADA) });
    const steps = [
      creates("new", { member: EVE }, native("IamMember")),
      same("twin", { member: ADA }, native("IamMember")),
      deletes("old", { member: ADA }, native("IamMember")),
    ];
    expect(names(await cloud.rehearse(planOf(steps)))).toEqual([
      `lost ${ADA} fhirStoreViewer`,
      `gained ${EVE} fhirStoreViewer`,
    ]);
  });

  test("a binding has all members of its role, and its delete removes them all", async () => {
    await start({ store: { bindings: [...holding(ADA, GRACE).bindings, { role: ADMIN, members: [GRACE] }] } });
    const made = await cloud.rehearse(planOf([creates("b", { members: [EVE] }, native("IamBinding"))]));
    expect(names(made)).toEqual([
      `lost ${ADA} fhirStoreViewer`,
      `lost ${GRACE} fhirStoreViewer`,
      `gained ${EVE} fhirStoreViewer`,
    ]);
    expect(made.resources[0]?.changes[0]?.steps).toHaveLength(1);
    const gone = await cloud.rehearse(planOf([deletes("b", { members: [ADA] }, native("IamBinding"))]));
    expect(names(gone)).toEqual([`lost ${ADA} fhirStoreViewer`, `lost ${GRACE} fhirStoreViewer`]);
  });

  test("a policy resource, named by its parts, has the whole policy, and its delete removes nothing", async () => {
    await start({ store: holding(ADA) });
    const parts = { project: "demo-project", location: "us-central1", datasetId: "clinic", fhirStoreId: "records" };
    const inputs = { ...parts, name: undefined, role: undefined, bindings: [{ role: ADMIN, members: [EVE] }] };
    const made = await cloud.rehearse(planOf([creates("p", inputs, native("IamPolicy"))]));
    expect(names(made)).toEqual([`lost ${ADA} fhirStoreViewer`, `gained ${EVE} fhirStoreAdmin`]);
    const gone = await cloud.rehearse(planOf([deletes("p", inputs, native("IamPolicy"))]));
    expect(gone.resources).toEqual([]);
    expect(gone.notes.join()).toContain("google-native does not change the access policy");
  });

  test("a state after its refresh does not say what was granted", async () => {
    await start({ store: holding(ADA) });
    const old = planned(
      "old",
      {},
      { ...native("IamMember"), id: `v1beta1/${STORE}:getIamPolicy`, inputs: {}, outputs: {} },
    );
    const result = await cloud.rehearse(planOf([{ op: "delete", urn: old.urn, type: old.type, old }]));
    expect(result.resources[0]).toMatchObject({
      resource: STORE,
      changes: [],
      unknown: [{ code: "incomplete state" }],
    });
  });

  test("a policy with conditions is read without the conditions", async () => {
    const condition = { title: "t", expression: "true" };
    await start({ store: { bindings: [{ role: VIEWER, members: [ADA], condition }] } });
    const result = await cloud.rehearse(planOf([creates("new", { member: EVE }, native("IamMember"))]));
    expect(result.resources[0]?.unknown).toMatchObject([{ code: "unsupported" }]);
  });
});
