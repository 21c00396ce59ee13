import { answerWith, onlyStack } from "../../tests/support/answers";
import { resourceOf } from "../../tests/support/review-results";
import type { AccessChanged, ReviewedResource } from "../result/result";
import { judge } from "./judge";
import type { ReviewPolicy } from "./rules";

const reason = "because";
const [ROLE, principal] = ["roles/editor", "user:ada@example.com"];
const PROJECT = { id: "example-prod", number: "123456" };
const BUCKET = "//storage.googleapis.com/projects/_/buckets/records";
const TOPIC = "//pubsub.googleapis.com/projects/123456/topics/orders";
const STORE = "projects/123456/locations/l/datasets/d/fhirStores/f";
const OBJECT = "//storage.googleapis.com/projects/_/buckets/records/objects/a/b";
const ACCOUNT = "//iam.googleapis.com/projects/example-prod/serviceAccounts/a@example-prod.iam.gserviceaccount.com";

function codeOf(
  rules: Partial<ReviewPolicy>,
  change: AccessChanged["change"],
  resource: Pick<ReviewedResource, "api" | "resource" | "project" | "otherProvider">,
  options: { allowLoss?: string[] } = {},
): number {
  const conditionBefore = change === "condition" ? { conditionBefore: { title: "t", expression: "true" } } : {};
  const changed: AccessChanged = { principal, role: ROLE, change, steps: [], ...conditionBefore };
  const result = onlyStack(answerWith({ resources: [resourceOf({ ...resource, changes: [changed] })] }));
  return judge(result, { policy: { version: 1, ...rules }, allowLoss: [ROLE], ...options }).exitCode;
}

/** Every rule that refuses, about a resource of this pattern. */
const refusing = (pattern: string): [name: string, rules: Partial<ReviewPolicy>, change: AccessChanged["change"]][] => {
  const resources = [pattern];
  const roles = [ROLE];
  return [
    ["forbiddenRoles", { forbiddenRoles: [{ roles, resources, reason }] }, "gained"],
    ["protectedPrincipals", { protectedPrincipals: [{ principals: ["user:*"], resources, reason }] }, "lost"],
    ["conditionRequired", { conditionRequired: [{ roles, resources, reason }] }, "condition"],
  ];
};

describe.each<[api: string, resource: string, same: string[], other: string[]]>([
  [
    "pubsub",
    TOPIC,
    [
      "projects/123456/topics/orders",
      "projects/example-prod/topics/orders",
      "projects/example-*",
      "//pubsub.googleapis.com/projects/example-prod/*",
      TOPIC,
    ],
    ["projects/example-prod/topics/other", "//storage.googleapis.com/*", "projects/654321/*", "projects/other/*"],
  ],
  [
    "healthcare",
    STORE,
    [STORE, `//healthcare.googleapis.com/${STORE}`, "projects/example-prod/*/fhirStores/f", "*/example-prod/*"],
    ["projects/example-prod/*/fhirStores/g", `//pubsub.googleapis.com/${STORE}`],
  ],
  [
    "storage",
    BUCKET,
    ["b/records", "projects/_/buckets/records", BUCKET, "b/rec*"],
    ["b/record", "projects/*/topics/*"],
  ],
  ["storage", "b/records", ["b/records", BUCKET, "projects/_/buckets/*"], ["projects/example-prod/*"]],
  ["storage", OBJECT, ["b/records/o/a%2Fb", "projects/_/buckets/records/objects/a/*", "b/records/*"], ["b/records"]],
  [
    "bigtableadmin",
    "//bigtable.googleapis.com/projects/example-prod/instances/i",
    ["projects/123456/instances/i", "//bigtableadmin.googleapis.com/projects/example-prod/instances/i"],
    ["projects/example-prod/instances/j"],
  ],
  [
    "cloudresourcemanager",
    "//cloudresourcemanager.googleapis.com/projects/example-prod",
    ["projects/example-prod", "projects/123456", "//cloudresourcemanager.googleapis.com/projects/123456"],
    ["projects/example-prod/*"],
  ],
  [
    "iam",
    ACCOUNT,
    ["projects/-/serviceAccounts/a@*", "projects/123456/serviceAccounts/*"],
    ["projects/-/serviceAccounts/b@*"],
  ],
])("a rule about %s compares every name of %s", (api, resource, same, other) => {
  const known = { api, resource, project: PROJECT };
  // Nothing says the project of a bucket.
  const named = resource.includes("example-prod") || resource.includes("123456") ? known : { api, resource };

  test.each(same.flatMap((pattern) => refusing(pattern).map((each) => [pattern, ...each] as const)))(
    "%s, in %s",
    (_pattern, _name, rules, change) => expect(codeOf(rules, change, named)).toBe(2),
  );

  test.each(other.flatMap((pattern) => refusing(pattern).map((each) => [pattern, ...each] as const)))(
    "%s names another resource, in %s",
    (_pattern, _name, rules, change) => expect(codeOf(rules, change, named)).toBe(0),
  );

  test.each(same)("an allowance of %s is about the same resource", (pattern) => {
    const allowLoss = [{ resources: [pattern], reason }];
    expect(codeOf({ allowLoss }, "lost", named, { allowLoss: [] })).toBe(0);
    if (!pattern.includes("*")) expect(codeOf({}, "lost", named, { allowLoss: [pattern] })).toBe(0);
  });
});

