/** Grants on any resource: every kind of the table over HTTP, and what they share with the grants that have types of their own. */
import type { Emulator } from "../../emulator";
import { NotFoundError, PermissionDeniedError } from "../../provider/core/errors";
import type { Policy } from "../../provider/iam/policy";
import { policyKinds } from "../../provider/iam/kinds/kinds";
import type { Values } from "../../provider/core/unknown";
import { anyResource } from "../../provider/services/iam/any-resource";
import { Bench, limits } from "../support/provider";
import { resourceOfKind } from "../support/policy-kinds";
import { leftOut, noteLeftOut } from "../support/test-all";
import { ANY_GRANT, STORE_GRANT } from "../support/tokens";

const BINDING = "perimeter:iam/v1:ResourceIamBinding";
const LOOKUP = "perimeter:iam/v1:getResourceIamPolicy";
const ADA = "user:ada@example.com";
const GRACE = "user:grace@example.com";
const TOPIC = "//pubsub.googleapis.com/projects/p/topics/t";
const BUCKET = "//storage.googleapis.com/projects/_/buckets/b";
const STORE = "projects/p/locations/us/datasets/d/fhirStores/f";
const CONDITION = { title: "until 2031", expression: 'request.time < timestamp("2031-01-01T00:00:00Z")' };

describe("every kind of the table", () => {
  /** In `make test`, the first kind of each form in each API. The next test writes to all kinds. */
  const kinds = policyKinds().filter(
    ({ api, form }, index, all) =>
      leftOut === undefined || all.findIndex((each) => each.api === api && each.form === form) === index,
  );
  noteLeftOut("the other kinds of an API and a form");
  let bench: Bench;
  beforeAll(async () => {
    const seed = kinds.map((kind) => resourceOfKind(kind)).map(({ service, name }) => ({ service, name }));
    bench = await Bench.start({ seed, anyRole: true });
  });
  afterAll(() => bench.emulator.stop());

  test("is granted, read, imported, and left as it was", async () => {
    const provider = bench.provider({ grantMode: "replace" });
    const next = bench.provider({ grantMode: "replace" });
    const done: string[] = [];
    for (const kind of kinds) {
      const { resource } = resourceOfKind(kind);
      const given = { resource, role: "roles/viewer", member: ADA };
      const { inputs, problems } = await provider.check(ANY_GRANT, given, { identity: limits().identity });
      expect([resource, problems]).toEqual([resource, []]);
      const { id, state } = await provider.create(ANY_GRANT, inputs, limits());
      expect(await provider.read(ANY_GRANT, id, { inputs, state }, limits())).toMatchObject({ id });
      const imported = await provider.read(ANY_GRANT, `${resource} roles/viewer ${ADA}`, undefined, limits());
      expect(imported).toMatchObject({ id, inputs: { role: "roles/viewer", member: ADA } });
      expect(await provider.invoke(LOOKUP, { resource }, limits())).toMatchObject({
        bindings: [{ role: "roles/viewer", members: [ADA] }],
      });
      // Another run, whose program does not declare the grant.
      await next.delete(ANY_GRANT, { id, inputs, state }, limits());
      expect(await provider.invoke(LOOKUP, { resource }, limits())).toMatchObject({ bindings: [] });
      done.push(resource);
    }
    expect(done.length).toBe(leftOut === undefined ? 288 : 76);
  }, 120_000);
});

test("each API demands the permission that a preflight tests", async () => {
  const kinds = policyKinds().map((kind) => ({ kind, ...resourceOfKind(kind) }));
  const bench = await Bench.start({ seed: kinds.map(({ service, name }) => ({ service, name })), anyRole: true });
  const provider = bench.provider({});
  const differing: string[] = [];
  for (const { resource } of kinds) {
    const permission = anyResource.find(resource)?.parent.permissions.find((each) => each.endsWith(".setIamPolicy"));
    if (permission === undefined) continue;
    bench.emulator.configure({ deny: [permission] });
    const made = provider.create(ANY_GRANT, { resource, role: "roles/viewer", member: ADA }, limits());
    await made.then(
      () => differing.push(`${resource}: ${permission}`),
      (error: unknown) => expect(error).toBeInstanceOf(PermissionDeniedError),
    );
  }
  await bench.emulator.stop();
  expect(differing).toEqual([]);
});

