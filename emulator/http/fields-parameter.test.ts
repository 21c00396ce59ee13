import { demoSeed } from "../index";
import { ASSOCIATIONS, associationBody, startTest, stopAll } from "../testing/client";

afterEach(stopAll);

const SCOPE = "/v1beta/projects/demo-project/locations/global/scopes/team-a";

test.each(["labels,kind", "colour", "state/colour", "state(code,colour)", "constructor", "name/first", "kind"])(
  "an unknown field in %s is refused as the real front end does",
  async (fields) => {
    const client = await startTest({ seed: demoSeed });
    const { status, body } = await client.get(`${SCOPE}?fields=${fields}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ status: "INVALID_ARGUMENT", message: "Request contains an invalid argument." });
    const [violation] = body.error.details[0].fieldViolations;
    expect(violation.field).toBe(fields);
    expect(violation.description).toMatch(
      /^Error expanding 'fields' parameter. Cannot find matching fields for path '.+'.$/,
    );
  },
);

test.each([
  ["*", ["name", "uid"]],
  ["name,labels/anything", ["name"]],
  ["create_time,name", ["name", "createTime"]],
  ["labels(*)", ["labels"]],
])("%s selects", async (fields, names) => {
  const client = await startTest({ seed: demoSeed });
  const { status, body } = await client.get(`${SCOPE}?fields=${fields}`);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(expect.arrayContaining(names));
});

test("two selections of a field are merged", async () => {
  const client = await startTest({ seed: demoSeed });
  const { body } = await client.get(`${SCOPE}?fields=labels/team,state,labels(tier),state/code`);
  expect(body).toEqual({ labels: { team: "a", tier: "gold" }, state: { code: "READY" } });
});

test("a write with an unknown field has no effect", async () => {
  const client = await startTest();
  expect((await client.post(`${ASSOCIATIONS}?fields=colour`, associationBody())).status).toBe(400);
  expect(client.emulator.resources()).toEqual([]);
});

test("the fields of an operation and of a list are known", async () => {
  const client = await startTest();
  const created = await client.post(`${ASSOCIATIONS}?fields=name,metadata(@type,target),done`, associationBody());
  expect(Object.keys(created.body)).toEqual(["name", "metadata", "done"]);
  const { body: operation } = await client.get(`/v1beta1/${created.body.name}?fields=response/network`);
  expect(operation).toEqual({ response: { network: "projects/p/global/networks/net-1" } });
  const { body } = await client.get(`${ASSOCIATIONS}?fields=firewallEndpointAssociations/name,nextPageToken`);
  expect(Object.keys(body.firewallEndpointAssociations[0])).toEqual(["name"]);
});
