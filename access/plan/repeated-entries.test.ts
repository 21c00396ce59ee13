import { foreignStepsOf, planOf } from "../../tests/support/foreign-plans";
import { foreignResources } from "./foreign-steps";

const ADA = "ada@example.com";
const EVE = "eve@example.com";

interface Entry {
  type: string;
  list: object;
  of: (email: string) => object;
}

const STORAGE: readonly Entry[] = [
  "gcp:storage/bucketAccessControl:BucketAccessControl",
  "gcp:storage/defaultObjectAccessControl:DefaultObjectAccessControl",
  "gcp:storage/objectAccessControl:ObjectAccessControl",
  "google:index/storageBucketAccessControl:StorageBucketAccessControl",
  "google-beta:index/storageDefaultObjectAccessControl:StorageDefaultObjectAccessControl",
  "mine:tf:google_storage_bucket_access_control",
  "google-native:storage/v1:BucketAccessControl",
  "google-native:storage/v1:ObjectAccessControl",
].map((type) => ({ type, list: { bucket: "files" }, of: (email) => ({ role: "READER", entity: `user-${email}` }) }));
const BIGQUERY: readonly Entry[] = [
  "gcp:bigquery/datasetAccess:DatasetAccess",
  "google:index/bigqueryDatasetAccess:BigqueryDatasetAccess",
].map((type) => ({
  type,
  list: { datasetId: "sales", project: "p" },
  of: (userByEmail) => ({ role: "READER", userByEmail }),
}));
const snake = (values: object) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name.replace(/[A-Z]/g, (each) => `_${each.toLowerCase()}`), value]),
  );

const step = (op: string, name: string, { type, list }: Entry, old?: object, next?: object, more: object = {}) => {
  const urn = `urn:pulumi:dev::shop::${type}::${name}`;
  const given = (values: object) => (type.includes(":tf:") ? snake(values) : values);
  const state = (own: object | undefined, others: object) => {
    return own && { urn, type, custom: true, inputs: given({ ...list, ...own }), outputs: {}, ...others };
  };
  return { op, urn, oldState: state(old, more), newState: state(next, {}) };
};

const reviewed = (...steps: object[]) => {
  const found = foreignStepsOf(planOf(...steps));
  return {
    changes: foreignResources(found).flatMap(({ changes }) =>
      changes.map(({ change, principal, role }) => `${change} ${principal} ${role}`),
    ),
    doubts: foreignResources(found).flatMap(({ unknown }) => unknown.map(({ code }) => code)),
    notes: found.flatMap(({ note }) => note ?? []),
  };
};

const LOST = [`lost user:${ADA} READER`];

describe.each(STORAGE.map((entry) => [entry.type, entry] as const))("of %s", (_type, entry) => {
  test("an entry with a new name in the program is lost, because the old one is deleted last", () => {
    const renamed = reviewed(
      step("create", "new", entry, undefined, entry.of(ADA)),
      step("delete", "old", entry, entry.of(ADA)),
    );
    expect(renamed).toMatchObject({ changes: LOST, doubts: [] });
    expect(renamed.notes).toEqual([expect.stringMatching(/^new declares an entry .*delete of old .*alias of old$/)]);
  });

  test("a new name with another role is lost, too, because an entity has one entry", () => {
    const next = { ...entry.of(ADA), role: "OWNER" };
    const steps = [step("create", "new", entry, undefined, next), step("delete", "old", entry, entry.of(ADA))];
    expect(reviewed(...steps)).toMatchObject({ changes: LOST, doubts: [] });
  });

  test("an entry that moves from a replacement to another resource is lost", () => {
    const shifted = reviewed(
      step("replace", "m0", entry, entry.of(ADA), entry.of(EVE), { delete: true }),
      step("create", "m1", entry, undefined, entry.of(ADA)),
    );
    expect(shifted).toMatchObject({ changes: [...LOST, `gained user:${EVE} READER`], doubts: [] });
  });

  test("the order of a replacement that deletes first and of another create decides", () => {
    const old = { pendingReplacement: true };
    const steps = (more: object) => [
      step("replace", "m0", entry, entry.of(ADA), entry.of(EVE), old),
      { ...step("create", "m1", entry, undefined, entry.of(ADA)), ...more },
    ];
    expect(reviewed(...steps({}))).toMatchObject({ changes: [`gained user:${EVE} READER`], doubts: ["no order"] });
    const [first, second] = steps({});
    const after = { ...second, newState: { ...second?.newState, dependencies: [first?.urn] } };
    expect(reviewed(first ?? {}, after)).toMatchObject({ changes: [`gained user:${EVE} READER`], doubts: [] });
  });

  test("a replacement with another role takes its own entry away at the end", () => {
    const [old, next] = [entry.of(ADA), { ...entry.of(ADA), role: "OWNER" }];
    expect(reviewed(step("replace", "it", entry, old, next, { delete: true }))).toMatchObject({ changes: LOST });
    expect(reviewed(step("replace", "it", entry, old, next, { pendingReplacement: true }))).toMatchObject({
      changes: [...LOST, `gained user:${ADA} OWNER`],
    });
  });

  test("a replacement whose delete the plan has in front loses the old entry and gains the new one", () => {
    const [old, next] = [entry.of(ADA), { ...entry.of(ADA), role: "OWNER" }];
    const goes = step("delete-replaced", "it", entry, old);
    const comes = ["replace", "create-replacement"].map((op) => step(op, "it", entry, old, next));
    const changes = [...LOST, `gained user:${ADA} OWNER`];
    expect(reviewed(goes, ...comes)).toEqual({ changes, doubts: [], notes: [] });
    expect(reviewed(...comes.toReversed(), goes)).toMatchObject({ changes: LOST });
  });
});

