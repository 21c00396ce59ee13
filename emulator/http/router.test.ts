import { request as httpRequest } from "node:http";
import { startTest, stopAll, type TestClient } from "../testing/client";
import { serviceOfHost } from "./router";

afterEach(stopAll);

const HERE = "projects/p/locations/us-central1";
const trigger = {
  eventFilters: [{ attribute: "type", value: "google.cloud.pubsub.topic.v1.messagePublished" }],
  destination: { workflow: "w" },
};

/** Starts an emulator with one operation of eventarc and one of apigateway in the same location. */
async function withOperations(): Promise<{ client: TestClient; names: Record<string, string> }> {
  const client = await startTest();
  const eventarc = await client.post(`/v1/${HERE}/triggers?triggerId=t`, trigger);
  const apigateway = await client.post(`/v1/${HERE}/gateways?gatewayId=g`, { apiConfig: "c" });
  return { client, names: { eventarc: eventarc.body.name, apigateway: apigateway.body.name } };
}

function getAs(host: string, url: string, path: string): Promise<{ operations?: Array<{ name: string }> }> {
  return new Promise((resolve, reject) => {
    httpRequest(url + path, { headers: { host } }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve(JSON.parse(text)));
    })
      .on("error", reject)
      .end();
  });
}

test.each(["eventarc", "apigateway"])("a prefix or the host name selects the operations of %s", async (service) => {
  const { client, names } = await withOperations();
  const own = [{ name: names[service] }];
  const { body } = await client.get(`/${service}/v1/${HERE}/operations`);
  expect(body.operations).toHaveLength(1);
  expect(body.operations).toMatchObject(own);
  const byHost = await getAs(`${service}.googleapis.com`, client.emulator.url, `/v1/${HERE}/operations`);
  expect(byHost.operations).toHaveLength(1);
  expect(byHost.operations).toMatchObject(own);
  expect(client.emulator.requests().at(-1)?.id).toBe(`${service}.projects.locations.operations.list`);
});

test("without either, operations of any API are found, and lists have all", async () => {
  const { client, names } = await withOperations();
  for (const [service, name] of Object.entries(names)) {
    expect((await client.get(`/v1/${name}`)).body).toMatchObject({ name, done: true });
    expect(client.emulator.requests().at(-1)?.id).toBe(`${service}.projects.locations.operations.get`);
  }
  expect((await client.get(`/v1/${HERE}/operations`)).body.operations).toHaveLength(2);
  expect((await client.get(`/apigateway/v1/${names.eventarc}`)).status).toBe(404);
});

test("the last of several versions applies", async () => {
  const { client } = await withOperations();
  expect((await client.get(`/v1beta1/v1/${HERE}/triggers/t`)).body).toMatchObject(trigger);
  expect((await client.get(`/eventarc/v1beta/v1/${HERE}/triggers/t`)).body).toMatchObject(trigger);
  expect((await client.get(`/v1/v9/${HERE}/triggers/t`)).status).toBe(404);
});

test("a final slash is allowed for a collection, but not for a resource", async () => {
  const { client } = await withOperations();
  expect((await client.get(`/v1/${HERE}/triggers/`)).body.triggers).toHaveLength(1);
  expect((await client.get(`/v1/${HERE}/triggers/t/`)).status).toBe(404);
  expect((await client.get(`/v1/${HERE}/triggers//`)).status).toBe(404);
});

test("a delete of an unknown path does not get 404, which clients take for deleted", async () => {
  const client = await startTest();
  const { status, body } = await client.delete(`/v1/${HERE}/addressGroups/a`);
  expect(status).toBe(405);
  expect(body.error).toMatchObject({
    status: "UNIMPLEMENTED",
    message: expect.stringContaining("nothing was deleted"),
  });
});

test.each([
  ["networksecurity.googleapis.com", "networksecurity"],
  ["NetworkSecurity.googleapis.com:443", "networksecurity"],
  ["eventarc.us-central1.rep.googleapis.com", "eventarc"],
  ["gkehub.mtls.googleapis.com", "gkehub"],
  ["healthcare.localhost:8790", "healthcare"],
  ["healthcare.example.com", undefined],
  ["maps.googleapis.com", undefined],
  ["127.0.0.1:8790", undefined],
  [undefined, undefined],
])("the host %s means %s", (host, service) => {
  expect(serviceOfHost(host)).toBe(service);
});
