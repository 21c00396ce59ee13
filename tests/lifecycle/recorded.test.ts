/** Answers that the real cloud has given, given to the provider: each recording of an API that it calls, and quoted errors. */
import type { Values } from "../../provider/core/unknown";
import { Provider } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";
import { failure, limits } from "../support/provider";
import { PROJECT, readBodies, recording } from "../support/recordings";
import { ScriptedServer, type ServedAnswer, type ServedRequest } from "../support/scripted-server";
import { ASSOCIATION, GET_GATEWAY_POLICY, GET_SCOPE, GET_TRIGGER, STORE_GRANT } from "../support/tokens";

/** A cloud that answers what the test says. */
let cloud: ScriptedServer;
beforeEach(async () => {
  cloud = await ScriptedServer.start(() => ({ status: 500 }));
});
afterEach(() => cloud.stop());
/** A provider of a run of its own. */
const provider = () => new Provider({ emulatorHost: cloud.host, project: PROJECT }, {}, { clock: new FakeClock() });

const ASSOCIATION_NAME = `projects/${PROJECT}/locations/us-central1-a/firewallEndpointAssociations/fwea-u1`;

/** The exchanges about the association, in the version that the provider calls; those about its endpoint are left out. */
const ofAssociation = recording("networksecurity-association")
  .filter(
    (exchange) => JSON.stringify(exchange).includes(ASSOCIATION_NAME) && !exchange.path.includes("/firewallEndpoints/"),
  )
  .map(({ method, path, status, responseBody }) => ({
    method,
    path: (path.split("?")[0] ?? "").replace("/v1/", "/v1beta1/"),
    status,
    body: JSON.parse(
      JSON.stringify(responseBody).replaceAll("networksecurity.v1.", "networksecurity.v1beta1."),
    ) as unknown,
  }));

/** Answers with the recorded exchanges in their order; a read that is repeated has the answer of its last one. */
function inOrder(exchanges: typeof ofAssociation): (request: ServedRequest) => ServedAnswer {
  let at = 0;
  let isDeleted = false;
  return ({ method, path }) => {
    const fits = (each: (typeof exchanges)[number]) => each.method === method && each.path === path;
    const next = exchanges.findIndex((each, index) => index >= at && fits(each));
    isDeleted ||= method === "DELETE";
    if (next >= 0) {
      at = next + 1;
      return exchanges[next] as ServedAnswer;
    }
    const gone = exchanges.find((each) => fits(each) && each.status === 404);
    return (isDeleted ? gone : exchanges.slice(0, at).findLast(fits)) ?? { status: 500, body: `${method} ${path}` };
  };
}

test("an association is created, read, updated and deleted with the answers of the cloud", async () => {
  cloud.script = inOrder(ofAssociation);
  const given = {
    location: "us-central1-a",
    firewallEndpointAssociationId: "fwea-u1",
    firewallEndpoint: `projects/${PROJECT}/locations/us-central1-a/firewallEndpoints/fwe-u1`,
    network: `projects/${PROJECT}/global/networks/net-1`,
  };
  const run = provider();
  const { inputs, problems } = await run.check(ASSOCIATION, { ...given, labels: { foo: "bar" } });
  expect(problems).toEqual([]);
  const made = await run.create(ASSOCIATION, inputs, limits());
  expect(made.id).toBe(ASSOCIATION_NAME);
  // The labels come from the read: the operation's response leaves them out.
  expect(made.state).toMatchObject({ name: ASSOCIATION_NAME, state: "ACTIVE", labels: { foo: "bar" } });
  const wanted = { ...inputs, labels: { foo: "baz" } };
  const state = await run.update(ASSOCIATION, { id: made.id, inputs, state: made.state }, wanted, limits());
  expect(state).toMatchObject({ state: "INACTIVE", labels: { foo: "baz" } });
  const read = await run.read(ASSOCIATION, made.id, { inputs: wanted, state }, limits());
  expect(read?.inputs).toMatchObject({ ...given, labels: { foo: "baz" } });
  await provider().delete(ASSOCIATION, { id: made.id, inputs: wanted, state }, limits());
  expect(cloud.requests.filter(({ method }) => method !== "GET").map(({ method }) => method)).toEqual([
    "POST",
    "PATCH",
    "DELETE",
  ]);
});

const triggers = ["eventarc-trigger", "eventarc-trigger-retries"].flatMap((name) => readBodies(name, "triggers"));

test(`getTrigger reads each of the ${triggers.length} recorded triggers, none of which has an etag`, async () => {
  expect(triggers.length).toBeGreaterThan(20);
  for (const body of triggers) {
    cloud.script = () => ({ status: 200, body });
    const [, , , location, , triggerId] = String(body.name).split("/");
    const found: Values = await provider().invoke(GET_TRIGGER, { location, triggerId }, limits());
    const { uid, createTime, updateTime, serviceAccount, labels, eventFilters } = body;
    expect(found).toMatchObject({ uid, createTime, updateTime, serviceAccount, labels, eventFilters });
    const { cloudRun } = body.destination as { cloudRun: object };
    expect(found.destination).toMatchObject({ managedRun: cloudRun });
    expect(found.transport).toMatchObject({ messaging: (body.transport as { pubsub: object }).pubsub });
    expect([body.etag, found.etag || undefined]).toEqual([undefined, undefined]);
  }
});

