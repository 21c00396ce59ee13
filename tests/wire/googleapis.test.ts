/**
 * Google's own client for Node.js, unchanged, on every resource, version and method that the emulator serves: the life
 * of each resource, its policy, its operations and its locations.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { loadGoogleApi, missingGoogleClient } from "./install";
import { EXAMPLES, exampleOf, idOf, isSeeded, parentOf, seedOf, type Example } from "./resources";
import type { Discovery } from "./schema-check";

const FOLDER = join(__dirname, "discovery");
const documents = readdirSync(FOLDER).map((file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Discovery);

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of many shapes; expectations look into them
type Answer = Promise<{ status: number; data: any }>;
type Collection = { [name: string]: Collection } & { [name: string]: (parameters: object, options?: object) => Answer };
type Factory = Record<string, (options: object) => Collection>;

/** Each API is a large module. */
const LOADING_MS = 300_000;
const missing = missingGoogleClient();
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`Google's own client${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let emulator: Emulator;
  /** Methods that the client called here, by `version/id`. */
  const called = new Set<string>();

  beforeAll(async () => {
    emulator = await startEmulator();
    // Loaded here, where time is: each is a large module.
    documents.forEach(({ name }) => loadGoogleApi(name));
  }, LOADING_MS);
  afterAll(() => emulator?.stop());
  beforeEach(() => emulator.reset());

  /** Calls a method of the client, e.g. `projects.locations.scopes.get`. */
  function call(document: Discovery, id: string, parameters: object, options: object = {}): Answer {
    const { name, version } = document;
    const make = (loadGoogleApi(name) as Factory)[name];
    // By default the client imports a fetch of its own as an ES module, which jest cannot load.
    const client = make?.({
      version,
      rootUrl: `${emulator.url}/${name}/`,
      retryConfig: { retry: 0 },
      fetchImplementation: fetch,
    });
    const path = id.split(".").slice(1);
    const method = path.pop() ?? "";
    const owner = path.reduce<Collection | undefined>((at, step) => at?.[step], client);
    if (typeof owner?.[method] !== "function") {
      throw new Error(`The client has no method ${id} in ${version}`);
    }
    called.add(`${version}/${id}`);
    return owner[method](parameters, options);
  }

  /** The resource after a call that answers it, or an operation that ends in it. */
  async function outcome(document: Discovery, answer: Answer): Promise<Record<string, unknown>> {
    const { data } = await answer;
    if (data.metadata === undefined) {
      return data;
    }
    const operations = operationsOf(document, data.name);
    const { data: operation } = await call(document, `${operations}.get`, { name: data.name });
    expect(operation).toMatchObject({ name: data.name, done: true });
    expect(operation.error).toBeUndefined();
    return operation.response;
  }

  function operationsOf({ name }: Discovery, operation: string): string {
    const [root] = operation.split("/");
    return `${name}.${root}.locations.${name === "healthcare" ? "datasets." : ""}operations`;
  }

  async function create(document: Discovery, example: Example): Promise<Record<string, unknown>> {
    for (const needed of example.needs ?? []) {
      await create(document, exampleOf(needed));
    }
    if (isSeeded(example, document.methods)) {
      emulator.seed([seedOf(example)]);
      return (await call(document, `${example.collection}.get`, { name: example.name })).data;
    }
    return outcome(document, start(document, example));
  }

  /** Sends a create and waits for nothing. */
  function start(document: Discovery, { collection, name, body }: Example): Answer {
    const id = `${collection}.create`;
    const parameters = Object.keys(document.methods[id]?.parameters ?? {});
    const idParameter = parameters.find((each) => each.endsWith("Id") && each !== "requestId") ?? "";
    return call(document, id, { parent: parentOf(name), [idParameter]: idOf(name), requestBody: body });
  }

  /** The error that the client gets. */
  async function refusal(answer: Answer): Promise<{ code: number; status: string; message: string }> {
    const error: unknown = await answer.catch((thrown: unknown) => thrown);
    return (error as { response: { data: { error: { code: number; status: string; message: string } } } }).response.data
      .error;
  }

  for (const document of documents) {
    const { name: api, version } = document;
    describe(`${api} ${version}`, () => {
      const examples = EXAMPLES.filter(({ collection }) => collection.startsWith(`${api}.`));
      for (const example of examples.filter((each) => isSeeded(each, document.methods))) {
        test(`${example.collection}: get`, async () => {
          expect(await create(document, example)).toMatchObject({ name: example.name, ...example.body });
        });
      }

      for (const example of examples.filter((each) => !isSeeded(each, document.methods))) {
        test(`${example.collection}: create, get, list, patch, delete`, async () => {
          const { collection, name } = example;
          expect(await create(document, example)).toMatchObject({ name });
          const { data: read } = await call(document, `${collection}.get`, { name });
          expect(read).toMatchObject({ name });
          const { data: page } = await call(document, `${collection}.list`, { parent: parentOf(name), pageSize: 10 });
          expect(Object.values(page)).toEqual([[read]]);
          const updateMask = Object.keys(example.change).join(",");
          await outcome(
            document,
            call(document, `${collection}.patch`, { name, updateMask, requestBody: example.change }),
          );
          const { data: changed } = await call(document, `${collection}.get`, { name });
          expect(changed).toMatchObject({ ...read, ...example.change, ...timesOf(changed) });
          await outcome(document, call(document, `${collection}.delete`, { name }));
          await expect(call(document, `${collection}.get`, { name })).rejects.toMatchObject({ status: 404 });
        });
      }

      const withPolicies = EXAMPLES.filter(({ collection }) => `${collection}.setIamPolicy` in document.methods);
      withPolicies.forEach((example) =>
        test(`${example.collection}: policies`, async () => {
          const { collection, name: resource } = example;
          await create(document, example);
          const options = { requestedPolicyVersion: 3 };
          const isPost = document.methods[`${collection}.getIamPolicy`]?.httpMethod === "POST";
          const { data: before } = await call(document, `${collection}.getIamPolicy`, {
            resource,
            ...(isPost ? { requestBody: { options } } : { "options.requestedPolicyVersion": 3 }),
          });
          const bindings = [{ role: "roles/viewer", members: ["user:ada@example.com"] }];
          await call(document, `${collection}.setIamPolicy`, {
            resource,
            requestBody: { policy: { ...before, bindings } },
          });
          const { data: after } = await call(document, `${collection}.getIamPolicy`, { resource });
          expect(after).toMatchObject({ version: 1, bindings });
          const stale = call(document, `${collection}.setIamPolicy`, { resource, requestBody: { policy: before } });
          await expect(refusal(stale)).resolves.toMatchObject({ code: 409, status: "ABORTED" });
          const permissions = ["a.b.get"];
          const { data } = await call(document, `${collection}.testIamPermissions`, {
            resource,
            requestBody: { permissions },
          });
          expect(data).toEqual({ permissions });
        }),
      );

      test("operations: list, cancel, delete; locations: get, list", async () => {
        for (const id of Object.keys(document.methods).filter((each) => /\.operations\.list$/.test(each))) {
          emulator.reset();
          emulator.configure({ operationMs: 1000 });
          const operations = id.slice(0, -".list".length);
          const home = operations.slice(0, -"operations".length);
          const example = EXAMPLES.find(({ collection }) => `${collection}.`.startsWith(home));
          if (example === undefined) throw new Error(`No example has operations ${id}`);
          const started: string = (await start(document, example)).data.name;
          const parent = started.slice(0, started.lastIndexOf("/operations/"));
          const { data: page } = await call(document, id, { name: parent });
          expect(page.operations).toMatchObject([{ name: started, done: false }]);
          await call(document, `${operations}.cancel`, { name: started, requestBody: {} });
          const { data: cancelled } = await call(document, `${operations}.get`, { name: started });
          expect(cancelled).toMatchObject({ done: true, error: { code: 1 } });
          if (`${operations}.delete` in document.methods) {
            await call(document, `${operations}.delete`, { name: started });
            await expect(call(document, `${operations}.get`, { name: started })).rejects.toMatchObject({ status: 404 });
          }
        }
        for (const id of Object.keys(document.methods).filter((each) => /\.locations\.list$/.test(each))) {
          const name = id.includes(".organizations.") ? "organizations/1" : "projects/demo";
          const { data } = await call(document, id, { name });
          expect(data.locations).toContainEqual({ name: `${name}/locations/global`, locationId: "global" });
          const one = await call(document, id.replace(/list$/, "get"), { name: `${name}/locations/mars` });
          expect(one.data).toEqual({ name: `${name}/locations/mars`, locationId: "mars" });
        }
      });
    });
  }

  test("custom methods: what a scope holds, the actions of a migration job, the metrics of a FHIR store", async () => {
    for (const document of documents.filter(({ name }) => name === "gkehub")) {
      emulator.reset();
      const example = exampleOf("gkehub.projects.locations.scopes");
      await create(document, example);
      const { data } = await call(document, `${example.collection}.listPermitted`, { parent: parentOf(example.name) });
      expect(data.scopes).toMatchObject([{ name: example.name }]);
      const bound = () => call(document, `${example.collection}.listMemberships`, { scopeName: example.name });
      expect((await bound()).data).toEqual({});
      await create(document, exampleOf("gkehub.projects.locations.memberships.bindings"));
      const membership = exampleOf("gkehub.projects.locations.memberships");
      expect((await bound()).data.memberships).toMatchObject([{ name: membership.name }]);
    }
    for (const document of documents.filter(({ name }) => name === "datamigration")) {
      emulator.reset();
      const { collection, name } = exampleOf("datamigration.projects.locations.migrationJobs");
      await create(document, exampleOf(collection));
      const states: string[] = [];
      for (const action of ["verify", "start", "stop", "resume", "promote", "restart"]) {
        await outcome(document, call(document, `${collection}.${action}`, { name, requestBody: {} }));
        states.push((await call(document, `${collection}.get`, { name })).data.state);
      }
      if (`${collection}.demoteDestination` in document.methods) {
        await outcome(document, call(document, `${collection}.demoteDestination`, { name, requestBody: {} }));
      }
      expect(states).toEqual(["NOT_STARTED", "RUNNING", "STOPPED", "RUNNING", "COMPLETED", "RUNNING"]);
    }
    for (const document of documents.filter(({ name }) => name === "healthcare")) {
      emulator.reset();
      const { collection, name } = exampleOf("healthcare.projects.locations.datasets.fhirStores");
      await create(document, exampleOf(collection));
      expect((await call(document, `${collection}.getFHIRStoreMetrics`, { name })).data).toEqual({ name });
    }
    for (const document of documents.filter(({ name }) => name === "iam")) {
      const requestBody = { fullResourceName: "//pubsub.googleapis.com/projects/p/topics/t" };
      const { data } = await call(document, "iam.roles.queryGrantableRoles", { requestBody });
      expect(data.roles).toContainEqual({ name: "roles/pubsub.publisher" });
    }
  });

  const [associations] = documents.filter(({ name }) => name === "networksecurity");
  const { collection, name, body } = exampleOf("networksecurity.projects.locations.firewallEndpointAssociations");

  test.each<[string, string, object, string, string]>([
    ["a missing resource", "get", { name }, "NOT_FOUND", ""],
    [
      "a field that the API does not have",
      "create",
      { parent: parentOf(name), requestBody: { ...body, colour: "red" } },
      "INVALID_ARGUMENT",
      'Invalid JSON payload received. Unknown name "colour": Cannot find field.',
    ],
    [
      "a parameter that the method does not have",
      "create",
      { parent: parentOf(name), requestBody: body, validateOnly: true },
      "INVALID_ARGUMENT",
      'Unknown name "validateOnly": Cannot bind query parameter.',
    ],
  ])("the error of %s is the API's", async (_what, method, parameters, status, message) => {
    const error = await refusal(call(associations as Discovery, `${collection}.${method}`, parameters));
    expect(error).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  test("the credentials and the quota project reach the emulator as the client sends them", async () => {
    emulator.configure({ requireAuth: true, tokens: ["secret"] });
    const list = (headers: object) =>
      call(associations as Discovery, `${collection}.list`, { parent: parentOf(name) }, { headers });
    expect((await refusal(list({}))).status).toBe("UNAUTHENTICATED");
    expect((await list({ authorization: "Bearer secret", "x-goog-user-project": "billing" })).status).toBe(200);
    expect(emulator.requests()[1]).toMatchObject({
      authorization: true,
      headers: { "x-goog-user-project": "billing" },
    });
  });

  test("every method of every document was called", () => {
    const wanted = documents.flatMap(({ version, methods }) => Object.keys(methods).map((id) => `${version}/${id}`));
    expect(wanted.filter((each) => !called.has(each))).toEqual([]);
  });

  /** What every change sets anew. */
  function timesOf({ updateTime, etag }: Record<string, unknown>): object {
    return { ...(updateTime !== undefined && { updateTime }), ...(etag !== undefined && { etag }) };
  }
});
