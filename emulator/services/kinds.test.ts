/** The access policies of every kind of the table, over HTTP, each in the form of its API. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { policyKinds, type PolicyForm, type PolicyKind } from "../base/policy-kinds";
import { startEmulator, type Emulator } from "..";
import { leftOut, noteLeftOut } from "../../tests/support/test-all";
import type { Seed } from "../control/seed";
import { resourceTypes } from ".";
import { findResourceType } from "./resource-type";

// Thousands of requests: on a busy machine, they take a minute.
jest.setTimeout(240_000);

const bindings = [{ role: "roles/viewer", members: ["user:ada@example.com"] }];

/** A name of the kind. Each kind has other names, so that no two APIs have a resource of the same name. */
function nameOf({ path }: PolicyKind, index: number): string {
  if (path === "{+resource}") return "projects/123/iap_web/compute/services/backend";
  return path.replaceAll(/\{(\+?)(\w+)\}/g, (_variable, plus: string, name: string) =>
    plus ? `dir/${name}-${index}` : `${name.toLowerCase()}-${index}`,
  );
}

const places = policyKinds.map((kind, index) => ({ kind, name: nameOf(kind, index) }));

type Version = PolicyKind["versions"][number];

interface Answer {
  status: number;
  body: {
    etag?: string;
    bindings?: typeof bindings;
    permissions?: string[];
    kind?: string;
    error?: { code: number; status?: string; message: string; errors?: { reason: string }[] };
  };
}

async function send(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${emulator.url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? (JSON.parse(text) as Answer["body"]) : {} };
}

/** The methods of one kind in one version, as its API has them. */
function clientOf({ service, hasServicePath, test: how }: PolicyKind, { version, form }: Version, name: string) {
  const object = /^(b\/[^/]+\/(?:o|managedFolders)\/)(.+)$/.exec(name);
  const encoded = object === null ? name : `${object[1]}${encodeURIComponent(object[2] ?? "")}`;
  const at = `/${service}/${hasServicePath ? `${service}/` : ""}${version}/${encoded}`;
  const permissions = ["a.b.get"];
  const reads: Record<PolicyForm, (asked: number) => Promise<Answer>> = {
    get: (asked) => send("GET", `${at}:getIamPolicy?options.requestedPolicyVersion=${asked}`),
    post: (asked) => send("POST", `${at}:getIamPolicy`, { options: { requestedPolicyVersion: asked } }),
    query: (asked) => send("POST", `${at}:getIamPolicy?options.requestedPolicyVersion=${asked}`),
    path: (asked) => send("GET", `${at}/getIamPolicy?optionsRequestedPolicyVersion=${asked}`),
    iam: (asked) => send("GET", `${at}/iam?optionsRequestedPolicyVersion=${asked}`),
    "iam-1": () => send("GET", `${at}/iam`),
  };
  const isPut = form === "iam" || form === "iam-1";
  const verb = form === "path" ? "/" : ":";
  return {
    read: reads[form],
    write: (policy: object) =>
      isPut ? send("PUT", `${at}/iam`, policy) : send("POST", `${at}${verb}setIamPolicy`, { policy }),
    test: () => {
      if (isPut) return send("GET", `${at}/iam/testPermissions?permissions=a.b.get`);
      return how === "test-query"
        ? send("POST", `${at}:testIamPermissions?permissions=a.b.get`)
        : send("POST", `${at}${verb}testIamPermissions`, { permissions });
    },
  };
}

let emulator: Emulator;
afterEach(() => emulator.stop());

test("the table has 288 kinds", () => {
  emulator = { stop: () => Promise.resolve() } as Emulator;
  expect(places).toHaveLength(288);
});

/** Whether names of the kind may have slashes. The router has code for these kinds alone. */
const hasSlashes = ({ path }: PolicyKind) => path.includes("{+");

/**
 * Every second kind in one version of its API, by turns, and the kinds whose names may have slashes in each; in
 * `make test-all`, each in each version. tests/lifecycle/any-resource.test.ts writes to all kinds.
 */