test("getScope reads each recorded scope", async () => {
  const scopes = readBodies("gkehub-scope", "scopes");
  expect(scopes.length).toBeGreaterThan(1);
  for (const body of scopes) {
    cloud.script = () => ({ status: 200, body });
    const args = { location: "global", scopeId: "gkehubscope-maximal-u1" };
    const { name, uid, createTime, updateTime, namespaceLabels, state } = body;
    expect(await provider().invoke(GET_SCOPE, args, limits())).toMatchObject({
      ...{ name, uid, createTime, updateTime, namespaceLabels, state },
    });
  }
});

/** The `error` of a quoted answer with what the quotes leave out. */
function quotedError(index: number): ServedAnswer {
  const { status, responseBody } = recording("errors-quoted-in-reports")[index] as {
    status: number;
    responseBody: object;
  };
  const names: Record<number, string> = { 400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 409: "ABORTED" };
  const { error } = responseBody as { error: Record<string, unknown> };
  return { status, body: { error: { code: status, status: names[status], ...error } } };
}

const messageOf = ({ body }: ServedAnswer) => (body as { error: { message: string } }).error.message;

test("a create that the cloud rejects because of an unknown parameter fails with the cloud's message", async () => {
  cloud.script = ({ method }) => (method === "GET" ? { status: 404, body: {} } : quotedError(0));
  const { inputs } = await provider().check(ASSOCIATION, {
    location: "us-central1-a",
    firewallEndpointAssociationId: "a",
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    network: "projects/p/global/networks/n",
  });
  const error = await failure(provider().create(ASSOCIATION, inputs, limits()));
  expect(error.message).toContain("Cannot bind query parameter");
});

test("a denial of apigateway is reported in the cloud's words", async () => {
  cloud.script = () => quotedError(2);
  const args = { location: "asia-northeast1", gatewayId: "xxxxx", project: "xxxxx" };
  const error = await failure(provider().invoke(GET_GATEWAY_POLICY, args, limits()));
  expect(error.constructor.name).toBe("PermissionDeniedError");
  expect(error.message).toContain(messageOf(quotedError(2)));
});

/** Answers to reads and writes of a policy, in the order that the recording has them. */
const policies = recording("iam-policies").map(({ status, responseBody }): ServedAnswer => ({
  status,
  body: responseBody,
}));
const GRANTED = { role: "roles/cloudkms.cryptoKeyEncrypterDecrypter" };
const STORE = `projects/${PROJECT}/locations/us/datasets/d/fhirStores/f`;

test("a grant is written after a conflict that quotes etags as bytes, and found in the policy that the cloud then reads", async () => {
  const [fresh, written, read] = policies as [ServedAnswer, ServedAnswer, ServedAnswer];
  const { members } = (written.body as { bindings: Array<{ members: string[] }> }).bindings[0] as { members: string[] };
  let writes = 0;
  cloud.script = ({ path }) => {
    if (path.endsWith(":getIamPolicy")) return writes < 2 ? fresh : read;
    writes += 1;
    return writes === 1 ? quotedError(1) : written;
  };
  const run = provider();
  const { inputs, problems } = await run.check(STORE_GRANT, { name: STORE, ...GRANTED, member: members[0] });
  expect(problems).toEqual([]);
  const made = await run.create(STORE_GRANT, inputs, limits());
  expect(made.state).toMatchObject({ ...GRANTED, member: members[0] });
  const sent = cloud.requests
    .filter(({ path }) => path.endsWith(":setIamPolicy"))
    .map(({ body }) => JSON.parse(body) as Values);
  expect(sent).toHaveLength(2);
  expect(sent[1]).toMatchObject({
    policy: { etag: (fresh.body as { etag: string }).etag, bindings: [{ ...GRANTED, members }] },
  });
  const found = await run.read(STORE_GRANT, made.id, { inputs, state: made.state }, limits());
  expect(found?.inputs).toMatchObject({ ...GRANTED, member: members[0] });
});

test("a grant of healthcare that is denied is reported in the cloud's words", async () => {
  cloud.script = () => quotedError(3);
  const run = provider();
  const { inputs } = await run.check(STORE_GRANT, { name: STORE, ...GRANTED, member: "user:ada@example.com" });
  const error = await failure(run.create(STORE_GRANT, inputs, limits()));
  expect(error.constructor.name).toBe("PermissionDeniedError");
  expect(error.message).toContain(messageOf(quotedError(3)));
});
