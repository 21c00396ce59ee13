/** Each row of the table, for its types in each package, with each operation: a review says something, or the row says why not. */
import { foreignStepsOf, planOf as readPlanOf } from "../../tests/support/foreign-plans";
import { foreignTypesOf } from "../../tests/support/foreign-types";
import { leftOut, noteLeftOut } from "../../tests/support/test-all";
import { foreignResources } from "../plan/foreign-steps";
import type { ForeignKind } from "./foreign-kind";
import { FOREIGN_KINDS } from "./foreign-rows";

/** The engine's placeholder for a value that a preview does not know. */
const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Inputs that have something where the row looks. */
function inputsOf({ inputs, parts: [part] = [] }: ForeignKind, given: unknown): object {
  const [first] = inputs ?? ["anything"];
  const path = [first ?? ""].flat();
  const isHidden = given === "[secret]" || given === UNKNOWN_TEXT;
  const value = part === undefined || isHidden ? given : JSON.stringify([{ name: "column", [part]: given }]);
  const type = { type: "CLOUD_IAM_USER" };
  return { ...type, ...(path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object) };
}

const OPS = ["create", "update", "delete", "replace"] as const;

function stepsOn(type: string, op: string, old: object | undefined, next: object | undefined, more: object = {}) {
  const urn = `urn:pulumi:dev::shop::${type}::it`;
  const state = (inputs: object | undefined) =>
    inputs && { urn, type, custom: true, id: "it", inputs, outputs: {}, ...more };
  return foreignStepsOf(readPlanOf({ op, urn, oldState: state(old), newState: state(next) }));
}

function isSaid(...args: Parameters<typeof stepsOn>): boolean {
  return stepsOn(...args).length > 0;
}

/** The digests of the steps that a review cannot follow. */
function digestsOf(...args: Parameters<typeof stepsOn>) {
  return foreignResources(stepsOn(...args)).flatMap(({ unknown }) => unknown.map(({ digest }) => digest));
}

/** The reason why a row does not count an operation; undefined if it counts it. */
function quietOf({ onlyUpdates, isRemoval, isOfNobody, isSetting }: ForeignKind, op: string): string | undefined {
  if (isOfNobody && op === "create") return "a new one gives nobody access";
  if (isSetting && op === "delete") return "it ends the access to itself alone";
  if (onlyUpdates && (op === "create" || op === "delete"))
    return "nobody has access to a new resource, and its delete is reported as that of a resource";
  if (isRemoval && op === "delete") return "the grants that its create removed do not come back";
  return undefined;
}

/** The rows with their types, in each package. */
const ROWS = FOREIGN_KINDS.flatMap((kind): [string, ForeignKind, string[]][] => {
  const types = [...new Set((kind.types ?? []).flatMap(foreignTypesOf))];
  return types[0] === undefined ? [] : [[types[0], kind, types]];
});
const CASES = ROWS.flatMap(([, kind, types]) => types.map((type): [string, ForeignKind] => [type, kind]));

test.each(ROWS)("a review reports a step on each type of the row of %s, or the row says why not", (_, kind, types) => {
  const [before, after] = [inputsOf(kind, "one"), inputsOf(kind, "two")];
  // A plan may hide the input before and after.
  const hidden = inputsOf(kind, "[secret]");
  const steps = types.map((type) => ({
    type,
    ...Object.fromEntries(
      OPS.map((op) => [
        op,
        isSaid(type, op, op === "create" ? undefined : before, op === "delete" ? undefined : after),
      ]),
    ),
    hidden: isSaid(type, "update", hidden, hidden),
    retained: isSaid(type, "delete", before, undefined, { retainOnDelete: true }),
    same: isSaid(type, "same", before, before),
  }));
  const said = Object.fromEntries(OPS.map((op) => [op, quietOf(kind, op) === undefined]));
  expect(steps).toEqual(types.map((type) => ({ type, ...said, hidden: true, retained: false, same: false })));
});