const inVersions = places.flatMap(({ kind, name }, index) => {
  const isWhole = leftOut === undefined || hasSlashes(kind);
  return kind.versions
    .filter((_, at) => isWhole || (index % 2 === 0 && at === (index / 2) % kind.versions.length))
    .map((version) => ({ kind, name, version }));
});
noteLeftOut("the other kinds and versions of each API, and three of four kinds without a resource");

test("reads, writes and tests the policy of each kind, in each version of its API", async () => {
  const seed: Seed[] = places.map(({ kind, name }) => ({ service: kind.service, name, policy: { bindings } }));
  emulator = await startEmulator({ seed });
  const found = [];
  const expected = [];
  for (const { kind, name, version } of inVersions) {
    const client = clientOf(kind, version, name);
    const first = await client.read(3);
    const added = [...(first.body.bindings ?? []), { role: "roles/editor", members: ["user:grace@example.com"] }];
    const written = await client.write({ ...first.body, bindings: added });
    const stale = await client.write({ bindings, etag: first.body.etag });
    const last = await client.read(3);
    const tested = kind.test === "-" ? undefined : await client.test();
    const of = `${kind.service} ${version.version} ${kind.path}`;
    found.push({
      of,
      statuses: [first, written, stale, last, tested ?? last].map(({ status }) => status),
      isKept: last.body.etag === written.body.etag && last.body.bindings?.length === 2,
      permissions: (tested ?? written).body.permissions,
      reason: stale.body.error?.status ?? stale.body.error?.errors?.[0]?.reason,
    });
    const isOlder = kind.hasServicePath;
    expected.push({
      of,
      statuses: [200, 200, isOlder ? 412 : 409, 200, 200],
      isKept: true,
      permissions: kind.test === "-" ? undefined : ["a.b.get"],
      reason: isOlder ? "conditionNotMet" : "ABORTED",
    });
  }
  expect(found).toEqual(expected);
  // Nothing is served twice: the seven APIs keep the resources that they have.
  expect(emulator.resources().filter(({ policy }) => policy !== undefined)).toHaveLength(288);
});

test("the policy of a name that no seed has is not found, unless any resource exists", async () => {
  emulator = await startEmulator();
  const exists = new Set(["cloudresourcemanager projects/{project}"]);
  const keyOf = ({ kind }: (typeof places)[number]) => `${kind.service} ${kind.path}`;
  const asked = places.filter(
    (each, index) =>
      leftOut === undefined ||
      index % 4 === 0 ||
      hasSlashes(each.kind) ||
      exists.has(keyOf(each)) ||
      withMethods.includes(each),
  );
  const read = async (): Promise<string[]> => {
    const wrong = [];
    for (const each of asked) {
      const { kind, name } = each;
      const { status } = await clientOf(kind, kind.versions[0] as Version, name).read(3);
      const key = keyOf(each);
      if (status !== (exists.has(key) ? 200 : 404)) wrong.push(`${key}: ${status}`);
    }
    return wrong;
  };
  expect(await read()).toEqual([]);
  emulator.configure({ anyResource: true });
  // Resources with methods of their own still need a create or a seed.
  const own = (await read()).length;
  expect(own).toBe(asked.length - 1 - withMethods.length);
});

/** The kinds that have other methods in the emulator, besides projects. */
const withMethods = places.filter(({ kind, name }) => {
  const type = findResourceType(resourceTypes, kind.service, name);
  return type?.policyForm === undefined && kind.path !== "projects/{project}";
});

describe("a full resource name", () => {
  const bucket = "//storage.googleapis.com/projects/_/buckets/my-bucket";

  test("is a name in a seed, in control requests and in an export", async () => {
    const seed: Seed[] = [
      { service: "storage", name: bucket, policy: { bindings } },
      { service: "bigtableadmin", name: "//bigtable.googleapis.com/projects/p/instances/i", policy: { bindings } },
      // As in a program: the host says which API it is.
      { name: "//pubsub.googleapis.com/projects/p/topics/t", policy: { bindings } },
    ];
    emulator = await startEmulator({ seed });
    const names = ["b/my-bucket", "projects/p/instances/i", "projects/p/topics/t"];
    expect(emulator.resources().map(({ name }) => name)).toEqual(names);
    expect(emulator.resource(bucket)?.name).toBe("b/my-bucket");
    expect(emulator.export().map(({ name }) => name)).toEqual(names);
  });

  test.each<[string, Seed, string]>([
    [
      "the host of another API",
      { service: "pubsub", name: "//storage.googleapis.com/projects/p/topics/t" },
      "is a name of the API 'storage', and the service is 'pubsub'",
    ],
    ["neither a host nor an API", { name: "projects/p/topics/t" }, "[0].service: required, unless the name"],
    ["a body", { service: "pubsub", name: "projects/p/topics/u", body: { labels: {} } }, "labels"],
  ])("is refused in a seed with %s", async (_what, entry, message) => {
    emulator = await startEmulator();
    expect(() => emulator.seed([entry])).toThrow(message);
  });
});

