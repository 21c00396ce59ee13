import { ASSOCIATIONS, associationBody, PARENT, startTest, stopAll, uuid, type TestClient } from "../../testing/client";

afterEach(stopAll);

const NAME = `${PARENT}/firewallEndpointAssociations/a`;
const MINUTE = 60_000;

/** Creates association `a` and waits for its operation. */
async function withAssociation(options = {}, more = {}): Promise<TestClient> {
  const client = await startTest(options);
  const created = await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody(1, more));
  expect(created.status).toBe(200);
  client.emulator.advance(client.emulator.config().operationMs);
  return client;
}

describe("create", () => {
  test("shows the association as CREATING and reconciling until the operation ends", async () => {
    const client = await startTest({ operationMs: 5000 });
    const { body: operation } = await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    expect(operation).toMatchObject({
      done: false,
      metadata: {
        "@type": "type.googleapis.com/google.cloud.networksecurity.v1beta1.OperationMetadata",
        apiVersion: "v1beta1",
        requestedCancellation: false,
        target: NAME,
        verb: "create",
      },
    });
    expect(operation.metadata.endTime).toBeUndefined();
    expect((await client.get(`/v1beta1/${NAME}`)).body).toMatchObject({ state: "CREATING", reconciling: true });
    expect((await client.get(ASSOCIATIONS)).body.firewallEndpointAssociations).toHaveLength(1);

    client.emulator.advance(4999);
    expect((await client.get(`/v1beta1/${operation.name}`)).body.done).toBe(false);
    client.emulator.advance(1);
    expect((await client.get(`/v1beta1/${operation.name}`)).body.done).toBe(true);
    const { body: active } = await client.get(`/v1beta1/${NAME}`);
    expect(active).toMatchObject({ name: NAME, state: "ACTIVE" });
    expect(active.reconciling).toBeUndefined();
  });

  test("returns done:false for the first call even when operations take no time", async () => {
    const client = await startTest();
    const { body: operation } = await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    expect(operation.done).toBe(false);
    expect((await client.get(`/v1beta1/${operation.name}`)).body.done).toBe(true);
  });

  test("omits labels in the response of the operation, but not in the resource", async () => {
    const client = await startTest();
    const { body: started } = await client.post(
      `${ASSOCIATIONS}?firewallEndpointAssociationId=a`,
      associationBody(1, { labels: { env: "test" } }),
    );
    const { body: operation } = await client.get(`/v1beta1/${started.name}`);
    expect(operation.response["@type"]).toBe(
      "type.googleapis.com/google.cloud.networksecurity.v1beta1.FirewallEndpointAssociation",
    );
    expect(operation.response).toMatchObject({ name: NAME, state: "ACTIVE" });
    expect(operation.response.labels).toBeUndefined();
    expect((await client.get(`/v1beta1/${NAME}`)).body.labels).toEqual({ env: "test" });
  });

  test("generates a UUID when the id is omitted", async () => {
    const client = await startTest();
    const { body } = await client.post(ASSOCIATIONS, associationBody());
    expect(body.metadata.target).toMatch(/firewallEndpointAssociations\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test.each(["A", "1a", "a-", "a_b", "a".repeat(64)])("refuses the id %s", async (id) => {
    const client = await startTest();
    const { status, body } = await client.post(
      `${ASSOCIATIONS}?firewallEndpointAssociationId=${id}`,
      associationBody(),
    );
    expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(body.error.details[0].fieldViolations[0].field).toBe("firewall_endpoint_association_id");
  });

  test("refuses a location that is not a zone and names it", async () => {
    const client = await startTest();
    const { status, body } = await client.post(
      "/v1beta1/projects/p/locations/us-central1/firewallEndpointAssociations",
      associationBody(),
    );
    expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(body.error.message).toContain("'us-central1'");
  });

  test.each(["us-central1-a", "northamerica-northeast1-b", "me-west1-c", "us-central1-ai1a"])(
    "accepts the zone %s",
    async (zone) => {
      const client = await startTest();
      const { status } = await client.post(
        `/v1beta1/projects/p/locations/${zone}/firewallEndpointAssociations`,
        associationBody(),
      );
      expect(status).toBe(200);
    },
  );

  test("ignores output-only fields and stores references in their relative form", async () => {
    const client = await withAssociation(
      {},
      {
        name: "something/else",
        state: "INACTIVE",
        createTime: "2001-01-01T00:00:00Z",
        network: "https://www.googleapis.com/compute/v1/projects/p/global/networks/n",
        firewall_endpoint: undefined,
      },
    );
    const { body } = await client.get(`/v1beta1/${NAME}`);
    expect(body).toMatchObject({ name: NAME, state: "ACTIVE", network: "projects/p/global/networks/n" });
    expect(body.createTime).not.toMatch(/^2001/);
  });

  test.each([
    ["network", { network: undefined }],
    ["firewall_endpoint", { firewallEndpoint: "" }],
    ["network", { network: "default" }],
    ["tls_inspection_policy", { tlsInspectionPolicy: "policy" }],
    ["labels[Upper]", { labels: { Upper: "x" } }],
    ["disabled", { disabled: true }],
  ])("refuses a wrong %s: %j", async (field, more) => {
    const client = await startTest();
    const { status, body } = await client.post(ASSOCIATIONS, associationBody(1, more));
    expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(body.error.details[0].fieldViolations[0].field).toBe(field);
    expect(client.emulator.resources()).toEqual([]);
  });

  test("refuses an existing name with ALREADY_EXISTS and the documented text", async () => {
    const client = await withAssociation();
    const { status, body } = await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody(2));
    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      code: 409,
      status: "ALREADY_EXISTS",
      message: `Resource '${NAME}' already exists`,
    });
  });

  test("refuses a second association of a network in a zone, but not in another zone", async () => {
    const client = await withAssociation();
    const { status, body } = await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=b`, associationBody(1));
    expect([status, body.error.status]).toEqual([400, "FAILED_PRECONDITION"]);
    expect(body.error.details[0].violations[0].subject).toBe("projects/p/global/networks/net-1");
    const elsewhere = ASSOCIATIONS.replace("us-central1-a", "us-central1-b");
    expect((await client.post(elsewhere, associationBody(1))).status).toBe(200);
  });

  test("refuses more associations on an endpoint than the limit", async () => {
    const client = await withAssociation({ associationsPerEndpoint: 1 });
    const { body } = await client.post(ASSOCIATIONS, associationBody(2));
    expect(body.error.status).toBe("RESOURCE_EXHAUSTED");
  });

  test("accepts an endpoint of another zone", async () => {
    const other = { firewallEndpoint: "organizations/1/locations/us-east1-b/firewallEndpoints/e" };
    const client = await startTest();
    expect((await client.post(ASSOCIATIONS, associationBody(1, other))).status).toBe(200);
  });
});

describe("requestId", () => {
  const create = (client: TestClient, id: string, number: number, requestId: string) =>
    client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=${id}&requestId=${requestId}`, associationBody(number));

  test("a repeat returns the first operation and does nothing, with any body", async () => {
    const client = await startTest();
    const first = await create(client, "a", 1, uuid(1));
    const repeat = await create(client, "b", 2, uuid(1).toUpperCase());
    expect(repeat.body.name).toBe(first.body.name);
    expect(repeat.body.done).toBe(true);
    expect(client.emulator.resources().map(({ name }) => name)).toEqual([NAME]);
  });

  test("is remembered for exactly 60 minutes", async () => {
    const client = await startTest();
    const first = await create(client, "a", 1, uuid(1));
    client.emulator.advance(60 * MINUTE - 1);
    expect((await create(client, "a", 1, uuid(1))).body.name).toBe(first.body.name);
    client.emulator.advance(1);
    expect((await create(client, "a", 1, uuid(1))).body.error.status).toBe("ALREADY_EXISTS");
  });

  test("after create and delete, a create with the old id returns the old operation and creates nothing", async () => {
    const client = await startTest();
    const first = await create(client, "a", 1, uuid(1));
    await client.delete(`/v1beta1/${NAME}`);
    const again = await create(client, "a", 1, uuid(1));
    expect(again.body.name).toBe(first.body.name);
    expect((await client.get(`/v1beta1/${NAME}`)).status).toBe(404);
  });

  test("is remembered separately for each verb", async () => {
    const client = await startTest();
    const created = await create(client, "a", 1, uuid(1));
    const patched = await client.patch(`/v1beta1/${NAME}?updateMask=labels&requestId=${uuid(1)}`, {
      labels: { a: "b" },
    });
    const deleted = await client.delete(`/v1beta1/${NAME}?requestId=${uuid(1)}`);
    expect(new Set([created.body.name, patched.body.name, deleted.body.name]).size).toBe(3);
    expect((await client.delete(`/v1beta1/${NAME}?requestId=${uuid(1)}`)).body.name).toBe(deleted.body.name);
  });

  test("of a refused request is not remembered", async () => {
    const client = await startTest();
    await client.post(`${ASSOCIATIONS}?requestId=${uuid(1)}`, {});
    expect((await create(client, "a", 1, uuid(1))).status).toBe(200);
  });

  test.each(["not-a-uuid", "00000000-0000-0000-0000-000000000000"])("%s is refused", async (requestId) => {
    const client = await startTest();
    const { status, body } = await create(client, "a", 1, requestId);
    expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(body.error.details[0].fieldViolations[0].field).toBe("request_id");
  });
});

describe("patch", () => {
  const patch = (client: TestClient, mask: string | undefined, body: object) =>
    client.patch(`/v1beta1/${NAME}${mask === undefined ? "" : `?updateMask=${mask}`}`, body);
  const policy = "projects/p/locations/us-central1/tlsInspectionPolicies/t";

  test("changes exactly the fields of the mask, in either spelling", async () => {
    const client = await withAssociation({}, { labels: { a: "1" }, tlsInspectionPolicy: policy });
    await patch(client, "tls_inspection_policy", { labels: { b: "2" } });
    expect((await client.get(`/v1beta1/${NAME}`)).body).toMatchObject({ labels: { a: "1" } });
    expect((await client.get(`/v1beta1/${NAME}`)).body.tlsInspectionPolicy).toBeUndefined();
    await patch(client, "tlsInspectionPolicy,labels", { labels: { b: "2" }, tls_inspection_policy: policy });
    expect((await client.get(`/v1beta1/${NAME}`)).body).toMatchObject({
      labels: { b: "2" },
      tlsInspectionPolicy: policy,
    });
  });

  test("keeps the old values and shows reconciling until the operation ends", async () => {
    const client = await withAssociation({ operationMs: 1000 }, { labels: { a: "1" } });
    const { body: operation } = await patch(client, "labels", { labels: { b: "2" } });
    expect(operation.metadata.verb).toBe("update");
    expect((await client.get(`/v1beta1/${NAME}`)).body).toMatchObject({ reconciling: true, labels: { a: "1" } });
    client.emulator.advance(1000);
    const { body } = await client.get(`/v1beta1/${NAME}`);
    expect(body.labels).toEqual({ b: "2" });
    expect(body.reconciling).toBeUndefined();
  });

  test("without a mask overwrites every field that can change", async () => {
    const client = await withAssociation({}, { labels: { a: "1" }, tlsInspectionPolicy: policy });
    expect((await patch(client, undefined, { labels: { b: "2" } })).body.error.status).toBe("INVALID_ARGUMENT");
    await patch(client, undefined, associationBody(2));
    const { body } = await client.get(`/v1beta1/${NAME}`);
    expect(body.network).toBe("projects/p/global/networks/net-2");
    expect([body.labels, body.tlsInspectionPolicy]).toEqual([undefined, undefined]);
  });

  test.each(["nonsense", "labels.env", "name"])("refuses the mask path %s", async (mask) => {
    const client = await withAssociation();
    const { status, body } = await patch(client, mask, { labels: {} });
    expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(body.error.message).toContain(mask);
  });

  test("refuses a change of a field that a switch makes immutable, but not the same value", async () => {
    const client = await withAssociation({ immutableFields: ["network"] });
    expect((await patch(client, "network", associationBody(1))).status).toBe(200);
    const { status, body } = await patch(client, "network", associationBody(2));
    expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(body.error.message).toBe("Field 'network' is immutable.");
  });

  test("disabled makes it INACTIVE, and enabling it ACTIVE again", async () => {
    const client = await withAssociation();
    await patch(client, "disabled", { disabled: true });
    expect((await client.get(`/v1beta1/${NAME}`)).body).toMatchObject({ state: "INACTIVE", disabled: true });
    await patch(client, "disabled", {});
    expect((await client.get(`/v1beta1/${NAME}`)).body.state).toBe("ACTIVE");
  });

  test("answers 404 for a missing association", async () => {
    const client = await startTest();
    const { status, body } = await patch(client, "labels", {});
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ status: "NOT_FOUND", message: `Resource '${NAME}' was not found` });
  });
});