const CONNECTOR = (service: string) => `kubernetes:${service}.cnrm.cloud.google.com/v1beta1`;
const POOL = "gcp:iam/workforcePool:WorkforcePool";
const TRUSTED = "gcp:iam/workloadIdentityPool:WorkloadIdentityPool";
const [CLUSTER, VM] = ["gcp:container/cluster:Cluster", "gcp:compute/instance:Instance"];
test.each<[string, string[]]>([
  [POOL, ["accessRestrictions", "disableProgrammaticSignin"]],
  [TRUSTED, ["inlineTrustConfig", "additionalTrustBundles"]],
  [CLUSTER, ["identityServiceConfig", "enabled"]],
  [VM, ["metadata", "serial-port-enable"]],
  [VM, ["params", "resourceManagerTags"]],
  ["gcp:bigquery/dataset:Dataset", ["resourceTags", "acme/env"]],
  ["mine:tf:google_bigquery_table", ["resource_tags", "acme/env"]],
  ["google-native:notebooks/v1:Runtime", ["accessConfig", "runtimeOwner"]],
  [`${CONNECTOR("storage")}:StorageBucket`, ["spec", "uniformBucketLevelAccess"]],
  [`${CONNECTOR("bigquery")}:BigQueryDataset`, ["spec", "access"]],
  [`${CONNECTOR("run")}:RunService`, ["spec", "invokerIamDisabled"]],
  [`${CONNECTOR("sql")}:SQLInstance`, ["spec", "settings", "databaseFlags"]],
  [`${CONNECTOR("resourcemanager")}:Project`, ["spec", "folderRef", "external"]],
  [`${CONNECTOR("datacatalog")}:DataCatalogPolicyTag`, ["spec", "parentPolicyTag"]],
  [`${CONNECTOR("compute")}:ComputeInstance`, ["spec", "metadata", "ssh-keys"]],
])("an update of %s counts if it changes %j", (type, path) => {
  const inputs = (value: unknown) => path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
  expect(isSaid(type, "update", inputs("one"), inputs("two"))).toBe(true);
  expect(isSaid(type, "update", inputs("one"), { ...inputs("one"), labels: {} })).toBe(false);
});

test.each([
  ...foreignTypesOf("gcp:organizations/Folder"),
  "google-native:cloudresourcemanager/v3:Folder",
  "google-native:cloudresourcemanager/v3:Project",
])("a move of %s from a folder to the organization with its number counts", (type) => {
  const [folder, organization] = [{ parent: "folders/1" }, { parent: "organizations/1" }];
  expect([isSaid(type, "update", folder, organization), isSaid(type, "update", organization, folder)]).toEqual([
    true,
    true,
  ]);
  expect(isSaid(type, "update", { folderId: "1" }, { folderId: "folders/1" })).toBe(false);
});

test.each(CASES.filter(([, { isIdentity }]) => isIdentity))(
  "a replacement of %s under its own name counts",
  (type, kind) => {
    const same = inputsOf(kind, "one");
    expect(isSaid(type, "replace", same, same)).toBe(true);
    expect(isSaid(type, "replace", same, same, { pendingReplacement: true })).toBe(true);
    expect(isSaid(type, "update", same, same)).toBe(false);
    expect(isSaid(type, "replace", same, same, { retainOnDelete: true })).toBe(false);
  },
);

/** One type of each row, of the packages by turns: what decides is in the row. */
const ONE_OF_EACH = ROWS.map(([, kind, types], row) => [types[row % types.length] ?? "", kind] as const);
noteLeftOut("the digests of the other types of each row");

const decided = leftOut === undefined ? CASES : ONE_OF_EACH;
test.each(decided)("two steps on %s have one digest only if they change what decides in the same way", (type, kind) => {
  const [one, two, three, hidden, unknown] = ["one", "two", "three", "[secret]", UNKNOWN_TEXT].map((value) =>
    inputsOf(kind, value),
  );
  const [digest] = digestsOf(type, "update", one, two);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(digestsOf(type, "update", one, two)).toEqual([digest]);
  expect(digestsOf(type, "update", one, three)).not.toEqual([digest]);
  expect(digestsOf(type, "update", two, one)).not.toEqual([digest]);
  expect(digestsOf(type, "replace", one, two)).not.toEqual([digest]);
  expect(digestsOf(type, "update", one, hidden)).toEqual([null]);
  expect(digestsOf(type, "update", hidden, two)).toEqual([null]);
  expect(digestsOf(type, "update", one, unknown)).toEqual([null]);
  // What does not decide is another change of the program.
  if (kind.inputs)
    expect(digestsOf(type, "update", { ...one, labels: "x" }, { ...two, labels: "y" })).toEqual([digest]);
});

const COLUMNS = [
  { name: "id" },
  { name: "email", policyTags: { names: ["projects/p/locations/us/taxonomies/1/policyTags/2"] } },
];
const OPEN = COLUMNS.map(({ name }) => ({ name }));

test.each<[string, (columns: object[]) => unknown]>([
  ["gcp:bigquery/table:Table", JSON.stringify],
  ["mine:tf:google_bigquery_table", JSON.stringify],
  ["google-native:bigquery/v2:Table", (fields) => ({ fields })],
])("a step on %s counts if a policy of a column goes or changes, and not for another column", (type, schemaOf) => {
  const said = (before: object[], after: object[]) =>
    isSaid(type, "update", { schema: schemaOf(before) }, { schema: schemaOf(after) });
  expect([said(COLUMNS, OPEN), said(OPEN, COLUMNS)]).toEqual([true, true]);
  expect(said(COLUMNS, [...COLUMNS.toReversed(), { name: "new" }])).toBe(false);
  expect(said([{ name: "record", fields: COLUMNS }], [{ name: "record", fields: OPEN }])).toBe(true);
});