describe.each(BIGQUERY.map((entry) => [entry.type, entry] as const))("of %s", (_type, entry) => {
  test("an entry with a new name in the program cannot be made, so what happens is unknown", () => {
    const steps = [step("create", "new", entry, undefined, entry.of(ADA)), step("delete", "old", entry, entry.of(ADA))];
    expect(reviewed(...steps)).toMatchObject({ changes: [], doubts: ["unsupported"], notes: [] });
  });

  test.each([
    ["READER", "roles/bigquery.dataViewer"],
    ["WRITER", "roles/bigquery.dataEditor"],
    ["OWNER", "roles/bigquery.dataOwner"],
  ])("%s and %s are one role, and a member has two spellings", (short, long) => {
    const given = [
      { role: short, userByEmail: ADA },
      { role: long, iamMember: `user:${ADA}` },
    ];
    for (const [old, next] of [given, given.toReversed()]) {
      const steps = [step("create", "new", entry, undefined, next), step("delete", "old", entry, old)];
      expect(reviewed(...steps)).toMatchObject({ changes: [], doubts: ["unsupported"], notes: [] });
    }
  });

  test("an entry of another role is another entry", () => {
    const steps = [
      step("create", "new", entry, undefined, { ...entry.of(ADA), role: "OWNER" }),
      step("delete", "old", entry, entry.of(ADA)),
    ];
    expect(reviewed(...steps)).toMatchObject({ doubts: [], notes: [] });
    expect(reviewed(...steps).changes.toSorted()).toEqual([`gained user:${ADA} OWNER`, ...LOST]);
  });
});

describe.each([...STORAGE, ...BIGQUERY].map((entry) => [entry.type, entry] as const))("of %s", (_type, entry) => {
  test("an entry with an alias does not change", () => {
    const renamed = step("same", "new", entry, entry.of(ADA), entry.of(ADA));
    const old = { ...renamed.oldState, urn: `urn:pulumi:dev::shop::${entry.type}::old` };
    expect(reviewed({ ...renamed, oldState: old })).toEqual({ changes: [], doubts: [], notes: [] });
  });

  test.each<[string, object, object]>([
    ["the option retainOnDelete", { retainOnDelete: true }, {}],
    ["the deletion policy ABANDON", {}, { deletionPolicy: "ABANDON" }],
  ])("the old entry of a replacement stays with %s", (_what, more, input) => {
    const old = { ...entry.of(ADA), ...input };
    expect(reviewed(step("replace", "it", entry, old, entry.of(EVE), { delete: true, ...more })).changes).toEqual([
      `gained user:${EVE} READER`,
    ]);
    expect(
      reviewed(step("replace", "it", entry, old, entry.of(EVE), { pendingReplacement: true, ...more })).changes,
    ).toEqual([`gained user:${EVE} READER`]);
    expect(reviewed(step("delete", "it", entry, old, undefined, more)).changes).toEqual([]);
  });

  test("the old entry of a replacement is lost otherwise", () => {
    expect(reviewed(step("replace", "it", entry, entry.of(ADA), entry.of(EVE), { delete: true })).changes).toEqual([
      ...LOST,
      `gained user:${EVE} READER`,
    ]);
  });
});
