/**
 * The emulator spoken to by a client that was not written here: Google's own, for every call of the six APIs that
 * the provider makes. What that client sends is by definition what the real APIs accept.
 */
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { loadGoogleApi, missingGoogleClient } from "./install";

/** A method of the client: parameters and body in, the parsed answer out; rejects with `{status, response}`. */
type Method = (
  parameters: Record<string, unknown>,
  options?: { headers?: Record<string, string> },
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of many shapes; expectations look into them
) => Promise<{ status: number; data: any }>;

interface Collection {
  [name: string]: Method & Collection;
}

const location = "projects/demo-project/locations/us-central1";
const zone = "projects/p/locations/us-central1-a";

const APIS = {
  gkehub: "v1beta",
  eventarc: "v1",
  apigateway: "v1beta",
  networksecurity: "v1beta1",
  datamigration: "v1beta1",
  healthcare: "v1beta1",
} as const;

type Api = keyof typeof APIS;

/** Each API is a large module. */
const LOADING_MS = 300_000;
const missing = missingGoogleClient();
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`Google's own client${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let emulator: Emulator;
  const modules = {} as Record<Api, Record<string, (options: object) => { projects: { locations: Collection } }>>;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    for (const api of Object.keys(APIS) as Api[]) {
      modules[api] = loadGoogleApi(api) as (typeof modules)[Api];
    }
  }, LOADING_MS);
  afterAll(() => emulator?.stop());
  beforeEach(() => emulator.reset());

  /** `projects.locations` of one API, pointed at the emulator. */
  function locations(api: Api): Collection {
    const make = modules[api][api];
    if (make === undefined) {
      throw new Error(`The client has no API ${api}`);
    }
    // By default the client imports a fetch of its own as an ES module, which jest cannot load.
    return make({
      version: APIS[api],
      rootUrl: `${emulator.url}/`,
      retryConfig: { retry: 0 },
      fetchImplementation: fetch,
    }).projects.locations;
  }

  /** A resource collection of an API, e.g. `datasets.fhirStores`. */
  function collection(api: Api, path: string): Collection {
    const found = path.split(".").reduce<Collection | undefined>((at, name) => at?.[name], locations(api));
    if (found === undefined) {
      throw new Error(`The client has no collection ${path}`);
    }
    return found;
  }

  function method(api: Api, path: string, name: string): Method {
    const owner = collection(api, path);
    const found = owner[name];
    if (found === undefined) {
      throw new Error(`The client has no method ${path}.${name}`);
    }
    return found.bind(owner);
  }

  /** The error of a call that is refused. */
  async function refusal(call: Promise<unknown>): Promise<{ code: number; status: string; message: string }> {
    try {
      await call;
    } catch (error) {
      const { response } = error as {
        response: { data: { error: { code: number; status: string; message: string } } };
      };
      return response.data.error;
    }
    throw new Error("The call was not refused");
  }

  const READABLE: Array<[Api, string, string]> = [
    ["gkehub", "scopes", "projects/demo-project/locations/global/scopes/team-a"],
    ["eventarc", "triggers", `${location}/triggers/orders`],
    ["apigateway", "gateways", `${location}/gateways/edge`],
    ["datamigration", "migrationJobs", `${location}/migrationJobs/orders-to-sql`],
    ["healthcare", "datasets.fhirStores", `${location}/datasets/clinic/fhirStores/records`],
  ];

  describe.each(READABLE)("%s %s", (api, path, name) => {
    test("get returns the resource", async () => {
      const { data } = await method(api, path, "get")({ name });
      expect(data.name).toBe(name);
    });

    test("get of a missing resource is NOT_FOUND", async () => {
      const error = await refusal(method(api, path, "get")({ name: `${name}-missing` }));
      expect(error).toMatchObject({ code: 404, status: "NOT_FOUND" });
    });
  });

  describe.each(READABLE.slice(1))("%s %s policies", (api, path, resource) => {
    test("read, write with the etag, read again; a stale etag is ABORTED", async () => {
      const get = () => method(api, path, "getIamPolicy")({ resource, "options.requestedPolicyVersion": 3 });
      const set = (policy: object, updateMask?: string) =>
        method(api, path, "setIamPolicy")({ resource, requestBody: { policy, ...(updateMask && { updateMask }) } });
      const { data: before } = await get();
      const binding = {
        role: "roles/viewer",
        members: ["user:new@example.com"],
        condition: { title: "t", expression: "true" },
      };
      const bindings = [...(before.bindings ?? []), binding];
      const { data: written } = await set({ ...before, version: 3, bindings });
      expect(written).toMatchObject({ version: 3, bindings });
      expect((await get()).data).toEqual(written);
      expect(await refusal(set({ ...before, version: 3 }))).toMatchObject({ code: 409, status: "ABORTED" });
      const auditConfigs = [{ service: "allServices", auditLogConfigs: [{ logType: "ADMIN_READ" }] }];
      await set({ ...written, auditConfigs }, "auditConfigs,etag");
      expect((await get()).data).toMatchObject({ bindings, auditConfigs });
    });

    test("testIamPermissions returns the requested permissions", async () => {
      const permissions = [`${api}.things.get`];
      const { data } = await method(api, path, "testIamPermissions")({ resource, requestBody: { permissions } });
      expect(data).toEqual({ permissions });
    });
  });

  describe("networksecurity firewallEndpointAssociations", () => {
    const associations = (name: string) => method("networksecurity", "firewallEndpointAssociations", name);
    const operations = (name: string) => method("networksecurity", "operations", name);
    const requestBody = {
      network: "projects/p/global/networks/n",
      firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
      labels: { env: "test" },
    };
    const name = `${zone}/firewallEndpointAssociations/a`;
    const create = (more: object = {}) =>
      associations("create")({ parent: zone, firewallEndpointAssociationId: "a", requestBody, ...more });

    test("create, get, list, patch and delete work, each with its operation", async () => {
      const requestId = "11111111-2222-4333-8444-555555555555";
      const { data: created } = await create({ requestId });
      expect(created).toMatchObject({ done: false, metadata: { verb: "create", target: name } });
      const { data: operation } = await operations("get")({ name: created.name });
      expect(operation).toMatchObject({ done: true, response: { name } });
      expect((await create({ requestId })).data.name).toBe(created.name);

      expect((await associations("get")({ name })).data).toMatchObject({ ...requestBody, name, state: "ACTIVE" });
      const { data: page } = await associations("list")({
        parent: zone,
        pageSize: 10,
        orderBy: "name",
        filter: "state=ACTIVE",
      });
      expect(page.firewallEndpointAssociations).toHaveLength(1);

      const { data: patched } = await associations("patch")({
        name,
        updateMask: "labels,tlsInspectionPolicy",
        requestBody: { tlsInspectionPolicy: "projects/p/locations/us-central1/tlsInspectionPolicies/t" },
      });
      expect(patched.metadata.verb).toBe("update");
      const { data: after } = await associations("get")({ name });
      expect(after.labels).toBeUndefined();
      expect(after.tlsInspectionPolicy).toMatch(/\/t$/);

      const { data: removed } = await associations("delete")({ name });
      expect((await operations("get")({ name: removed.name })).data).toMatchObject({
        done: true,
        metadata: { verb: "delete" },
      });
      expect((await refusal(associations("get")({ name }))).status).toBe("NOT_FOUND");
    });

    test("operations are listed, cancelled and deleted", async () => {
      emulator.configure({ operationMs: 60_000 });
      const { data: created } = await create();
      const { data: page } = await operations("list")({ name: zone });
      expect(page.operations).toMatchObject([{ name: created.name, done: false }]);
      expect((await operations("cancel")({ name: created.name, requestBody: {} })).data).toEqual({});
      expect((await operations("get")({ name: created.name })).data.error.code).toBe(1);
      expect((await operations("delete")({ name: created.name })).data).toEqual({});
      expect((await refusal(operations("get")({ name: created.name }))).status).toBe("NOT_FOUND");
    });

    test("a field that the API does not have is refused by the front end", async () => {
      const error = await refusal(create({ requestBody: { ...requestBody, colour: "red" } }));
      expect(error).toMatchObject({
        status: "INVALID_ARGUMENT",
        message: 'Invalid JSON payload received. Unknown name "colour": Cannot find field.',
      });
    });

    test("a parameter that the method does not have is refused by the front end", async () => {
      const error = await refusal(create({ validateOnly: true }));
      expect(error.message).toContain('Unknown name "validateOnly": Cannot bind query parameter.');
    });
  });

  test("eventarc triggers.create refuses a function destination", async () => {
    const error = await refusal(
      method(
        "eventarc",
        "triggers",
        "create",
      )({
        parent: location,
        triggerId: "new",
        requestBody: {
          eventFilters: [{ attribute: "type", value: "google.cloud.audit.log.v1.written" }],
          destination: { cloudFunction: `${location}/functions/f` },
        },
      }),
    );
    expect(error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
  });

  test("credentials and the quota project reach the emulator as the client sends them", async () => {
    emulator.configure({ requireAuth: true, tokens: ["secret"] });
    const get = (headers: Record<string, string>) =>
      method("gkehub", "scopes", "get")({ name: "projects/demo-project/locations/global/scopes/team-a" }, { headers });
    expect((await refusal(get({}))).status).toBe("UNAUTHENTICATED");
    const { status } = await get({ authorization: "Bearer secret", "x-goog-user-project": "billing" });
    expect(status).toBe(200);
    expect(emulator.requests()[1]).toMatchObject({
      authorization: true,
      headers: { "x-goog-user-project": "billing" },
    });
  });
});