describe("without the project's other name, a rule that refuses may apply, and one that allows does not", () => {
  test.each([
    ["pubsub", TOPIC, "projects/example-prod/topics/*", 3],
    ["pubsub", TOPIC, "//pubsub.googleapis.com/projects/example-prod/topics/orders", 3],
    ["pubsub", TOPIC, "projects/example-prod/topics/other", 0],
    ["cloudresourcemanager", "//cloudresourcemanager.googleapis.com/projects/123456", "projects/example-prod", 3],
    ["cloudresourcemanager", "//cloudresourcemanager.googleapis.com/projects/example-prod", "projects/123456", 3],
    ["iam", ACCOUNT.replace("example-prod", "-"), "projects/example-prod/serviceAccounts/*", 3],
    ["storage", BUCKET, "projects/123456/*", 0],
  ])("%s: %s by %s", (api, resource, pattern, expected) => {
    for (const [, rules, change] of refusing(pattern)) {
      expect(codeOf(rules, change, { api, resource })).toBe(expected);
      expect(codeOf({ unknown: "allow", ...rules }, change, { api, resource })).toBe(expected);
    }
    expect(
      codeOf({ allowLoss: [{ resources: [pattern], reason }] }, "lost", { api, resource }, { allowLoss: [] }),
    ).toBe(2);
  });
});

describe("a step of another provider, whose resource only inputs name", () => {
  test.each([
    ["projects/example-prod", "//cloudresourcemanager.googleapis.com/projects/example-prod", 2],
    ["folders/7", "//cloudresourcemanager.googleapis.com/folders/7", 2],
    ["projects/example-prod/topics/orders", "//pubsub.googleapis.com/projects/example-prod/topics/orders", 2],
    ["projects/example-prod/topics/orders", "//pubsub.googleapis.com/projects/123456/topics/orders", 3],
    // Several APIs have such a name.
    [
      "projects/example-prod/locations/l/services/s",
      "//run.googleapis.com/projects/example-prod/locations/l/services/s",
      3,
    ],
    ["projects/example-prod/topics/orders", "//pubsub.googleapis.com/projects/example-prod/topics/others", 0],
  ])("%s may be %s", (resource, pattern, expected) => {
    for (const [, rules, change] of refusing(pattern)) {
      expect(codeOf(rules, change, { api: "projects", resource, otherProvider: "google" })).toBe(expected);
    }
    const allowLoss = [{ resources: [pattern], reason }];
    const subject = { api: "projects", resource, otherProvider: "google" };
    expect(codeOf({ allowLoss }, "lost", subject, { allowLoss: [] })).toBe(expected === 2 ? 0 : 2);
  });
});

test("a full name of another API allows nothing", () => {
  const options = { allowLoss: [TOPIC.replace("pubsub", "storage")] };
  expect(codeOf({}, "lost", { api: "pubsub", resource: TOPIC, project: PROJECT }, options)).toBe(2);
});

test("a name with a hidden part may be any of a rule", () => {
  const hidden = { api: "pubsub", resource: "//pubsub.googleapis.com/projects/p/topics/[known after the update]" };
  for (const [, rules, change] of refusing("projects/p/topics/orders")) expect(codeOf(rules, change, hidden)).toBe(2);
  for (const [, rules, change] of refusing("projects/p/subscriptions/*")) expect(codeOf(rules, change, hidden)).toBe(0);
});

test.each([
  ["OWNER", "roles/bigquery.dataOwner"],
  ["WRITER", "roles/bigquery.dataEditor"],
  ["READER", "roles/bigquery.dataViewer"],
])("%s and %s are one role in the access list of a dataset, and two on a bucket", (basic, predefined) => {
  const verdict = (resource: string, role: string, rule: string) => {
    const change: AccessChanged = { principal, role, change: "gained", steps: [] };
    const result = onlyStack(answerWith({ resources: [resourceOf({ api: "x", resource, changes: [change] })] }));
    return judge(result, { policy: { version: 1, forbiddenRoles: [{ roles: [rule], reason }] } }).exitCode;
  };
  const dataset = "projects/example-prod/datasets/d";
  expect([verdict(dataset, basic, predefined), verdict(dataset, predefined, basic)]).toEqual([2, 2]);
  expect([verdict(BUCKET, basic, predefined), verdict(dataset, basic, "roles/viewer")]).toEqual([0, 0]);
});

test.each(refusing("projects/example-prod*"))(
  "it is unknown whether %s is about a resource that no input names",
  (_rule, rules, change) => {
    const unnamed = { api: "kubernetes", resource: "[unknown]", otherProvider: "kubernetes" };
    expect(codeOf(rules, change, unnamed)).toBe(3);
  },
);