describe("a limit that an older API answers with 403", () => {
  const RESOURCES = ["bigquery", "compute", "storage"].map((api) => {
    const kind = policyKinds().find((each) => each.api === api);
    if (kind === undefined) throw new Error(`no kind of ${api}`);
    return { api, ...resourceOfKind(kind) };
  });
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.start({ seed: RESOURCES.map(({ service, name }) => ({ service, name })), anyRole: true });
  });
  afterAll(() => bench.emulator.stop());

  /** https://cloud.google.com/bigquery/docs/troubleshoot-quotas has this answer; it has neither a status nor details. */
  const refuse = (reason: string) => {
    const message = `Quota exceeded: ${reason}`;
    const body = { error: { code: 403, message, errors: [{ message, domain: "usageLimits", reason }] } };
    // The read and the write of a policy fail twice each.
    bench.emulator.setFaults(
      ["getIamPolicy", "setIamPolicy"].map((verb) => ({
        match: { id: `*${verb}` },
        times: 2,
        fault: { status: 403, body },
      })),
    );
    bench.requests();
  };
  const statuses = () => bench.requests().map(({ id, status }) => [id?.split(".").at(-1), status]);

  test.each(RESOURCES)("is waited for, in the read and in the write of a policy ($api)", async ({ resource }) => {
    const given = { resource, role: "roles/viewer", member: ADA };
    for (const reason of ["rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"]) {
      refuse(reason);
      const { id, state } = await bench.provider({}).create(ANY_GRANT, given, limits());
      expect(statuses().filter(([, status]) => status === 403)).toHaveLength(4);
      await bench.provider({}).delete(ANY_GRANT, { id, inputs: given, state }, limits());
    }
  });
});

