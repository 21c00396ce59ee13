import fc from "fast-check";
import { nameTemplate } from "../core/reference";
import { bindingId, bindingsWithId, grantId, grantsWithId, resourceOfGrantId } from "./grant-id";
import type { Grant, Policy } from "./policy";

const template = nameTemplate("projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}");
const STORE = "projects/p/locations/us/datasets/d/fhirStores/f";
const federated = "principal://iam.googleapis.com/locations/global/workforcePools/pool/subject/Ada";
const grants: Grant[] = [
  { role: "roles/viewer", member: "user:ada@example.com" },
  { role: "roles/viewer", member: federated },
  { role: "projects/p/roles/custom", member: "group:team@example.com" },
  { role: "roles/viewer", member: "user:ada@example.com", condition: { title: "until july", expression: "a/b == c" } },
  {
    role: "roles/viewer",
    member: "user:ada@example.com",
    condition: { title: "until july", expression: "a/b == c", description: "see x/y" },
  },
];
const policy: Policy = {
  bindings: grants.map(({ role, member, condition }) => ({ role, members: [member], ...(condition && { condition }) })),
};
const meant = (id: string) => grantsWithId(STORE, policy, id);

test.each(grants)("the id of grant %# identifies only this grant", (grant) => {
  const id = grantId(STORE, grant);
  expect(meant(id)).toEqual([grant]);
  expect(resourceOfGrantId(template, id)).toBe(STORE);
});

test("ids are readable", () => {
  expect(grantId(STORE, grants[0]!)).toBe(`${STORE}/roles/viewer/user:ada@example.com`);
  expect(grantId(STORE, grants[3]!)).toBe(`${STORE}/roles/viewer/user:ada@example.com/until july//a/b == c`);
});

test("two grants never have the same id", () => {
  fc.assert(
    fc.property(fc.constantFrom(...grants), fc.constantFrom(...grants), (one, other) => {
      expect(grantId(STORE, one) === grantId(STORE, other)).toBe(one === other);
    }),
  );
});

describe("an id that a user types", () => {
  test.each([
    ["with blanks", `${STORE} roles/viewer user:ada@example.com`, [grants[0]]],
    ["with blanks, federated", `${STORE} roles/viewer ${federated}`, [grants[1]]],
    ["a custom role", `${STORE} projects/p/roles/custom group:team@example.com`, [grants[2]]],
    ["a full name", `//healthcare.googleapis.com/${STORE}/roles/viewer/user:ada@example.com`, [grants[0]]],
    ["a URL", `https://healthcare.googleapis.com/v1beta1/${STORE} roles/viewer user:ada@example.com`, [grants[0]]],
    ["Terraform's short form", "p/us/d/f roles/viewer user:ada@example.com", [grants[0]]],
    ["an email in capitals", `${STORE}/roles/viewer/user:ADA@example.com`, [grants[0]]],
    ["a federated member in capitals", `${STORE} roles/viewer ${federated.toUpperCase()}`, []],
    ["a role in capitals", `${STORE} roles/Viewer user:ada@example.com`, []],
    ["blanks around", `  ${STORE} roles/viewer user:ada@example.com\n`, [grants[0]]],
    [
      "a title that two conditions have",
      `${STORE} roles/viewer user:ada@example.com until july`,
      [grants[3], grants[4]],
    ],
    ["a grant that is not there", `${STORE} roles/editor user:ada@example.com`, []],
    ["the resource alone", STORE, []],
  ])("%s", (_what, id, expected) => {
    expect(meant(id)).toEqual(expected);
    expect(resourceOfGrantId(template, id)).toBe(STORE);
  });

  test("conditions whose titles differ only in case have different ids", () => {
    const [one, other] = ["Until", "until"].map((title): Grant => ({
      ...grants[0]!,
      condition: { title, expression: "e" },
    }));
    const both = {
      bindings: [one!, other!].map(({ role, member, condition }) => ({ role, members: [member], condition })),
    };
    expect(grantsWithId(STORE, both as Policy, grantId(STORE, one!))).toEqual([one]);
  });

  test.each([
    "",
    "f",
    "p/us/d/f/roles/viewer/user:ada@example.com",
    "us/d/f roles/viewer user:ada@example.com",
    "projects/p/locations/us/migrationJobs/j roles/viewer user:a@b.c",
    "projects/p/locations",
  ])("%p is refused, because it does not name a FHIR store", (id) => {
    expect(resourceOfGrantId(template, id)).toBeUndefined();
  });
});

describe("the id of a role binding", () => {
  const members = grants.slice(0, 2).map(({ member }) => member);
  const [, , , short, long] = grants;
  test.each([
    ["our own", `${STORE}/roles/viewer`, [members]],
    ["with blanks", `${STORE} roles/viewer`, [members]],
    ["a full name", `//healthcare.googleapis.com/${STORE} roles/viewer`, [members]],
    ["Terraform's short form", "p/us/d/f roles/viewer", [members]],
    ["a custom role", `${STORE} projects/p/roles/custom`, [["group:team@example.com"]]],
    ["our own, with its condition", bindingId(STORE, short!), [[short!.member]]],
    ["our own, with a description", bindingId(STORE, long!), [[long!.member]]],
    ["a title that two conditions have", `${STORE} roles/viewer until july`, [[short!.member], [long!.member]]],
    ["a role that nobody has", `${STORE} roles/editor`, []],
    ["the id of a member", grantId(STORE, grants[0]!), []],
  ])("%s", (_what, id, expected) => {
    expect(bindingsWithId(STORE, policy, id).map((each) => each.members)).toEqual(expected);
    expect(resourceOfGrantId(template, id)).toBe(STORE);
  });
});
