import {
  BadAnswerError,
  InputError,
  InternalError,
  NotFoundError,
  PermissionDeniedError,
  UnauthenticatedError,
} from "../../provider/core/errors";
import { UNKNOWN, type Values } from "../../provider/core/unknown";
import { Bench, failure, limits } from "../support/provider";
import { GET_GATEWAY_POLICY, GET_SCOPE, GET_TRIGGER, GET_TRIGGER_POLICY } from "../support/tokens";

const SCOPE = "projects/p/locations/global/scopes/s";
const TRIGGER = "projects/p/locations/us-central1/triggers/t";
const GATEWAY = "projects/p/locations/us-central1/gateways/g";
const LOOKUPS = [
  { token: GET_SCOPE, args: { location: "global", scopeId: "s" }, name: SCOPE, permission: "gkehub.scopes.get" },
  {
    token: GET_TRIGGER,
    args: { location: "us-central1", triggerId: "t" },
    name: TRIGGER,
    permission: "eventarc.triggers.get",
  },
  {
    token: GET_TRIGGER_POLICY,
    args: { location: "us-central1", triggerId: "t" },
    name: TRIGGER,
    permission: "eventarc.triggers.getIamPolicy",
  },
  {
    token: GET_GATEWAY_POLICY,
    args: { location: "us-central1", gatewayId: "g" },
    name: GATEWAY,
    permission: "apigateway.gateways.getIamPolicy",
  },
];
const condition = { title: "t", expression: "true", description: "d", location: "here" };

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({
    seed: [
      { service: "gkehub", name: SCOPE },
      { service: "eventarc", name: TRIGGER, body: TRIGGER_BODY },
      { service: "apigateway", name: GATEWAY },
    ],
  });
});
beforeEach(() => bench.emulator.reset());
afterAll(() => bench.emulator.stop());

const invoke = (token: string, args: Values, configuration: Values = {}) =>
  bench.provider(configuration).invoke(token, args, limits());

const TRIGGER_BODY = {
  uid: "0c9a1f6e-9d54-4b7e-8a3c-6d2b5a4f1e20",
  eventFilters: [{ attribute: "type", value: "google.cloud.audit.log.v1.written" }],
  destination: { workflow: "projects/p/locations/us-central1/workflows/w" },
};

