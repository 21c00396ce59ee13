import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testInAll } from "../../tests/support/test-all";
import { policyKindLines } from "../generate/policy-kinds";
import { withDocuments } from "./documents";
import { POLICY_KINDS_FILE, policyKindsHeader, policyKindsText } from "./policy-kinds";
import type { RawDocument } from "./strip";

const committed = readFileSync(POLICY_KINDS_FILE, "utf8");

test("the table of kinds is as `make discovery` wrote it: nobody edited it, and its package is the current one", () => {
  const lines = policyKindLines();
  expect(committed).toBe(`${policyKindsHeader(lines)}${lines.join("\n")}\n`);
  expect(lines).toEqual([...lines].sort());
});

testInAll(
  "the table of kinds is what the discovery documents say",
  () => {
    withDocuments((folder) => {
      const documents = readdirSync(folder).filter((file) => file.endsWith(".json"));
      const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8")) as RawDocument;
      expect(policyKindsText(documents.map(read))).toBe(committed);
    });
  },
  300_000,
);

const method = (id: string, httpMethod: string, flatPath: string, parameters = {}) => ({
  [id.split(".").at(-1) ?? ""]: { id, httpMethod, path: flatPath, flatPath, parameters },
});
const VERSIONED = { "options.requestedPolicyVersion": {} };

function document(version: string, more: Partial<RawDocument> = {}): RawDocument {
  const name = `${version}/projects/{projectsId}/topics/{topicsId}`;
  const methods = {
    ...method("toys.getIamPolicy", "GET", `${name}:getIamPolicy`, VERSIONED),
    ...method("toys.setIamPolicy", "POST", `${name}:setIamPolicy`),
  };
  return { name: "toys", version, revision: "1", parameters: {}, schemas: {}, methods, ...more };
}

const rowsOf = (...documents: RawDocument[]) => policyKindsText(documents).split("\n").slice(3, -1);

test("the newest stable version of a kind comes first, whatever the order of the documents", () => {
  expect(rowsOf(document("v1beta1"), document("v2alpha"), document("v1"), document("v2"))).toEqual([
    "toys v2 get - projects/{project}/topics/{topic} v1,v1beta1,v2alpha -",
  ]);
});

test("a kind of preview versions alone has the newest of them", () => {
  expect(rowsOf(document("v1alpha1"), document("v1beta1"))).toEqual([
    "toys v1beta1 get - projects/{project}/topics/{topic} v1alpha1 -",
  ]);
});

test("a service path is a part of the base, and regional hosts have one form", () => {
  const path = "projects/{project}/global/toys/{resource}";
  const methods = {
    ...method("toys.getIamPolicy", "GET", `${path}/getIamPolicy`, { optionsRequestedPolicyVersion: {} }),
    ...method("toys.setIamPolicy", "POST", `${path}/setIamPolicy`),
    ...method("toys.testIamPermissions", "POST", `${path}/testIamPermissions`),
  };
  const endpoints = [{ location: "us-east1", endpointUrl: "https://toys.us-east1.rep.googleapis.com/" }];
  expect(rowsOf(document("v1", { methods, servicePath: "toys/v1/", endpoints }))).toEqual([
    "toys toys/v1 path test projects/{project}/global/toys/{toy} - toys.{location}.rep",
  ]);
});

test("a read with POST and without a body has the version in the query, and other versions may have another form", () => {
  const name = (version: string) => `${version}/projects/{projectsId}/topics/{topicsId}`;
  const methods = {
    ...method("toys.getIamPolicy", "POST", `${name("v1")}:getIamPolicy`, VERSIONED),
    ...method("toys.setIamPolicy", "POST", `${name("v1")}:setIamPolicy`),
    ...method("toys.testIamPermissions", "POST", `${name("v1")}:testIamPermissions`, { permissions: {} }),
  };
  expect(rowsOf(document("v1", { methods }), document("v1beta1"))).toEqual([
    "toys v1 query test-query projects/{project}/topics/{topic} v1beta1:get -",
  ]);
});

test("methods in an unknown form make the command fail", () => {
  const name = "v1/projects/{projectsId}";
  const methods = {
    ...method("toys.getIamPolicy", "GET", `${name}:getIamPolicy`),
    ...method("toys.setIamPolicy", "POST", `${name}:setIamPolicy`),
  };
  expect(() => rowsOf(document("v1", { methods }))).toThrow("are in no known form");
});