describe("Cloud Storage's policy", () => {
  const at = "/storage/v1/b/my-bucket/iam";
  beforeEach(async () => {
    emulator = await startEmulator({ seed: [{ service: "storage", name: "b/my-bucket", policy: { bindings } }] });
  });

  test("says what it is", async () => {
    const { body } = await send("GET", at);
    expect(body).toMatchObject({ kind: "storage#policy", resourceId: "projects/_/buckets/my-bucket", bindings });
  });

  test("hides no conditions: a read that does not ask for them fails", async () => {
    const conditional = [{ ...bindings[0], condition: { title: "t", expression: "true" } }];
    const written = await send("PUT", at, { version: 3, bindings: conditional });
    expect(written.body).toMatchObject({ version: 3, bindings: conditional });
    expect(await send("GET", at)).toMatchObject({ status: 400, body: { error: { errors: [{ reason: "invalid" }] } } });
    expect(await send("GET", `${at}?optionsRequestedPolicyVersion=3`)).toMatchObject({ status: 200 });
  });

  test("has the older format of errors", async () => {
    const { body } = await send("GET", at);
    await send("PUT", at, body);
    expect(await send("PUT", at, body)).toMatchObject({
      status: 412,
      body: { error: { message: "Precondition Failed" } },
    });
    expect(await send("GET", "/storage/v1/b/other/iam")).toEqual({
      status: 404,
      body: {
        error: {
          code: 404,
          message: "The specified bucket does not exist.",
          errors: [{ message: "The specified bucket does not exist.", domain: "global", reason: "notFound" }],
        },
      },
    });
    emulator.configure({ deny: ["storage.buckets.getIamPolicy"] });
    expect(await send("GET", at)).toMatchObject({
      status: 403,
      body: { error: { errors: [{ reason: "forbidden" }] } },
    });
  });
});

test("Compute Engine accepts bindings and etag without policy", async () => {
  const name = "projects/p/zones/z/instances/i";
  emulator = await startEmulator({ seed: [{ service: "compute", name, policy: { bindings: [] } }] });
  const { body } = await send("GET", `/compute/beta/${name}/getIamPolicy`);
  const written = await send("POST", `/compute/v1/${name}/setIamPolicy`, { bindings, etag: body.etag });
  expect(written).toMatchObject({ status: 200, body: { bindings } });
  expect(emulator.requests().map(({ id }) => id)).toEqual([
    "compute.instances.getIamPolicy",
    "compute.instances.setIamPolicy",
  ]);
});

test("an API is named by a prefix or the host, or found by the resource", async () => {
  const name = "projects/p/locations/l/instances/i";
  emulator = await startEmulator({ seed: [{ service: "notebooks", name, policy: { bindings } }] });
  expect(await send("GET", `/v1/${name}:getIamPolicy`)).toMatchObject({ status: 200, body: { bindings } });
  expect(await send("GET", `/datafusion/v1/${name}:getIamPolicy`)).toMatchObject({ status: 404 });
  emulator.configure({ anyResource: true });
  expect(await send("GET", `/v1/projects/p/locations/l/instances/other:getIamPolicy`)).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("/notebooks/") as string } },
  });
  expect(await send("GET", `/datafusion/v1/${name}:getIamPolicy`)).toMatchObject({ status: 200 });
});

