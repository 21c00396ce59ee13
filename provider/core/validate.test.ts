import { z } from "zod";
import { lookups, resources } from "../services";
import { field, isOptional, metaOf, objectType, propertiesOf, propertyOf, requiredProperties, shapeOf } from "./field";
import type { Problem } from "./problem";
import { UNKNOWN, withoutAbsent, type Values } from "./unknown";
import { normalizeReferences, problemsOf } from "./validate";

const definition = (name: string) => {
  const found = [...resources, ...lookups].find((each) => each.definition.name === name)?.definition;
  if (!found) throw new Error(`no definition ${name}`);
  return found;
};
const inputsOf = (name: string) => {
  const found = definition(name);
  return found.kind === "resource" ? found.inputs : found.args;
};

const association = {
  firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
  network: "projects/p/global/networks/n",
  location: "us-central1-a",
};
const grant = {
  name: "projects/p/locations/us/datasets/d/fhirStores/f",
  role: "roles/viewer",
  member: "user:ada@example.com",
};
const TOPIC = "//pubsub.googleapis.com/projects/p/topics/t";
/** A name of the resource of a member grant. */
const nameOfParent = (inputs: z.ZodObject): string => {
  const name = propertyOf(inputs, "name");
  return (name && metaOf(name).reference?.templates[0]?.template.replace(/\{\w+\}/g, "x")) ?? "";
};
/** Valid values for each definition. The values of grants and lookups are derived from their definitions. */
const VALID: Record<string, Values> = {
  FirewallEndpointAssociation: association,
  ...Object.fromEntries(
    resources
      .filter(({ definition }) => /Iam(Member|Binding)$/.test(definition.name))
      .map(({ definition: { name, inputs } }) => {
        const { member, ...rest } = grant;
        const who = name.endsWith("Binding") ? { members: [member] } : { member };
        if (propertyOf(inputs, "resource")) return [name, { role: grant.role, ...who, resource: TOPIC }];
        return [name, { ...rest, ...who, name: nameOfParent(inputs) }];
      }),
  ),
  ...Object.fromEntries(
    lookups.map(({ definition: { name, args } }) => [
      name,
      Object.fromEntries(requiredProperties(args).map((each) => [each, each === "resource" ? TOPIC : "x"])),
    ]),
  ),
};
const names = Object.keys(VALID);

const problems = (name: string, changes: Values, isSecret?: (path: readonly unknown[]) => boolean): Problem[] =>
  problemsOf(inputsOf(name), { ...VALID[name], ...changes }, isSecret);
const associationProblems = (changes: Values) => problems("FirewallEndpointAssociation", changes);
const grantProblems = (changes: Values) => problems("DatasetFhirStoreIamMember", changes);

test("this suite covers every definition", () => {
  expect(names.sort()).toEqual([...resources, ...lookups].map((each) => each.definition.name).sort());
});

describe.each(names)("%s", (name) => {
  test("accepts the shortest valid values", () => {
    expect(problems(name, {})).toEqual([]);
  });

  test("reports all missing required properties by name, at once", () => {
    // The association's location is required unless the configuration has a zone, which the schema cannot know.
    const required = requiredProperties(inputsOf(name));
    const found = problemsOf(inputsOf(name), {});
    expect(found.map((each) => each.path).sort()).toEqual([...required].sort());
    for (const { reason } of found) expect(reason).toMatch(/^is required but missing: /);
  });

  test("refuses an unknown property, and lists the known ones", () => {
    const [problem, ...others] = problems(name, { nonsense: 1 });
    expect(others).toEqual([]);
    expect(problem?.path).toBe("nonsense");
    expect(problem?.reason).toContain("is not a property of this type");
    for (const [property] of propertiesOf(inputsOf(name))) expect(problem?.reason).toContain(property);
  });

  test("reports the type of each property when a value has a wrong type", () => {
    for (const [property] of propertiesOf(inputsOf(name))) {
      const found = problems(name, { [property]: [1] });
      expect(found).toHaveLength(1);
      const isList = shapeOf(propertyOf(inputsOf(name), property) as z.ZodType).kind === "list";
      const [path, got] = isList ? [`${property}[0]`, "1"] : [property, "a list"];
      expect(found[0]).toMatchObject({ path, reason: expect.stringMatching(`^must be .*, got ${got}$`) });
    }
  });

  test("never fails for an unknown value of any property", () => {
    for (const [property] of propertiesOf(inputsOf(name))) expect(problems(name, { [property]: UNKNOWN })).toEqual([]);
  });
});

