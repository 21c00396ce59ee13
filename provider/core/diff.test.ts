import fc from "fast-check";
import { resources } from "../services";
import { segments, valuesOf } from "../testing/arbitrary";
import { changedProperties, changesOf, type PropertyChange } from "./diff";
import { formatPath } from "./problem";
import { propertiesOf } from "./field";
import { UNKNOWN, type Values } from "./unknown";

const definitionOf = (name: string) => {
  const found = resources.find((each) => each.definition.name === name);
  if (!found) throw new Error(`no resource ${name}`);
  return found.definition;
};

const association = {
  project: "p",
  location: "us-central1-a",
  firewallEndpointAssociationId: "a",
  network: "projects/p/global/networks/n",
  firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
  tlsInspectionPolicy: "projects/p/locations/us-central1/tlsInspectionPolicies/t",
  labels: { env: "prod", team: "a" },
  requestId: "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11",
};
const grant = {
  name: "projects/p/locations/us/datasets/d/fhirStores/f",
  role: "roles/viewer",
  member: "user:ada@example.com",
  condition: { title: "t", expression: "true", description: "d" },
};
const job = { ...grant, name: "projects/p/locations/us-central1/migrationJobs/j" };

/** The kind of the only change between the current and the desired value; "none" without a change. */
function verdict(name: string, current: Values, wanted: Values): string {
  const changes = changesOf(definitionOf(name), current, wanted);
  if (changes.length === 0) return "none";
  return [...new Set(changes.map(({ kind, replaces }) => (replaces ? `replace (${kind})` : kind)))].join(", ");
}

const without = (values: Values, property: string) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== property));

interface Row {
  property: string;
  /** Another spelling of the same value, if there is one. */
  spelling?: unknown;
  other: unknown;
  update: string;
  remove: string;
  add: string;
  unknown: string;
}

/** The effect of each input's change. docs/wire.md section 6 for `location` and `project`; the definitions for the others. */
const ASSOCIATION: Row[] = [
  {
    property: "network",
    spelling: "https://compute.googleapis.com/compute/v1/projects/p/global/networks/n",
    other: "projects/p/global/networks/m",
    update: "update",
    remove: "delete",
    add: "add",
    unknown: "update",
  },
  {
    property: "firewallEndpoint",
    spelling: "//networksecurity.googleapis.com/organizations/1/locations/us-central1-a/firewallEndpoints/e",
    other: "organizations/1/locations/us-central1-a/firewallEndpoints/f",
    update: "update",
    remove: "delete",
    add: "add",
    unknown: "update",
  },
  {
    property: "tlsInspectionPolicy",
    spelling: "https://networksecurity.googleapis.com/v1/projects/123/locations/us-central1/tlsInspectionPolicies/t",
    other: "projects/p/locations/us-central1/tlsInspectionPolicies/u",
    update: "update",
    remove: "delete",
    add: "add",
    unknown: "update",
  },
  {
    property: "labels",
    spelling: { team: "a", env: "prod" },
    other: { env: "test", team: "a" },
    update: "update",
    remove: "delete",
    add: "add",
    unknown: "update",
  },
  // The finished association always has a value for these: an omitted input accepts the current value.
  {
    property: "firewallEndpointAssociationId",
    other: "b",
    update: "replace (update)",
    remove: "none",
    add: "replace (add)",
    unknown: "replace (update)",
  },
  {
    property: "location",
    other: "us-central1-b",
    update: "replace (update)",
    remove: "none",
    add: "replace (add)",
    unknown: "replace (update)",
  },
  {
    property: "project",
    other: "q",
    update: "replace (update)",
    remove: "none",
    add: "replace (add)",
    unknown: "replace (update)",
  },
  // It belongs to the create request; the association does not store it.
  {
    property: "requestId",
    other: "5d0f2f0e-7d0b-4c3c-9a55-0d1f5ad0c8f4",
    update: "none",
    remove: "none",
    add: "none",
    unknown: "none",
  },
];

const replaced = {
  update: "replace (update)",
  remove: "replace (delete)",
  add: "replace (add)",
  unknown: "replace (update)",
};
const GRANT: Row[] = [
  {
    property: "name",
    spelling: "//healthcare.googleapis.com/projects/p/locations/us/datasets/d/fhirStores/f",
    other: "projects/p/locations/us/datasets/d/fhirStores/g",
    ...replaced,
  },
  { property: "role", other: "roles/editor", ...replaced },
  { property: "member", other: "user:grace@example.com", ...replaced },
  {
    property: "condition",
    spelling: { description: "d", expression: "true", title: "t" },
    other: { ...grant.condition, expression: "false" },
    ...replaced,
  },
];
const JOB: Row[] = GRANT.map((row) =>
  row.property === "name"
    ? {
        ...row,
        spelling: "https://datamigration.googleapis.com/v1beta1/projects/p/locations/us-central1/migrationJobs/j",
        other: "projects/p/locations/us-central1/migrationJobs/k",
      }
    : row,
);