test("a full resource name means the resource of its API, where two APIs have one name", async () => {
  const name = "projects/p/locations/l/instances/i";
  emulator = await startEmulator({
    seed: [
      { service: "notebooks", name, policy: { bindings } },
      { service: "datafusion", name, policy: { bindings: [] } },
    ],
  });
  expect(() => emulator.resource(name)).toThrow("have a resource");
  for (const service of ["notebooks", "datafusion"] as const) {
    const full = `//${service}.googleapis.com/${name}`;
    expect(emulator.resource(full)).toMatchObject({ service, name });
    expect(emulator.history(full).map((version) => version.service)).toEqual([service]);
  }
  expect(emulator.history(name)).toHaveLength(2);
  expect(emulator.resource(`//pubsub.googleapis.com/${name}`)).toBeUndefined();
});

test.each(["m", "a/b"])(
  "the managed folder %s has one policy, with and without the slash at its end",
  async (folder) => {
    const name = `b/files/managedFolders/${folder}`;
    emulator = await startEmulator({ seed: [{ service: "storage", name: `${name}/`, policy: { bindings } }] });
    const at = `/storage/v1/b/files/managedFolders/${encodeURIComponent(folder)}`;
    for (const path of [at, `${at}%2F`]) {
      expect(await send("GET", `${path}/iam`)).toMatchObject({
        status: 200,
        body: { bindings, resourceId: `projects/_/buckets/files/managedFolders/${folder}` },
      });
    }
    const more = [{ role: "roles/editor", members: ["user:grace@example.com"] }];
    expect(await send("PUT", `${at}%2F/iam`, { bindings: more })).toMatchObject({ status: 200 });
    expect(await send("GET", `${at}/iam`)).toMatchObject({ body: { bindings: more } });
    expect(
      emulator.resource(`//storage.googleapis.com/projects/_/buckets/files/managedFolders/${folder}/`),
    ).toMatchObject({
      name,
    });
    expect(await send("GET", `/storage/v1/b/files/managedFolders/other%2F/iam`)).toMatchObject({ status: 404 });
  },
);

test("names with slashes have no parents within them", async () => {
  const object = "//storage.googleapis.com/projects/_/buckets/b/objects/a/b/c";
  emulator = await startEmulator({ seed: [{ name: object }, { name: "//iap.googleapis.com/projects/1/iap_web" }] });
  expect(emulator.resources().map(({ name }) => name)).toEqual(["b/b", "b/b/o/a/b/c", "projects/1/iap_web"]);
  const statusOf = async (id: string) => (await send("GET", `/storage/v1/b/b/o/${encodeURIComponent(id)}/iam`)).status;
  expect([await statusOf("a/b/c"), await statusOf("a/b"), await statusOf("a")]).toEqual([200, 404, 404]);
});

describe("a resource of a kind without other methods is like every other", () => {
  const name = "projects/p/secrets/s";
  const at = `/v1/${name}`;
  const write = () => send("POST", `${at}:setIamPolicy`, { policy: { bindings } });

  test("in faults and used permissions", async () => {
    emulator = await startEmulator({ anyResource: true });
    emulator.setFaults([{ match: { id: "secretmanager.*.setIamPolicy" }, fault: { status: "UNAVAILABLE" } }]);
    expect((await write()).status).toBe(503);
    expect((await write()).status).toBe(200);
    expect(emulator.permissionsUsed()).toEqual([
      { permission: "secretmanager.secrets.setIamPolicy", resource: name, uses: 1, denied: 0 },
    ]);
  });

  test("in mutations, events and the history", async () => {
    emulator = await startEmulator({ anyResource: true });
    const events: string[] = [];
    emulator.subscribe((event) => events.push(event.type));
    await write();
    emulator.mutate(`//secretmanager.googleapis.com/${name}`, { policy: { bindings: [] } });
    expect(emulator.history(name).map(({ author }) => author.by)).toEqual(["request", "control"]);
    expect(events.filter((type) => type === "resource")).toHaveLength(2);
  });

  test("after a restart", async () => {
    const data = mkdtempSync(join(tmpdir(), "perimeter-kinds-"));
    emulator = await startEmulator({ anyResource: true, data });
    await write();
    await emulator.stop();
    emulator = await startEmulator({ data });
    expect(await send("GET", `${at}:getIamPolicy`)).toMatchObject({ status: 200, body: { bindings } });
    rmSync(data, { recursive: true });
  });
});