describe("problems", () => {
  test("are reported all at once, each with its path", () => {
    const found = associationProblems({
      network: "n",
      requestId: "1",
      labels: { Env: "prod", ok: "Not Ok" },
      zone: "us-central1-a",
    });
    expect(found.map((each) => each.path).sort()).toEqual(["labels.Env", "labels.ok", "network", "requestId", "zone"]);
  });

  test("suggest the correct property, also in nested objects", () => {
    expect(associationProblems({ tlsInspectionPolcy: "x" })[0]?.reason).toContain(
      'did you mean "tlsInspectionPolicy"?',
    );
    const nested = grantProblems({ condition: { title: "t", expression: "e", descripton: "d" } });
    expect(nested).toEqual([
      { path: "condition.descripton", reason: expect.stringContaining('did you mean "description"?') },
    ]);
  });

  test("are found in known values, also when other values are unknown", () => {
    const found = associationProblems({ network: UNKNOWN, labels: { a: UNKNOWN, B: "x" }, requestId: "1" });
    expect(found.map((each) => each.path).sort()).toEqual(["labels.B", "requestId"]);
    expect(grantProblems({ condition: { title: UNKNOWN, expression: "e" } })).toEqual([]);
  });

  test("never quote a value that the user marked as secret", () => {
    const hidden = "hidden-value with blanks";
    for (const property of ["network", "requestId", "location"]) {
      const [open] = associationProblems({ [property]: hidden });
      expect(open?.reason).toContain(hidden);
      const [secret] = problems("FirewallEndpointAssociation", { [property]: hidden }, ([at]) => at === property);
      expect(secret?.path).toBe(property);
      expect(secret?.reason).not.toContain("hidden-value");
    }
    const labels = problems("FirewallEndpointAssociation", { labels: { a: hidden } }, ([at]) => at === "labels");
    expect(labels).toHaveLength(1);
    expect(JSON.stringify(labels)).not.toContain("hidden-value");
  });

  test("name an absent nested value", () => {
    expect(associationProblems({ labels: { a: undefined } })).toEqual([
      { path: "labels.a", reason: expect.stringContaining("is required") },
    ]);
  });
});

describe("requestId", () => {
  test.each(["3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11", "3F2C5A3E-8F5D-4C59-9B1B-0D3C3B6D2F11"])("%s is valid", (id) => {
    expect(associationProblems({ requestId: id })).toEqual([]);
  });

  test.each([
    ["", "must be a valid UUID"],
    ["3f2c5a3e", "must be a valid UUID"],
    ["{3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11}", "must be a valid UUID"],
    ["00000000-0000-0000-0000-000000000000", "must not be the zero UUID"],
  ])("%p is refused", (id, reason) => {
    const found = associationProblems({ requestId: id });
    expect(found).toEqual([{ path: "requestId", reason: expect.stringContaining(reason) }]);
  });
});

describe("labels", () => {
  test.each([{}, { a: "" }, { a: "1" }, { "a-b_c9": "x-y_z" }, { é: "ü" }, { ["k".repeat(63)]: "v".repeat(63) }])(
    "%j are accepted",
    (labels) => {
      expect(associationProblems({ labels })).toEqual([]);
    },
  );

  test.each([
    ["a key that begins with a digit", { "1a": "x" }, 'labels["1a"]'],
    ["a key with a capital", { Env: "x" }, "labels.Env"],
    ["an empty key", { "": "x" }, 'labels[""]'],
    ["a key of 64 characters", { ["k".repeat(64)]: "x" }, `labels.${"k".repeat(64)}`],
    ["a value with a capital", { a: "X" }, "labels.a"],
    ["a value with a blank", { a: "x y" }, "labels.a"],
    ["a value of 64 characters", { a: "v".repeat(64) }, "labels.a"],
  ])("%s is refused", (_what, labels, path) => {
    expect(associationProblems({ labels }).map((each) => each.path)).toEqual([path]);
  });

  test("quotes a wrong value, but not the value of a wrong key", () => {
    expect(associationProblems({ labels: { a: "X" } })[0]?.reason).toContain('got "X"');
    expect(associationProblems({ labels: { Env: "prod" } })[0]?.reason).not.toContain("prod");
  });

  test("accepts 64 labels, but not 65", () => {
    const some = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));
    expect(associationProblems({ labels: some(64) })).toEqual([]);
    expect(associationProblems({ labels: some(65) })).toEqual([
      { path: "labels", reason: expect.stringContaining("at most 64") },
    ]);
  });
});