describe("delete", () => {
  test("shows DELETING, then nothing; its response is Empty", async () => {
    const client = await withAssociation({ operationMs: 1000 });
    const { body: started } = await client.delete(`/v1beta1/${NAME}`);
    expect((await client.get(`/v1beta1/${NAME}`)).body).toMatchObject({ state: "DELETING", reconciling: true });
    client.emulator.advance(1000);
    expect((await client.get(`/v1beta1/${NAME}`)).status).toBe(404);
    const { body: operation } = await client.get(`/v1beta1/${started.name}`);
    expect(operation.response).toEqual({ "@type": "type.googleapis.com/google.protobuf.Empty" });
  });

  test("answers 404 for a missing association", async () => {
    const client = await startTest();
    expect((await client.delete(`/v1beta1/${NAME}`)).body.error.status).toBe("NOT_FOUND");
  });
});

describe("operations", () => {
  test("a busy resource refuses a second operation with ABORTED", async () => {
    const client = await startTest({ operationMs: 1000 });
    await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    for (const refused of [
      await client.patch(`/v1beta1/${NAME}?updateMask=labels`, { labels: {} }),
      await client.delete(`/v1beta1/${NAME}`),
    ]) {
      expect([refused.status, refused.body.error.status]).toEqual([409, "ABORTED"]);
    }
    client.emulator.advance(1000);
    expect((await client.delete(`/v1beta1/${NAME}`)).status).toBe(200);
  });

  test("cancelling ends the operation with code 1 and undoes its changes", async () => {
    const client = await startTest({ operationMs: 1000 });
    const { body: started } = await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    expect((await client.post(`/v1beta1/${started.name}:cancel`, {})).body).toEqual({});
    const { body: operation } = await client.get(`/v1beta1/${started.name}`);
    expect(operation).toMatchObject({ done: true, error: { code: 1 }, metadata: { requestedCancellation: true } });
    expect(operation.response).toBeUndefined();
    expect((await client.get(`/v1beta1/${NAME}`)).status).toBe(404);
  });

  test("cancelling a delete leaves the association as it was", async () => {
    const client = await withAssociation({ operationMs: 1000 });
    const { body: started } = await client.delete(`/v1beta1/${NAME}`);
    await client.post(`/v1beta1/${started.name}:cancel`, {});
    const { body } = await client.get(`/v1beta1/${NAME}`);
    expect([body.state, body.reconciling]).toEqual(["ACTIVE", undefined]);
  });

  test("cancelling an ended operation changes nothing", async () => {
    const client = await withAssociation();
    const { body: started } = await client.patch(`/v1beta1/${NAME}?updateMask=labels`, { labels: { a: "b" } });
    const { body: ended } = await client.get(`/v1beta1/${started.name}`);
    await client.post(`/v1beta1/${started.name}:cancel`, {});
    expect((await client.get(`/v1beta1/${started.name}`)).body).toEqual(ended);
  });

  test("cancel can be switched off", async () => {
    const client = await withAssociation({ cancellation: "unimplemented" });
    const { body: started } = await client.delete(`/v1beta1/${NAME}`);
    const { status, body } = await client.post(`/v1beta1/${started.name}:cancel`, {});
    expect([status, body.error.status]).toEqual([501, "UNIMPLEMENTED"]);
  });

  test("list shows the operations of a location; delete removes one", async () => {
    const client = await withAssociation();
    const { body } = await client.get(`/v1beta1/${PARENT}/operations`);
    expect(body.operations).toHaveLength(1);
    expect((await client.delete(`/v1beta1/${body.operations[0].name}`)).body).toEqual({});
    expect((await client.get(`/v1beta1/${body.operations[0].name}`)).status).toBe(404);
    expect((await client.get(`/v1beta1/${PARENT}/operations`)).body).toEqual({});
  });
});