describe("a grant", () => {
  let emulator: Emulator;
  let bench: Bench;
  const others: Policy = { bindings: [{ role: "roles/pubsub.publisher", members: [GRACE] }] };

  beforeEach(async () => {
    bench = await Bench.start({
      seed: [
        { service: "pubsub", name: "projects/p/topics/t", policy: others },
        { service: "storage", name: "b/b" },
        { service: "healthcare", name: STORE },
      ],
    });
    emulator = bench.emulator;
  });
  afterEach(() => emulator.stop());

  const policyOf = (name: string) => (emulator.resource(name)?.policy ?? {}) as Policy;
  const members = (name: string) => (policyOf(name).bindings ?? []).map((each) => [each.role, each.members]);
  const make = async (token: string, given: Values, provider = bench.provider({ grantMode: "replace" })) => {
    const { inputs, problems } = await provider.check(token, given, { identity: limits().identity });
    expect(problems).toEqual([]);
    return { inputs, ...(await provider.create(token, inputs, limits())) };
  };

  test("keeps the other grants in the mode replace, and goes alone", async () => {
    const provider = bench.provider({ grantMode: "replace" });
    const given = { resource: TOPIC, role: "roles/pubsub.publisher", member: ADA, condition: CONDITION };
    const { id, inputs, state } = await make(ANY_GRANT, given, provider);
    expect(policyOf("projects/p/topics/t").bindings).toEqual([
      ...(others.bindings ?? []),
      { role: "roles/pubsub.publisher", members: [ADA], condition: CONDITION },
    ]);
    expect(state).toMatchObject({ ...given, project: "p" });
    await bench.provider({ grantMode: "replace" }).delete(ANY_GRANT, { id, inputs, state }, limits());
    expect(members("projects/p/topics/t")).toEqual([["roles/pubsub.publisher", [GRACE]]]);
  });

  test.each(["allUsers", "projectViewer:demo-project", "projectViewer:example.com:demo-project"])(
    "opens a bucket to %s",
    async (member) => {
      await make(ANY_GRANT, { resource: BUCKET, role: "roles/storage.objectViewer", member });
      expect(members("b/b")).toEqual([["roles/storage.objectViewer", [member]]]);
    },
  );

  test.each(["//storage.googleapis.com/projects/_/buckets/absent", "//pubsub.googleapis.com/projects/p/topics/absent"])(
    "on %s, which does not exist, is NOT_FOUND, and a refresh drops it",
    async (resource) => {
      const provider = bench.provider({});
      const inputs = { resource, role: "roles/viewer", member: ADA };
      await expect(provider.create(ANY_GRANT, inputs, limits())).rejects.toThrow(NotFoundError);
      const state = { ...inputs, etag: "e", project: "" };
      const id = `${resource}/roles/viewer/${ADA}`;
      expect(await provider.read(ANY_GRANT, id, { inputs, state }, limits())).toBeUndefined();
    },
  );

  test("made again after somebody else changed the policy of a bucket keeps that change", async () => {
    const provider = bench.provider({});
    const grant = (member: string) => ({ resource: BUCKET, role: "roles/storage.objectViewer", member });
    await provider.create(ANY_GRANT, grant(ADA), limits());
    emulator.mutate("b/b", { policy: { bindings: [{ role: "roles/storage.admin", members: [GRACE] }] } });
    // The write with the etag of the last answer is a conflict (412), so the policy is read again.
    await provider.create(ANY_GRANT, grant("user:bob@example.com"), limits());
    expect(members("b/b")).toEqual([
      ["roles/storage.admin", [GRACE]],
      ["roles/storage.objectViewer", ["user:bob@example.com"]],
    ]);
  });

  test("of a whole role has exactly its members", async () => {
    await make(BINDING, { resource: TOPIC, role: "roles/pubsub.publisher", members: [ADA] });
    expect(members("projects/p/topics/t")).toEqual([["roles/pubsub.publisher", [ADA]]]);
  });

  test.each([
    "https://pubsub.googleapis.com/v1/projects/p/topics/t",
    "//pubsub.us-east1.rep.googleapis.com/projects/p/topics/t",
  ])("by %s is the grant by its full name", async (resource) => {
    const provider = bench.provider({});
    const given = { resource: TOPIC, role: "roles/pubsub.viewer", member: ADA };
    const { id, inputs, state } = await make(ANY_GRANT, given, provider);
    const { diff } = provider.compare(ANY_GRANT, { id, inputs, state }, { ...inputs, resource });
    expect(diff).toEqual({ action: "none" });
  });

  test.each([
    `${TOPIC} roles/pubsub.publisher ${GRACE}`,
    `${TOPIC}/roles/pubsub.publisher/${GRACE}`,
    `projects/p/topics/t roles/pubsub.publisher ${GRACE}`,
    `projects/p/topics/t/roles/pubsub.publisher/${GRACE}`,
  ])("is imported by the id %s", async (id) => {
    const imported = await bench.provider({}).read(ANY_GRANT, id, undefined, limits());
    expect(imported).toMatchObject({ inputs: { resource: TOPIC, role: "roles/pubsub.publisher", member: GRACE } });
  });

  describe.each(["projects/p", "organizations/42", "folders/7"])("on %s", (name) => {
    const resource = `//cloudresourcemanager.googleapis.com/${name}`;
    test.each(["roles/owner", "projects/p/roles/custom", "organizations/42/roles/custom"])(
      "of %s is imported by the id in the state, and by Terraform's",
      async (role) => {
        const policy: Policy = { bindings: [{ role, members: [GRACE] }] };
        emulator.seed([{ service: "cloudresourcemanager", name, policy }]);
        const provider = bench.provider({});
        const inputs = { resource, role, member: GRACE };
        const { id } = await make(ANY_GRANT, inputs);
        expect(id).toBe(`${resource}/${role}/${GRACE}`);
        for (const typed of [id, `${resource} ${role} ${GRACE}`]) {
          expect(await provider.read(ANY_GRANT, typed, undefined, limits())).toMatchObject({ id, inputs });
        }
        const binding = { id: `${resource}/${role}`, inputs: { resource, role, members: [GRACE] } };
        for (const typed of [binding.id, `${resource} ${role}`]) {
          expect(await provider.read(BINDING, typed, undefined, limits())).toMatchObject(binding);
        }
      },
    );
  });

  test("is not imported by a name that several APIs have", async () => {
    const id = `projects/p/locations/l/instances/i roles/viewer ${GRACE}`;
    await expect(bench.provider({}).read(ANY_GRANT, id, undefined, limits())).rejects.toThrow(
      "id must look like {resource}",
    );
  });

  test("on a FHIR store knows the grant of the store's own type", async () => {
    const provider = bench.provider({ grantMode: "merge" });
    const grant = { role: "roles/healthcare.fhirStoreViewer", member: ADA };
    const resource = `//healthcare.googleapis.com/${STORE}`;
    const own = await provider.check(STORE_GRANT, { name: STORE, ...grant }, { identity: "urn:own" });
    const any = await provider.check(ANY_GRANT, { resource, ...grant }, { identity: "urn:any" });
    const made = await provider.create(STORE_GRANT, own.inputs, limits({ identity: "urn:own" }));
    await provider.create(ANY_GRANT, any.inputs, limits({ identity: "urn:any" }));
    // The other one declares the same grant, so nothing is removed.
    await provider.delete(STORE_GRANT, { ...made, inputs: own.inputs }, limits({ identity: "urn:own" }));
    expect(members(STORE)).toEqual([[grant.role, [ADA]]]);
  });

  test("in a role that a binding of the store's own type owns is refused at the check", async () => {
    const provider = bench.provider({ grantMode: "merge" });
    const role = "roles/healthcare.fhirStoreViewer";
    const binding = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding";
    await provider.check(binding, { name: STORE, role, members: [ADA] }, { identity: "urn:own" });
    const resource = `//healthcare.googleapis.com/${STORE}`;
    const { problems } = await provider.check(ANY_GRANT, { resource, role, member: GRACE }, { identity: "urn:any" });
    expect(problems).toEqual([{ path: "role", reason: expect.stringContaining("is owned as a whole by urn:own") }]);
  });

  test("with a misspelled role is refused at preview, with the nearest role", async () => {
    const provider = bench.provider({});
    const preview = (role: string) =>
      provider.previewCreate(ANY_GRANT, { resource: TOPIC, role, member: ADA }, limits());
    await expect(preview("roles/pubsub.subscribr")).rejects.toThrow(
      'role must be a role that can be granted on a topic, got "roles/pubsub.subscribr" (did you mean "roles/pubsub.subscriber"?)',
    );
    await preview("roles/pubsub.subscriber");
    await preview("projects/p/roles/custom");
  });

  test.each<[what: string, service: string, name: string, resource: string, permission: string]>([
    ["in the body", "pubsub", "projects/p/topics/t", TOPIC, "pubsub.topics.setIamPolicy"],
    ["in the query of a GET", "storage", "b/b", BUCKET, "storage.buckets.setIamPolicy"],
    [
      "in the query of a POST",
      "aiplatform",
      "projects/p/locations/us-central1/endpoints/e",
      "//aiplatform.googleapis.com/projects/p/locations/us-central1/endpoints/e",
      "aiplatform.endpoints.setIamPolicy",
    ],
  ])(
    "of an API with the permissions to test %s is refused at preview without the permission",
    async (_what, service, name, resource, permission) => {
      emulator.seed([{ service, name }]);
      const provider = bench.provider({ preflight: true });
      const previews = [
        () => provider.previewCreate(ANY_GRANT, { resource, role: "roles/viewer", member: ADA }, limits()),
        () => provider.previewCreate(BINDING, { resource, role: "roles/viewer", members: [ADA] }, limits()),
      ];
      for (const preview of previews) await preview();
      emulator.configure({ anyRole: true, deny: [permission] });
      for (const preview of previews) {
        await expect(preview()).rejects.toThrow(`the permission ${permission} on ${resource} is missing`);
      }
    },
  );

  test("is at the endpoint of its API, and a misspelled API is refused", async () => {
    expect(() => bench.provider({ endpoints: { pubsubb: "http://127.0.0.1:1/" } })).toThrow(
      'perimeter:endpoints.pubsubb is no API with access policies (did you mean "pubsub"?)',
    );
    const endpoints = { pubsub: `http://${emulator.host}:${emulator.port}/pubsub/v1/` };
    const { id } = await make(
      ANY_GRANT,
      { resource: TOPIC, role: "roles/pubsub.viewer", member: ADA },
      bench.provider({ endpoints }),
    );
    expect(id).toBe(`${TOPIC}/roles/pubsub.viewer/${ADA}`);
    const nowhere = bench.provider({ endpoints: { pubsub: "http://127.0.0.1:1/" }, emulatorHost: undefined });
    await expect(nowhere.invoke(LOOKUP, { resource: TOPIC }, limits({ timeout: 2000 }))).rejects.toThrow("127.0.0.1:1");
  });

  test("on a name of no kind is refused at the check, with the nearest kind", async () => {
    const given = { resource: "//pubsub.googleapis.com/projects/p/topic/t", role: "roles/viewer", member: ADA };
    const { problems } = await bench.provider({}).check(ANY_GRANT, given);
    expect(problems).toEqual([
      {
        path: "resource",
        reason: expect.stringContaining('did you mean "//pubsub.googleapis.com/projects/{project}/topics/{topic}"?'),
      },
    ]);
  });
});