describe.each(LOOKUPS)("$token", ({ token, args, name, permission }) => {
  test("asks once, for the resource in the default project", async () => {
    await invoke(token, args);
    expect(bench.requests()).toMatchObject([{ method: "GET", path: expect.stringContaining(name), status: 200 }]);
  });

  test("prefers the project that is given, and lists where it looked when there is none", async () => {
    const error = await failure(invoke(token, { ...args, project: "other" }));
    expect(error.message).toContain(name.replace("projects/p", "projects/other"));
    bench.requests();
    const none = await failure(invoke(token, args, { project: undefined }));
    expect(none).toBeInstanceOf(InputError);
    expect(none.message).toMatch(/project is required: .*perimeter:project.*GOOGLE_PROJECT/);
    expect(bench.requests()).toEqual([]);
  });

  test("of a missing resource is an error that names it", async () => {
    bench.emulator.remove(name);
    const error = await failure(invoke(token, args));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toContain(`Resource '${name}' was not found`);
    expect(error.message).toContain("HTTP 404");
  });

  test("with wrong arguments tells all problems and asks nothing", async () => {
    const error = await failure(invoke(token, { locaton: "x", project: 1 }));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toMatch(/location is required/);
    expect(error.message).toMatch(/locaton is not a property of this type \(did you mean "location"\?\)/);
    expect(error.message).toMatch(/project must be a string/);
    expect(bench.requests()).toEqual([]);
  });

  test.each(["..", ".", "a\0b", "\ud800", "a\u007f"])("with %j as its location asks nothing", async (location) => {
    const error = await failure(invoke(token, { ...args, location }));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toMatch(
      /location must (be one part of a resource name|not have a NUL character or an unpaired surrogate)/,
    );
    expect(error.message).not.toMatch(/[\p{Cs}\0]/u);
    expect(bench.requests()).toEqual([]);
  });

  test("with arguments that are not known yet has no problem", async () => {
    const unknown = Object.fromEntries(Object.keys(args).map((key) => [key, UNKNOWN]));
    expect((await bench.provider().checkArguments(token, unknown)).problems).toEqual([]);
  });

  describe("when the cloud refuses or fails", () => {
    const faulty = async (fault: object, times = 0) => {
      bench.emulator.setFaults([{ match: {}, times, fault }]);
      return failure(invoke(token, args, { retry: { maxAttempts: 3 } }));
    };

    test("401", async () => {
      bench.emulator.configure({ requireAuth: true });
      const error = await failure(invoke(token, args));
      expect(error).toBeInstanceOf(UnauthenticatedError);
      expect(bench.requests()).toHaveLength(1);
    });

    test("403 names the permission", async () => {
      bench.emulator.configure({ deny: [permission] });
      const error = await failure(invoke(token, args));
      expect(error).toBeInstanceOf(PermissionDeniedError);
      expect(error.message).toContain(`Missing permission: ${permission}`);
      expect(bench.requests()).toHaveLength(1);
    });

    test("403 for an API that is not enabled gives the link, once", async () => {
      bench.emulator.configure({ disabledServices: ["gkehub", "eventarc", "apigateway"] });
      const error = await failure(invoke(token, args));
      const links = error.message.match(/https:\/\/console\.developers\.google\.com\/apis\/api\/\S+/g);
      expect(links).toEqual([expect.stringMatching(/\/\w+\.googleapis\.com\/overview\?project=p$/)]);
    });

    test("429 and 500 are repeated until they pass", async () => {
      const sequence = [{ status: 429, retryAfter: 3 }, { status: 500 }, "pass" as const];
      bench.emulator.setFaults([{ match: {}, fault: { sequence } }]);
      const before = bench.clock.now();
      await invoke(token, args);
      expect(bench.requests().map((each) => each.status)).toEqual([429, 500, 200]);
      expect(bench.clock.now() - before).toBeGreaterThanOrEqual(3000);
    });

    test("429 for ever ends with the quota's words", async () => {
      const error = await faulty({ status: 429, message: "Quota exceeded." });
      expect(error).toMatchObject({ status: "RESOURCE_EXHAUSTED", cloudMessage: "Quota exceeded." });
      expect(bench.requests()).toHaveLength(3);
    });

    test("500 for ever ends with that", async () => {
      expect(await faulty({ status: 500 })).toBeInstanceOf(InternalError);
    });

    test("HTML instead of JSON", async () => {
      const error = await faulty({ html: true, status: 200 });
      expect(error).toBeInstanceOf(BadAnswerError);
      expect(error.message).toContain("text/html");
      expect(error.message).not.toContain("<");
    });

    test("an empty answer", async () => {
      const error = await faulty({ empty: true });
      expect(error).toBeInstanceOf(BadAnswerError);
      expect(error.message).toContain("an empty body");
    });

    test("an answer that is cut off", async () => {
      expect((await faulty({ truncate: 5 })).code).toBe("CONNECTION");
      expect((await faulty({ truncate: { bytes: 5, clean: true } })).code).toBe("BAD_ANSWER");
    });

    test("an answer of another shape", async () => {
      const error = await faulty({ body: { name: 7, etag: 7 } });
      expect(error).toBeInstanceOf(BadAnswerError);
      expect(error.message).toMatch(/(name|etag) should be a string/);
      expect(bench.requests()).toHaveLength(1);
    });

    test("a lost connection is repeated", async () => {
      bench.emulator.setFaults([{ match: {}, times: 2, fault: { reset: "before" } }]);
      await invoke(token, args);
      expect(bench.requests()).toHaveLength(3);
    });
  });
});

describe("getScope", () => {
  const args = { location: "global", scopeId: "s" };

  test("gives every field", async () => {
    const body = {
      uid: "5f0e7a52-4b3f-4f57-9d0a-0d6f4c1b7e11",
      createTime: "2026-01-12T09:30:00.123456789Z",
      updateTime: "2026-02-03T16:45:10Z",
      deleteTime: "2026-02-04T00:00:00Z",
      state: { code: "DELETING" },
      labels: { team: "a", empty: "" },
      namespaceLabels: { "cost-centre": "4711" },
    };
    bench.emulator.mutate(SCOPE, { patch: body });
    expect(await invoke(GET_SCOPE, args)).toEqual({ ...body, name: SCOPE });
  });

  test("has a value for what is absent", async () => {
    bench.emulator.mutate(SCOPE, { patch: { uid: null, createTime: null, updateTime: null, state: null } });
    expect(await invoke(GET_SCOPE, args)).toEqual({
      uid: "",
      createTime: "",
      updateTime: "",
      deleteTime: "",
      state: { code: "" },
      labels: {},
      namespaceLabels: {},
      name: SCOPE,
    });
  });
});

