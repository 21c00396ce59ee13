import { startTest, stopAll, type TestClient } from "../../testing/client";

afterEach(stopAll);

const condition = { title: "t", expression: "true" };
const bindings = [{ role: "roles/viewer", members: ["user:ada@example.com"], condition }];
const policyOf = (client: TestClient, name: string, requestedPolicyVersion = 3) =>
  client.post(`/v3/${name}:getIamPolicy`, { options: { requestedPolicyVersion } });

test("every project exists; folders, organizations and roles only where they are seeded", async () => {
  const client = await startTest();
  expect((await client.get("/v3/projects/p")).body).toMatchObject({
    name: "projects/p",
    projectId: "p",
    state: "ACTIVE",
  });
  expect((await policyOf(client, "projects/p")).body).toEqual({ etag: "ACAB" });
  expect((await client.get("/v3/folders/7")).status).toBe(404);
  expect((await policyOf(client, "organizations/1")).status).toBe(404);
  expect((await client.get("/v1/projects/p/roles/auditor")).status).toBe(404);
  expect(client.emulator.resources()).toEqual([]);
});

test("a policy is written, read in the version that the body asks for, and exported", async () => {
  const client = await startTest();
  const written = await client.post("/v3/projects/p:setIamPolicy", { policy: { version: 3, bindings } });
  expect(written.body).toMatchObject({ version: 3, bindings });
  expect((await policyOf(client, "projects/p")).body).toEqual(written.body);
  expect((await policyOf(client, "projects/p", 1)).body.bindings[0].condition).toBeUndefined();
  expect(client.emulator.export()).toMatchObject([
    { service: "cloudresourcemanager", name: "projects/p", body: { projectId: "p" }, policy: { bindings } },
  ]);
});

test("answers what is seeded above a project, by its number as the API does, and its roles", async () => {
  const client = await startTest({
    projectNumbers: { "415": "p" },
    seed: [
      { service: "cloudresourcemanager", name: "projects/p", body: { parent: "folders/7" } },
      { service: "cloudresourcemanager", name: "folders/7", body: { parent: "organizations/1" }, policy: { bindings } },
      { service: "iam", name: "projects/p/roles/auditor", body: { includedPermissions: ["a.b.get"] } },
    ],
  });
  for (const name of ["p", "415"]) {
    expect((await client.get(`/v3/projects/${name}`)).body).toMatchObject({
      name: "projects/415",
      parent: "folders/7",
    });
  }
  expect((await policyOf(client, "folders/7")).body).toMatchObject({ bindings });
  expect((await client.get("/v1/projects/415/roles/auditor")).body).toMatchObject({ includedPermissions: ["a.b.get"] });
});

test("a missing permission is refused with the full name of the resource", async () => {
  const client = await startTest({ deny: ["resourcemanager.projects.getIamPolicy"] });
  const { status, body } = await policyOf(client, "projects/p");
  expect(status).toBe(403);
  expect(body.error.message).toContain("//cloudresourcemanager.googleapis.com/projects/p");
});
