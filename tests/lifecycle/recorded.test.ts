/** Answers that the real cloud has given, given to the provider: each recording of an API that it calls, and quoted errors. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Values } from "../../provider/core/unknown";
import { Provider } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";
import { failure, limits } from "../support/provider";
import { PROJECT, readBodies, recording } from "../support/recordings";
import { ASSOCIATION, GET_GATEWAY_POLICY, GET_SCOPE, GET_TRIGGER, STORE_GRANT } from "../support/tokens";

interface Request {
  method: string;
  /** Without query, decoded. */
  path: string;
  body: string;
}

type Answer = { status: number; body: unknown };

/** A cloud that answers what the test says, and the requests that it got. */
class ScriptedCloud {
  readonly requests: Request[] = [];
  answer: (request: Request) => Answer = () => ({ status: 500, body: {} });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedCloud> {
    const server = createServer((incoming, response) => {
      let body = "";
      incoming.on("data", (chunk: Buffer) => (body += chunk.toString()));
      incoming.on("end", () => {
        const path = decodeURIComponent((incoming.url ?? "").split("?")[0] ?? "");
        const request = { method: incoming.method ?? "", path, body };
        cloud.requests.push(request);
        const { status, body: answered } = cloud.answer(request);
        response.writeHead(status, { "content-type": "application/json; charset=UTF-8" });
        response.end(JSON.stringify(answered));
      });
    });
    const cloud = new ScriptedCloud(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return cloud;
  }

  /** A provider of a run of its own. */
  provider(): Provider {
    const { port } = this.server.address() as AddressInfo;
    return new Provider({ emulatorHost: `127.0.0.1:${port}`, project: PROJECT }, {}, { clock: new FakeClock() });
  }

  stop(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

let cloud: ScriptedCloud;
beforeEach(async () => {
  cloud = await ScriptedCloud.start();
});
afterEach(() => cloud.stop());

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
function inOrder(exchanges: typeof ofAssociation): (request: Request) => Answer {
  let at = 0;
  let isDeleted = false;
  return ({ method, path }) => {
    const fits = (each: (typeof exchanges)[number]) => each.method === method && each.path === path;
    const next = exchanges.findIndex((each, index) => index >= at && fits(each));
    isDeleted ||= method === "DELETE";
    if (next >= 0) {
      at = next + 1;
      return exchanges[next] as Answer;
    }
    const gone = exchanges.find((each) => fits(each) && each.status === 404);
    return (isDeleted ? gone : exchanges.slice(0, at).findLast(fits)) ?? { status: 500, body: `${method} ${path}` };
  };
}

test("an association is created, read, updated and deleted with the answers of the cloud", async () => {
  cloud.answer = inOrder(ofAssociation);
  const given = {
    location: "us-central1-a",
    firewallEndpointAssociationId: "fwea-u1",
    firewallEndpoint: `projects/${PROJECT}/locations/us-central1-a/firewallEndpoints/fwe-u1`,
    network: `projects/${PROJECT}/global/networks/net-1`,
  };
  const provider = cloud.provider();
  const { inputs, problems } = await provider.check(ASSOCIATION, { ...given, labels: { foo: "bar" } });
  expect(problems).toEqual([]);
  const made = await provider.create(ASSOCIATION, inputs, limits());
  expect(made.id).toBe(ASSOCIATION_NAME);
  // The labels come from the read: the operation's response leaves them out.
  expect(made.state).toMatchObject({ name: ASSOCIATION_NAME, state: "ACTIVE", labels: { foo: "bar" } });
  const wanted = { ...inputs, labels: { foo: "baz" } };
  const state = await provider.update(ASSOCIATION, { id: made.id, inputs, state: made.state }, wanted, limits());
  expect(state).toMatchObject({ state: "INACTIVE", labels: { foo: "baz" } });
  const read = await provider.read(ASSOCIATION, made.id, { inputs: wanted, state }, limits());
  expect(read?.inputs).toMatchObject({ ...given, labels: { foo: "baz" } });
  await cloud.provider().delete(ASSOCIATION, { id: made.id, inputs: wanted, state }, limits());
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
    cloud.answer = () => ({ status: 200, body });
    const [, , , location, , triggerId] = String(body.name).split("/");
    const found: Values = await cloud.provider().invoke(GET_TRIGGER, { location, triggerId }, limits());
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
    cloud.answer = () => ({ status: 200, body });
    const args = { location: "global", scopeId: "gkehubscope-maximal-u1" };
    const { name, uid, createTime, updateTime, namespaceLabels, state } = body;
    expect(await cloud.provider().invoke(GET_SCOPE, args, limits())).toMatchObject({
      ...{ name, uid, createTime, updateTime, namespaceLabels, state },
    });
  }
});

/** The `error` of a quoted answer with what the quotes leave out. */
function quotedError(index: number): Answer {
  const { status, responseBody } = recording("errors-quoted-in-reports")[index] as {
    status: number;
    responseBody: object;
  };
  const names: Record<number, string> = { 400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 409: "ABORTED" };
  const { error } = responseBody as { error: Record<string, unknown> };
  return { status, body: { error: { code: status, status: names[status], ...error } } };
}

const messageOf = ({ body }: Answer) => (body as { error: { message: string } }).error.message;

test("a create that the cloud rejects because of an unknown parameter fails with the cloud's message", async () => {
  cloud.answer = ({ method }) => (method === "GET" ? { status: 404, body: {} } : quotedError(0));
  const { inputs } = await cloud.provider().check(ASSOCIATION, {
    location: "us-central1-a",
    firewallEndpointAssociationId: "a",
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    network: "projects/p/global/networks/n",
  });
  const error = await failure(cloud.provider().create(ASSOCIATION, inputs, limits()));
  expect(error.message).toContain("Cannot bind query parameter");
});

test("a denial of apigateway is reported in the cloud's words", async () => {
  cloud.answer = () => quotedError(2);
  const args = { location: "asia-northeast1", gatewayId: "xxxxx", project: "xxxxx" };
  const error = await failure(cloud.provider().invoke(GET_GATEWAY_POLICY, args, limits()));
  expect(error.constructor.name).toBe("PermissionDeniedError");
  expect(error.message).toContain(messageOf(quotedError(2)));
});

/** Answers to reads and writes of a policy, in the order that the recording has them. */
const policies = recording("iam-policies").map(({ status, responseBody }): Answer => ({ status, body: responseBody }));
const GRANTED = { role: "roles/cloudkms.cryptoKeyEncrypterDecrypter" };
const STORE = `projects/${PROJECT}/locations/us/datasets/d/fhirStores/f`;

test("a grant is written after a conflict that quotes etags as bytes, and found in the policy that the cloud then reads", async () => {
  const [fresh, written, read] = policies as [Answer, Answer, Answer];
  const { members } = (written.body as { bindings: Array<{ members: string[] }> }).bindings[0] as { members: string[] };
  let writes = 0;
  cloud.answer = ({ path }) => {
    if (path.endsWith(":getIamPolicy")) return writes < 2 ? fresh : read;
    writes += 1;
    return writes === 1 ? quotedError(1) : written;
  };
  const provider = cloud.provider();
  const { inputs, problems } = await provider.check(STORE_GRANT, { name: STORE, ...GRANTED, member: members[0] });
  expect(problems).toEqual([]);
  const made = await provider.create(STORE_GRANT, inputs, limits());
  expect(made.state).toMatchObject({ ...GRANTED, member: members[0] });
  const sent = cloud.requests
    .filter(({ path }) => path.endsWith(":setIamPolicy"))
    .map(({ body }) => JSON.parse(body) as Values);
  expect(sent).toHaveLength(2);
  expect(sent[1]).toMatchObject({
    policy: { etag: (fresh.body as { etag: string }).etag, bindings: [{ ...GRANTED, members }] },
  });
  const found = await provider.read(STORE_GRANT, made.id, { inputs, state: made.state }, limits());
  expect(found?.inputs).toMatchObject({ ...GRANTED, member: members[0] });
});

test("a grant of healthcare that is denied is reported in the cloud's words", async () => {
  cloud.answer = () => quotedError(3);
  const provider = cloud.provider();
  const { inputs } = await provider.check(STORE_GRANT, { name: STORE, ...GRANTED, member: "user:ada@example.com" });
  const error = await failure(provider.create(STORE_GRANT, inputs, limits()));
  expect(error.constructor.name).toBe("PermissionDeniedError");
  expect(error.message).toContain(messageOf(quotedError(3)));
});