describe("references", () => {
  test.each([
    ["network", "//compute.googleapis.com/projects/p/global/networks/n"],
    ["network", "https://www.googleapis.com/compute/v1/projects/p/global/networks/n"],
    ["firewallEndpoint", "projects/p/locations/us-central1-a/firewallEndpoints/e"],
    ["firewallEndpoint", "//networksecurity.googleapis.com/organizations/1/locations/z/firewallEndpoints/e"],
    ["tlsInspectionPolicy", "projects/p/locations/us-central1/tlsInspectionPolicies/t"],
    ["tlsInspectionPolicy", "https://networksecurity.googleapis.com/v1/projects/p/locations/r/tlsInspectionPolicies/t"],
  ])("%s: %s is accepted and normalized", (property, spelling) => {
    expect(associationProblems({ [property]: spelling })).toEqual([]);
    const normal = normalizeReferences(inputsOf("FirewallEndpointAssociation"), { [property]: spelling })[property];
    expect(normal).toBe(spelling.slice(spelling.search(/(projects|organizations)\//)));
  });

  test.each([
    ["network", "default", "projects/{project}/global/networks/{network}"],
    ["network", "projects/p/regions/r/subnetworks/n", "projects/{project}/global/networks/{network}"],
    ["firewallEndpoint", "projects/p/global/networks/n", "organizations/{organization}/locations/"],
    ["tlsInspectionPolicy", "t", "tlsInspectionPolicies/{tlsInspectionPolicy}"],
  ])("%s: %s is refused, and the message shows the valid form", (property, wrong, form) => {
    const found = associationProblems({ [property]: wrong });
    expect(found).toEqual([{ path: property, reason: expect.stringContaining(form) }]);
  });

  test("a grant's name must name a resource of its kind", () => {
    expect(grantProblems({ name: `//healthcare.googleapis.com/${grant.name}` })).toEqual([]);
    expect(grantProblems({ name: `https://healthcare.googleapis.com/v1beta1/${grant.name}` })).toEqual([]);
    expect(grantProblems({ name: "projects/p/locations/us-central1/migrationJobs/j" })[0]?.reason).toContain(
      "must be the name of a FHIR store",
    );
    expect(problems("MigrationJobIamMember", { name: grant.name })[0]?.reason).toContain("of a migration job");
    expect(grantProblems({ name: "f" })).toHaveLength(1);
  });
});

describe("optionsRequestedPolicyVersion", () => {
  const versions = (version: unknown) => problems("getTriggerIamPolicy", { optionsRequestedPolicyVersion: version });

  test.each([0, 1, 3])("%i is accepted", (version) => {
    expect(versions(version)).toEqual([]);
    expect(problems("getGatewayIamPolicy", { optionsRequestedPolicyVersion: version })).toEqual([]);
  });

  test.each([2, 4, -1, 1.5, "3"])("%p is refused", (version) => {
    expect(versions(version).map((each) => each.path)).toEqual(["optionsRequestedPolicyVersion"]);
  });

  test("the error lists the valid values", () => {
    expect(versions(2)[0]?.reason).toBe("must be 0, 1 or 3, got 2");
  });
});

describe("role", () => {
  test.each(["roles/viewer", "roles/healthcare.fhirStoreAdmin", "projects/p/roles/my_role", "organizations/1/roles/x"])(
    "%s is accepted",
    (role) => {
      expect(grantProblems({ role })).toEqual([]);
    },
  );

  test.each(["viewer", "roles/", "role/viewer", "roles/a b", "folders/1/roles/x"])("%s is refused", (role) => {
    expect(grantProblems({ role })).toEqual([{ path: "role", reason: expect.stringContaining("must be a role") }]);
  });
});

describe("condition", () => {
  test("needs an expression and a title; the description is optional", () => {
    expect(grantProblems({ condition: {} }).map((each) => each.path)).toEqual([
      "condition.expression",
      "condition.title",
    ]);
    expect(grantProblems({ condition: { expression: "", title: "" } })).toHaveLength(2);
    expect(grantProblems({ condition: { expression: "true", title: "t" } })).toEqual([]);
    expect(grantProblems({ condition: { expression: "true", title: "t", description: "d" } })).toEqual([]);
  });

  test("treats null like a missing property, as everywhere", () => {
    const given = withoutAbsent({ condition: { expression: "true", title: "t", description: null }, role: undefined });
    expect(given).toEqual({ condition: { expression: "true", title: "t" } });
  });
});

describe("parts of names", () => {
  test.each(["a/b", "a b", "", "{scopeId}", "a?b", "a#b"])("%p is not an id", (scopeId) => {
    expect(problems("getScope", { scopeId }).map((each) => each.path)).toContain("scopeId");
  });

  test.each(["project", "location", "firewallEndpointAssociationId"])("%s is one part of a name", (property) => {
    expect(associationProblems({ [property]: "a/b" }).map((each) => each.path)).toEqual([property]);
  });

  test("refuses a location of an association that is certainly not a zone", () => {
    expect(associationProblems({ location: "us-central1" }).map((each) => each.path)).toEqual(["location"]);
    expect(associationProblems({ location: "somewhere" })).toEqual([]);
  });
});

test("names an element of a list by its index", () => {
  const schema = z.strictObject({
    all: field(z.array(objectType("Each", "One.", { a: field(z.string(), "A.") })), "All."),
  });
  expect(problemsOf(schema, { all: [{ a: "x" }, { a: 1 }, { a: UNKNOWN }] })).toEqual([
    { path: "all[1].a", reason: "must be a string, got 1" },
  ]);
});

test("normalizeReferences keeps unknown values and all other properties", () => {
  const values = { network: UNKNOWN, labels: { a: "//b/projects/x" }, location: "l" };
  expect(normalizeReferences(inputsOf("FirewallEndpointAssociation"), values)).toEqual(values);
});

test("accepts a missing optional property, but not a missing required property", () => {
  for (const name of names) {
    const required = requiredProperties(inputsOf(name));
    for (const [property, schema] of propertiesOf(inputsOf(name))) {
      expect(required.includes(property)).toBe(!isOptional(schema));
    }
  }
  expect(requiredProperties(inputsOf("FirewallEndpointAssociation"))).toEqual(["firewallEndpoint", "network"]);
  expect(requiredProperties(inputsOf("DatasetFhirStoreIamMember"))).toEqual(["member", "name", "role"]);
});
