/**
 * The emulator against the discovery documents of all that it serves (`discovery/`, made by tools/discovery): each
 * method of each version is routed with all its parameters, and every answer fits its schema.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { EXAMPLES, exampleOf, idOf, isSeeded, parentOf, seedOf, type Example } from "./resources";
import { problemsOf, type Discovery, type DiscoveryMethod } from "./schema-check";

const FOLDER = join(__dirname, "discovery");
const documents = readdirSync(FOLDER).map((file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Discovery);

const OPERATION_MS = 1000;
const UUID = "11111111-2222-4333-8444-555555555555";
const policy = {
  version: 3,
  bindings: [{ role: "roles/viewer", members: ["user:a@b.cd"], condition: { title: "t", expression: "true" } }],
  auditConfigs: [{ service: "s", auditLogConfigs: [{ logType: "ADMIN_READ", exemptedMembers: ["user:a@b.cd"] }] }],
};

/** States that an action needs; set as somebody else would. */
const STATES: Record<string, string> = { stop: "RUNNING", promote: "RUNNING", resume: "STOPPED", restart: "STOPPED" };

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ operationMs: OPERATION_MS });
});
afterAll(() => emulator.stop());
beforeEach(() => emulator.reset());

interface Reply {
  status: number;
  body: { name: string; response?: object; metadata?: Record<string, unknown> };
}