describe("list", () => {
  async function withThree(): Promise<TestClient> {
    const client = await startTest();
    for (const [index, id] of ["c", "a", "b"].entries()) {
      await client.post(
        `${ASSOCIATIONS}?firewallEndpointAssociationId=${id}`,
        associationBody(index, { labels: { env: id === "a" ? "prod" : "test" } }),
      );
    }
    return client;
  }
  const ids = (reply: { body: { firewallEndpointAssociations?: Array<{ name: string }> } }) =>
    (reply.body.firewallEndpointAssociations ?? []).map(({ name }) => name.split("/").pop());

  test("is empty without associations", async () => {
    const client = await startTest();
    expect((await client.get(ASSOCIATIONS)).body).toEqual({});
  });

  test("returns each item once across pages, ordered by name", async () => {
    const client = await withThree();
    const first = await client.get(`${ASSOCIATIONS}?pageSize=2`);
    expect(ids(first)).toEqual(["a", "b"]);
    const second = await client.get(`${ASSOCIATIONS}?page_size=2&pageToken=${first.body.nextPageToken}`);
    expect(ids(second)).toEqual(["c"]);
    expect(second.body.nextPageToken).toBeUndefined();
  });

  test("orders and filters", async () => {
    const client = await withThree();
    expect(ids(await client.get(`${ASSOCIATIONS}?orderBy=name%20desc`))).toEqual(["c", "b", "a"]);
    expect(ids(await client.get(`${ASSOCIATIONS}?filter=labels.env%3Dtest%20AND%20state%3DACTIVE`))).toEqual([
      "b",
      "c",
    ]);
  });

  test("includes all zones with -", async () => {
    const client = await withThree();
    await client.post(ASSOCIATIONS.replace("us-central1-a", "us-east1-b"), associationBody(1));
    expect(ids(await client.get(ASSOCIATIONS.replace("us-central1-a", "-")))).toHaveLength(4);
  });

  test.each(["pageToken=bogus", "pageSize=-1", "pageSize=x", "orderBy=labels", "filter=a(b", "unknown=1"])(
    "refuses %s",
    async (query) => {
      const client = await withThree();
      const { status, body } = await client.get(`${ASSOCIATIONS}?${query}`);
      expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    },
  );
});