describe("getTrigger", () => {
  const args = { location: "us-central1", triggerId: "t" };
  const none = {
    serverlessFunction: "",
    managedRun: { path: "", region: "", service: "" },
    clusterService: { cluster: "", location: "", namespace: "", path: "", service: "" },
    httpEndpoint: { uri: "" },
    networkConfig: { networkAttachment: "" },
    workflow: "",
  };

  test("gives every field, under its neutral name", async () => {
    const body = {
      createTime: "2026-01-20T11:00:00Z",
      updateTime: "2026-01-21T08:15:42.000001Z",
      channel: "projects/p/locations/us-central1/channels/c",
      eventDataContentType: "application/json",
      serviceAccount: "eventing@p.iam.gserviceaccount.com",
      etag: "YXVkaXQtMQ",
      labels: { app: "orders" },
      conditions: {
        NetworkAttachment: { code: "NOT_FOUND", message: "Gone: it does not exist." },
        Other: { code: "INTERNAL" },
      },
      eventFilters: [
        { attribute: "type", value: "google.cloud.audit.log.v1.written" },
        { attribute: "resourceName", value: "a/*", operator: "match-path-pattern" },
      ],
      transport: { pubsub: { topic: "projects/p/topics/x", subscription: "projects/p/subscriptions/y" } },
      uid: "7d1b2c3e-1f2a-4c5d-9e8f-0a1b2c3d4e5f",
    };
    bench.emulator.mutate(TRIGGER, { patch: body });
    const { transport, conditions: _, eventFilters, ...same } = body;
    expect(await invoke(GET_TRIGGER, args)).toEqual({
      ...same,
      name: TRIGGER,
      conditions: { NetworkAttachment: "NOT_FOUND: Gone: it does not exist.", Other: "INTERNAL" },
      destination: { ...none, workflow: "projects/p/locations/us-central1/workflows/w" },
      eventFilters: [{ ...eventFilters[0], operator: "" }, eventFilters[1]],
      transport: { messaging: transport.pubsub },
    });
  });

  test.each<[string, Values, Values]>([
    ["serverlessFunction", { cloudFunction: "f" }, { serverlessFunction: "f" }],
    [
      "managedRun",
      { cloudRun: { service: "s", region: "r", path: "/p" } },
      { managedRun: { service: "s", region: "r", path: "/p" } },
    ],
    [
      "clusterService",
      { gke: { cluster: "c", location: "l", namespace: "n", service: "s" } },
      { clusterService: { cluster: "c", location: "l", namespace: "n", service: "s", path: "" } },
    ],
    [
      "httpEndpoint",
      { httpEndpoint: { uri: "http://10.0.0.1/" }, networkConfig: { networkAttachment: "a" } },
      { httpEndpoint: { uri: "http://10.0.0.1/" }, networkConfig: { networkAttachment: "a" } },
    ],
  ])("shows a destination of the kind %s, and the other kinds empty", async (_kind, wire, shown) => {
    bench.emulator.mutate(TRIGGER, { patch: { destination: { workflow: null, ...wire } } });
    expect((await invoke(GET_TRIGGER, args)).destination).toEqual({ ...none, ...shown });
  });

  test("has a value for what is absent", async () => {
    expect(await invoke(GET_TRIGGER, args)).toMatchObject({
      channel: "",
      conditions: {},
      eventDataContentType: "",
      labels: {},
      serviceAccount: "",
      transport: { messaging: { subscription: "", topic: "" } },
    });
  });
});

describe.each([LOOKUPS[2]!, LOOKUPS[3]!])("$token", ({ token, args, name }) => {
  const policy = {
    bindings: [
      { role: "roles/viewer", members: ["allUsers", "deleted:user:ada@example.com?uid=1"] },
      { role: "roles/editor", members: ["user:ada@example.com"], condition },
    ],
    auditConfigs: [
      {
        service: "allServices",
        auditLogConfigs: [
          { logType: "DATA_READ", exemptedMembers: ["user:ada@example.com"] },
          { logType: "ADMIN_READ" },
        ],
      },
    ],
  };

  test("of a resource that has none is an empty policy", async () => {
    expect(await invoke(token, args)).toEqual({
      bindings: [],
      auditConfigs: [],
      etag: expect.stringMatching(/./),
      version: 0,
    });
  });

  test("gives every field", async () => {
    bench.emulator.mutate(name, { policy });
    const empty = { expression: "", title: "", description: "", location: "" };
    expect(await invoke(token, args)).toEqual({
      version: 3,
      etag: expect.stringMatching(/./),
      bindings: [{ ...policy.bindings[0], condition: empty }, policy.bindings[1]],
      auditConfigs: [
        {
          service: "allServices",
          auditLogConfigs: [policy.auditConfigs[0]?.auditLogConfigs[0], { logType: "ADMIN_READ", exemptedMembers: [] }],
        },
      ],
    });
  });

  test.each([
    [undefined, "3"],
    [0, "0"],
    [1, "1"],
    [3, "3"],
  ])("asks for version %p as %s", async (version, sent) => {
    await invoke(token, { ...args, optionsRequestedPolicyVersion: version });
    expect(bench.requests()[0]?.query).toEqual({ "options.requestedPolicyVersion": sent });
  });

  test("of an older version shows a policy as the API does: without its conditions", async () => {
    bench.emulator.mutate(name, { policy });
    const shown = await invoke(token, { ...args, optionsRequestedPolicyVersion: 1 });
    expect(shown.version).toBe(1);
    expect(JSON.stringify(shown.bindings)).not.toContain('"true"');
  });

  test("of another version is refused before any request", async () => {
    const error = await failure(invoke(token, { ...args, optionsRequestedPolicyVersion: 2 }));
    expect(error.message).toContain("optionsRequestedPolicyVersion must be 0, 1 or 3, got 2");
    expect(bench.requests()).toEqual([]);
  });
});
