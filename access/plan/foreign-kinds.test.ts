import * as fs from "node:fs";
import * as path from "node:path";
import { FOREIGN_KINDS, foreignKindOf } from "./foreign-kinds";

/** The types of these modules in @pulumi/gcp 9.37.0 and @pulumi/google-native 0.32.0. */
const TYPES = fs
  .readFileSync(path.join(__dirname, "../../tests/fixtures/types/of-other-providers.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "");

test("each type of the list is one that the providers have", () => {
  const known = new Set(TYPES.flatMap((type) => foreignKindOf(type)?.types ?? []));
  const recognized = new Set(TYPES.map((type) => foreignKindOf(type)).filter((kind) => kind !== undefined));
  const listed = FOREIGN_KINDS.flatMap(({ types = [] }) => types).filter((type) => !type.startsWith("google:"));
  expect(listed.filter((type) => !known.has(type))).toEqual([]);
  expect(FOREIGN_KINDS.filter((kind) => !recognized.has(kind))).toEqual([]);
  const short = new Set(TYPES.map((type) => type.replace(/\/[^:]*:/, "/")));
  expect(listed.filter((type) => !short.has(type))).toEqual([]);
});

test("every type of these providers with IAM in its name is in the list", () => {
  expect(TYPES.filter((type) => /iam/i.test(type.split(":")[2] ?? "") && !foreignKindOf(type))).toEqual([]);
});

test.each([
  ["gcp:projects/iAMMember:IAMMember", "a grant"],
  ["gcp:cloudrunv2/serviceIamBinding:ServiceIamBinding", "a grant"],
  ["google-native:storage/v1:BucketIamPolicy", "a grant"],
  ["google:index/projectIamMember:ProjectIamMember", "a grant"],
  ["google-beta:index/projectIamMember:ProjectIamMember", "a grant"],
  ["gcp:projects/iAMAuditConfig:IAMAuditConfig", "a configuration of audit logs"],
  ["google-native:iam/v1:Role", "a custom role"],
  ["google:index/iamDenyPolicy:IamDenyPolicy", "a deny policy"],
  ["gcp:serviceaccount/key:Key", "a key"],
  ["google-beta:index/serviceAccountKey:ServiceAccountKey", "a key"],
  ["gcp:storage/bucketACL:BucketACL", "an access control list of Cloud Storage"],
  ["gcp:cloudidentity/groupMembership:GroupMembership", "a membership of a group"],
  ["gcp:storage/bucket:Bucket", undefined],
  ["gcp:compute/securityPolicy:SecurityPolicy", undefined],
  ["aws:iam/role:Role", undefined],
  ["random:index/randomPet:RandomPet", undefined],
])("%s is %s", (type, what) => {
  expect(foreignKindOf(type)?.what).toBe(what);
});

test("each line has a source", () => {
  for (const { source } of FOREIGN_KINDS) expect(source).toMatch(/^https:\/\//);
});