async function send(method: string, path: string, body?: object): Promise<Reply> {
  const response = await fetch(`${emulator.url}/${path}`, {
    method,
    headers: body && { "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Reply["body"] };
}

/** Creates an example through the API, with what it needs. @returns the answer, an operation or the resource */
async function make(document: Discovery, example: Example): Promise<Reply> {
  for (const needed of example.needs ?? []) {
    if (emulator.resource(exampleOf(needed).name) === undefined) {
      await make(document, exampleOf(needed));
      emulator.advance(OPERATION_MS);
    }
  }
  if (isSeeded(example, document.methods)) {
    emulator.seed([seedOf(example)]);
    return { status: 200, body: { name: example.name } };
  }
  const method = document.methods[`${example.collection}.create`];
  const parameter = Object.keys(method?.parameters ?? {}).find((name) => name.endsWith("Id") && name !== "requestId");
  const path = `${document.version}/${parentOf(example.name)}/${example.collection.split(".").pop()}`;
  const answer = await send("POST", `${path}?${parameter}=${idOf(example.name)}`, example.body);
  expect(answer).toMatchObject({ status: 200 });
  return answer;
}

/** The resource, operation or parent that a call of the method names; made first where it must be there. */
async function nameFor(document: Discovery, method: DiscoveryMethod): Promise<string> {
  const [collection, action] = splitId(method.id);
  if (collection.endsWith(".locations")) {
    const parent = collection.includes(".organizations.") ? "organizations/1" : "projects/demo";
    return action === "list" ? `${parent}/locations` : `${parent}/locations/us-central1`;
  }
  if (collection.endsWith(".operations")) {
    const home = collection.replace(/\.operations$/, ".");
    const example = EXAMPLES.find((each) => `${each.collection}.`.startsWith(home));
    const { body } = await make(document, example as Example);
    return action === "list" ? body.name.slice(0, body.name.lastIndexOf("/")) : body.name;
  }
  if (action === "queryGrantableRoles") return "roles";
  const example = exampleOf(collection);
  if (action === "create" || action === "list" || action === "listPermitted") {
    const [needed] = example.needs ?? [];
    if (needed !== undefined) {
      await make(document, exampleOf(needed));
      emulator.advance(OPERATION_MS);
    }
    return `${parentOf(example.name)}/${collection.split(".").pop()}`;
  }
  await make(document, example);
  emulator.advance(OPERATION_MS);
  if (STATES[action] !== undefined) {
    emulator.mutate(example.name, { patch: { state: STATES[action] } });
  }
  return example.name;
}

function splitId(id: string): [string, string] {
  const dot = id.lastIndexOf(".");
  return [id.slice(0, dot), id.slice(dot + 1)];
}

function bodyFor(method: DiscoveryMethod): object | undefined {
  const [collection, action] = splitId(method.id);
  const example = EXAMPLES.find((each) => each.collection === collection);
  const bodies: Record<string, object | undefined> = {
    create: example?.body,
    patch: example?.change,
    setIamPolicy: { policy, updateMask: "bindings,auditConfigs,etag" },
    testIamPermissions: { permissions: ["a.b.get"] },
    queryGrantableRoles: { fullResourceName: "//pubsub.googleapis.com/projects/p/topics/t", pageSize: 5, view: "FULL" },
  };
  return method.request && (bodies[action] ?? {});
}

/** A value for each query parameter of a method. */
function queryFor(method: DiscoveryMethod): URLSearchParams {
  const [collection] = splitId(method.id);
  const example = EXAMPLES.find((each) => each.collection === collection);
  const values: Record<string, string> = {
    requestId: UUID,
    "options.requestedPolicyVersion": "3",
    pageSize: "5",
    pageToken: "",
    filter: "name:*",
    orderBy: "name",
    updateMask: Object.keys(example?.change ?? {}).join(","),
    view: "BASIC",
    etag: "",
  };
  const query = new URLSearchParams();
  for (const [name, { location, type }] of Object.entries(method.parameters)) {
    if (location === "query") {
      query.set(name, values[name] ?? (type === "boolean" ? "false" : name === "extraLocationTypes" ? "x" : "new"));
    }
  }
  return query;
}

for (const document of documents) {
  describe(`${document.name} ${document.version}`, () => {
    test.each(Object.values(document.methods).map((method) => [method.id, method] as const))(
      "%s takes its parameters and answers by its schema",
      async (id, method) => {
        const name = await nameFor(document, method);
        const custom = method.flatPath.includes(":") ? `:${splitId(id)[1]}` : "";
        const query = queryFor(method);
        for (const common of Object.keys(document.parameters)) {
          query.set(common, common === "alt" ? "json" : common === "fields" ? "*" : "1");
        }
        const path = `${document.name}/${document.version}/${name}${custom}?${query.toString()}`;
        const { status, body } = await send(method.httpMethod, path, bodyFor(method));
        expect({ status, body }).toMatchObject({ status: 200 });
        expect(problemsOf(body, method.response, document.schemas)).toEqual([]);
        expect(emulator.requests().at(-1)?.id).toBe(id);
      },
    );

    for (const example of EXAMPLES.filter(({ collection }) => collection.startsWith(`${document.name}.`))) {
      if (isSeeded(example, document.methods)) continue;
      test(`${example.collection}: operations and resources fit while they run, when done and when failed`, () =>
        checkLifetime(document, example));
    }
  });
}

async function checkLifetime(document: Discovery, example: Example): Promise<void> {
  const get = document.methods[`${example.collection}.get`];
  const resource = get?.response ?? { $ref: "?" };
  const operation = document.methods[`${example.collection}.create`]?.response ?? { $ref: "?" };
  const fits = (value: unknown, schema: { $ref: string }) =>
    expect(problemsOf(value, schema, document.schemas)).toEqual([]);
  const prefix = `${document.name}/${document.version}`;
  const started = (await make(document, example)).body;
  fits(started, operation);
  if (!operation.$ref.endsWith("Operation")) {
    expect(started.name).toBe(example.name);
    return;
  }
  const running = await send("GET", `${prefix}/${started.name}`);
  fits((await send("GET", `${prefix}/${example.name}`)).body, resource);
  emulator.advance(OPERATION_MS);
  const done = await send("GET", `${prefix}/${started.name}`);
  fits((await send("GET", `${prefix}/${example.name}`)).body, resource);
  const metadataSchema = Object.keys(document.schemas).find((name) => /(?<!Deidentify)OperationMetadata$/.test(name));
  for (const { body } of [running, done]) {
    fits(body, operation);
    const { "@type": type, ...metadata } = body.metadata ?? {};
    expect(type).toMatch(/OperationMetadata$/);
    fits(metadata, { $ref: metadataSchema ?? "?" });
  }
  const { "@type": type, ...answered } = (done.body.response ?? {}) as Record<string, unknown>;
  expect(type).toMatch(/^type\.googleapis\.com\/google\.cloud\./);
  fits(answered, resource);
  emulator.setFaults([{ fault: { operationError: { code: 8, message: "no room" } } }]);
  const patched = await send(
    "PATCH",
    `${prefix}/${example.name}?updateMask=${Object.keys(example.change).join(",")}`,
    example.change,
  );
  if (patched.body.metadata === undefined) {
    return;
  }
  emulator.advance(OPERATION_MS);
  const failed = await send("GET", `${prefix}/${patched.body.name}`);
  expect(failed.body).toMatchObject({ done: true, error: { code: 8 } });
  fits(failed.body, operation);
  fits((await send("GET", `${prefix}/${example.name}`)).body, resource);
}