describe.each([
  ["FirewallEndpointAssociation", association as Values, ASSOCIATION],
  ["DatasetFhirStoreIamMember", grant as Values, GRANT],
  ["MigrationJobIamMember", job as Values, JOB],
])("%s", (name, values, rows) => {
  test("the table has a row for every input", () => {
    const inputs = propertiesOf(definitionOf(name).inputs).map(([property]) => property);
    expect(rows.map((row) => row.property).sort()).toEqual([...inputs].sort());
  });

  describe.each(rows)("$property", (row) => {
    const { property } = row;
    test.each<[string, Values, Values, string]>([
      ["the same", values, values, "none"],
      ["another spelling", values, { ...values, [property]: row.spelling ?? values[property] }, "none"],
      ["another value", values, { ...values, [property]: row.other }, row.update],
      ["removed", values, without(values, property), row.remove],
      ["added", without(values, property), values, row.add],
      ["not known yet", values, { ...values, [property]: UNKNOWN }, row.unknown],
    ])("%s", (_what, current, wanted, expected) => {
      expect(verdict(name, current, wanted)).toBe(expected);
    });
  });

  test("outputs of the server never differ", () => {
    const outputs = propertiesOf(definitionOf(name).outputs).map(([property]) => [property, "anything"]);
    expect(verdict(name, { ...values, ...Object.fromEntries(outputs) }, values)).toBe("none");
  });

  test("equal values never differ", () => {
    fc.assert(
      fc.property(valuesOf(definitionOf(name).inputs), (any) => {
        expect(changesOf(definitionOf(name), any, structuredClone(any))).toEqual([]);
      }),
    );
  });
});

describe("labels", () => {
  const changes = (current: Values | undefined, wanted: Values | undefined) =>
    changesOf(definitionOf("FirewallEndpointAssociation"), { labels: current }, { labels: wanted }).map(
      ({ path, kind }: PropertyChange) => [path.join("."), kind],
    );

  test("differ label by label", () => {
    expect(changes({ a: "1", b: "2", c: "3" }, { a: "1", b: "x", d: "4" })).toEqual([
      ["labels.b", "update"],
      ["labels.c", "delete"],
      ["labels.d", "add"],
    ]);
  });

  test("undefined, null and an empty map are equal", () => {
    expect(changes({}, undefined)).toEqual([]);
    expect(changes(undefined, {})).toEqual([]);
  });

  test("a label with an empty value counts as a label", () => {
    expect(changes({ a: "1" }, { a: "1", b: "" })).toEqual([["labels.b", "add"]]);
    expect(changes({ a: "1", b: "" }, { a: "1" })).toEqual([["labels.b", "delete"]]);
    expect(changes({ a: "" }, { a: "" })).toEqual([]);
  });

  test("a label may have the name of an inherited property", () => {
    expect(changes({ a: "1" }, { a: "1", constructor: "x" })).toEqual([["labels.constructor", "add"]]);
    expect(changes({ a: "1", constructor: "x" }, { a: "1" })).toEqual([["labels.constructor", "delete"]]);
  });

  test("only the unknown label differs", () => {
    expect(changes({ a: "1", b: "2" }, { a: UNKNOWN, b: "2" })).toEqual([["labels.a", "update"]]);
  });
});

test("an empty description of a condition equals a missing description", () => {
  const { description: _, ...condition } = grant.condition;
  const wanted = { ...grant, condition: { ...condition, description: "" } };
  expect(verdict("DatasetFhirStoreIamMember", { ...grant, condition }, wanted)).toBe("none");
});

test("two spellings of a network are equal", () => {
  const prefixes = fc.constantFrom("", "//compute.googleapis.com/", "https://www.googleapis.com/compute/v1/");
  fc.assert(
    fc.property(prefixes, prefixes, segments, (left, right, id) => {
      const name = `projects/p/global/networks/${id}`;
      const spelled = (prefix: string) => ({ ...association, network: prefix + name });
      expect(verdict("FirewallEndpointAssociation", spelled(left), spelled(right))).toBe("none");
    }),
  );
});

test("lists changes by path, and by property for update masks", () => {
  const wanted = { ...association, network: "projects/p/global/networks/m", labels: { "a.b": "1" } };
  const changes = changesOf(definitionOf("FirewallEndpointAssociation"), association, wanted);
  expect(changedProperties(changes)).toEqual(["network", "labels"]);
  expect(changes.map(({ path }) => formatPath(path))).toEqual([
    "network",
    "labels.env",
    "labels.team",
    'labels["a.b"]',
  ]);
});
