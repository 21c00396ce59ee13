import { resources as types } from "../../provider/services";
import { answerWith, byEffect, onlyStack } from "../../tests/support/answers";
import { judge as verdictBy } from "./judge";
import type { ReviewPolicy } from "./rules";

const judge = (...[found, rules]: Parameters<typeof verdictBy>) => byEffect(verdictBy(found, rules));

const reason = "because";

function warningsOf(policy: Partial<ReviewPolicy>): string[] {
  const { warnings = [], exitCode } = judge(onlyStack(answerWith({})), { policy: { version: 1, ...policy } });
  expect(exitCode).toBe(0);
  return warnings.map(({ rule, message }) => `${rule}: ${message}`);
}
const ofResource = (pattern: string) =>
  warningsOf({ forbiddenRoles: [{ roles: ["*"], resources: [pattern], reason }] });

describe("a pattern that can match nothing is a warning", () => {
  test.each([
    ["projects/p/topic/t"],
    ["pubsub/projects/p/topics/t"],
    ["projects/p/topics"],
    ["project/p/*"],
    ["https://pubsub.googleapis.com/v1/projects/p/topics/t"],
    ["//pubsub.example.com/*"],
    ["buckets/b"],
  ])("of resources: %s", (pattern) => {
    expect(ofResource(pattern)).toEqual([
      `forbiddenRoles[0]: The pattern ${pattern} of resources can match nothing: no resource with an access policy has such a ` +
        "relative name or full name.",
    ]);
  });

  test("of principals, roles and types", () => {
    const [principals, roles] = [["ada@example.com"], ["viewer"]];
    expect(
      warningsOf({
        protectedPrincipals: [{ principals, roles, reason }],
        allowLoss: [{ roles: ["role/viewer"], reason }],
        otherProviders: [{ types: ["gcp.storage/*"], verdict: "allow", reason }],
      }),
    ).toEqual([
      expect.stringContaining("protectedPrincipals[0]: The pattern ada@example.com of principals can match nothing"),
      expect.stringContaining("protectedPrincipals[0]: The pattern viewer of roles can match nothing"),
      expect.stringContaining("allowLoss[0]: The pattern role/viewer of roles can match nothing"),
      expect.stringContaining("otherProviders[0]: The pattern gcp.storage/* of types can match nothing"),
    ]);
  });
});

describe("a pattern that can match something is none", () => {
  test.each([
    ["*"],
    ["projects/p"],
    ["projects/p/*"],
    ["folders/1"],
    ["organizations/*"],
    ["b/records"],
    ["projects/_/buckets/records/objects/a/b"],
    ["//bigtable.googleapis.com/projects/p/instances/i"],
    ["projects/p/iap_web/compute"],
    ["*/fhirStores/records"],
    ["projects/-/serviceAccounts/*"],
    ["projects/p/datasets/d"],
    ["projects/p/datasets/d/tables/t"],
    ["projects/p/instances/db"],
    ["//bigquery.googleapis.com/projects/p/datasets/d"],
    ["groups/g"],
    ...types.flatMap(({ targets }) =>
      (targets?.forms ?? []).filter((form) => !form.startsWith("//")).map((form) => [form.replaceAll(/[{}]/g, "")]),
    ),
  ])("of resources: %s", (pattern) => expect(ofResource(pattern)).toEqual([]));

  test("of principals, roles and types", () => {
    const principals = [
      "google-service-agents",
      "allUsers",
      "User:*",
      "principalSet://*",
      "*@example.com",
      "deleted:*",
      "projectOwners",
      "project-owners-123",
    ];
    const roles = [
      "*",
      "*Admin",
      "projects/p/roles/r",
      "organizations/1/roles/*",
      "roles/owner",
      "OWNER",
      "READ*",
      "database user",
    ];
    const types = ["*", "gcp:storage/*", "google-native:*", "google:*", "google-beta:*", "random:*", "azure-native:*"];
    expect(
      warningsOf({
        mayGain: [{ principals, roles, reason }],
        otherProviders: [{ types, verdict: "unknown", reason }],
      }),
    ).toEqual([]);
  });
});
