/** Access policies on a server that each test scripts, for answers that the emulator's fault plan cannot give. */
import type { Connectors } from "../../provider/runtime/connections";
import { Provider } from "../../provider/runtime/provider";
import type { Values } from "../../provider/core/unknown";
import { FakeClock } from "../../provider/testing/clock";
import { membersIn } from "../support/grant-texts";
import { failure, limits } from "../support/provider";
import type { ServedAnswer } from "../support/scripted-server";
import { GET_GATEWAY_POLICY, GET_TRIGGER_POLICY, JOB_GRANT } from "../support/tokens";
import { apiAnswer, PolicyServer, type PolicyRequest } from "./policy-server";

const JOB = "projects/p/locations/us-central1/migrationJobs/m";
const ROLE = "roles/datamigration.viewer";
const ADA = "user:ada@example.com";
const BAD = "user:mallory@elsewhere.org";

let server: PolicyServer;
beforeEach(async () => {
  server = await PolicyServer.start();
});
afterEach(() => server.stop());

const provider = (configuration: Values = {}, connectors: Partial<Connectors> = {}) =>
  new Provider({ emulatorHost: server.host, project: "p", grantMode: "merge", ...configuration }, {}, connectors);
const grant = (member: string, role = ROLE) => ({ name: JOB, role, member });
const holds = (request: PolicyRequest, text: string) => JSON.stringify(request.policy ?? {}).includes(text);

describe("one change that the cloud refuses, among thirty-two", () => {
  const members = Array.from({ length: 32 }, (_, at) => (at === 11 ? BAD : `user:u${at}@example.com`));

  async function refusing(answer: ServedAnswer) {
    server.answer = (request) => (holds(request, BAD) ? answer : undefined);
    const one = provider();
    const settled = await Promise.allSettled(members.map((each) => one.create(JOB_GRANT, grant(each), limits())));
    return settled.flatMap(({ status }, at) => (status === "rejected" ? [at] : []));
  }

  test.each<[string, ServedAnswer]>([
    [
      "400 of the allowed domains",
      apiAnswer(
        400,
        "FAILED_PRECONDITION",
        "One or more users named in the policy do not belong to a permitted customer.",
      ),
    ],
    [
      "403 of the allowed domains",
      apiAnswer(
        403,
        "PERMISSION_DENIED",
        "Policy update violates constraint constraints/iam.allowedPolicyMemberDomains.",
      ),
    ],
    ["413 of a proxy", { status: 413, body: "<html>Too large</html>", headers: { "content-type": "text/html" } }],
    ["400 OUT_OF_RANGE", apiAnswer(400, "OUT_OF_RANGE", "out of range")],
  ])("fails alone with %s, and the others are granted", async (_what, answer) => {
    expect(await refusing(answer)).toEqual([11]);
    expect([...membersIn(server.policy)].sort()).toEqual(members.filter((each) => each !== BAD).sort());
    // One more write shows that the API accepts the policy as it is.
    expect(server.count("setIamPolicy")).toBeLessThanOrEqual(2 + 2 * Math.log2(members.length));
  });

  test("costs no request more where the permission is what is missing", async () => {
    const denied = "Permission 'datamigration.migrationjobs.setIamPolicy' denied on resource (or it may not exist).";
    expect(await refusing(apiAnswer(403, "PERMISSION_DENIED", denied))).toHaveLength(members.length);
    expect(server.count("setIamPolicy")).toBe(1);
  });
});

test("a mistyped custom role fails at once, with the cloud's words", async () => {
  const words = "Role (projects/p/roles/mistyped) does not exist in the resource's hierarchy.";
  server.answer = ({ verb }) => (verb === "setIamPolicy" ? apiAnswer(400, "INVALID_ARGUMENT", words) : undefined);
  const error = await failure(provider().create(JOB_GRANT, grant(ADA, "projects/p/roles/mistyped"), limits()));
  expect(error.message).toContain(words);
  // The grant, and then the policy without a change: it may be what the API refuses.
  expect(server.count("setIamPolicy")).toBe(2);
});

describe("a policy that is not as it should be", () => {
  test.each<[string, Values]>([
    ["an empty etag", { etag: "", bindings: [{ role: ROLE, members: ["user:other@example.com"] }] }],
    ["no etag", { bindings: [{ role: ROLE, members: ["user:other@example.com"] }] }],
  ])("with %s is never written", async (_what, policy) => {
    server.policy = policy;
    const one = provider();
    const error = await failure(one.create(JOB_GRANT, grant(ADA), limits()));
    expect(error.message).toContain("response has no etag");
    await failure(one.delete(JOB_GRANT, { id: "x", state: grant("user:other@example.com") }, limits()));
    expect(server.count("setIamPolicy")).toBe(0);
  });

  test.each<[string, Values]>([
    ["JSON of nothing", {}],
    ["an empty etag", { etag: "" }],
  ])("in place of a policy, %s does not say that a grant is gone", async (_what, policy) => {
    server.policy = policy;
    const error = await failure(provider().read(JOB_GRANT, "x", { state: grant(ADA) }, limits()));
    expect(error).toMatchObject({ code: "BAD_ANSWER", effect: "none" });
    expect(error.message).toContain("response has no etag");
  });

  test("with nulls and version 2 is written as the API takes it", async () => {
    server.policy = { etag: "e", version: 2, bindings: null, auditConfigs: null };
    await provider().create(JOB_GRANT, grant(ADA), limits());
    expect(server.requests.at(-1)?.policy).toEqual({
      etag: "e",
      version: 1,
      bindings: [{ role: ROLE, members: [ADA] }],
    });
  });

  test("with our member in its deleted form loses that when the grant is deleted, and nothing else", async () => {
    const other = "deleted:user:other@example.com?uid=2";
    server.policy = { etag: "e", bindings: [{ role: ROLE, members: [other, "deleted:user:Ada@example.com?uid=1"] }] };
    await provider().delete(JOB_GRANT, { id: "x", state: grant(ADA) }, limits());
    expect(membersIn(server.policy)).toEqual([other]);
  });
});

describe("lookups of policies", () => {
  const LOOKUPS: [string, Values][] = [
    [GET_TRIGGER_POLICY, { location: "us-central1", triggerId: "t" }],
    [GET_GATEWAY_POLICY, { location: "us-central1", gatewayId: "g" }],
  ];

  test.each(LOOKUPS)("%s shows what somebody else changed a moment ago", async (token, args) => {
    const one = provider();
    await one.invoke(token, args, limits());
    server.policy = { etag: "changed" };
    expect(await one.invoke(token, args, limits())).toMatchObject({ etag: "changed" });
  });

  test.each(LOOKUPS)("%s does not share an answer that was asked for before it", async (token, args) => {
    const one = provider();
    const old = { ...server.policy };
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    server.answer = async () => {
      if (server.requests.length > 1) return undefined;
      await held;
      return { body: old };
    };
    const first = one.invoke(token, args, limits());
    await server.received("getIamPolicy");
    server.policy = { etag: "changed" };
    const second = one.invoke(token, args, limits());
    expect(await second).toMatchObject({ etag: "changed" });
    release();
    expect(await first).toMatchObject({ etag: "e-0" });
  });
});

describe("a write that is not answered", () => {
  const hang = () => (server.answer = ({ verb }) => (verb === "setIamPolicy" ? "hang" : undefined));

  /** A grant that may have been made stays in the state, and the next run makes sure of it. */
  async function expectKept(error: Promise<Error & Values>, cause: string): Promise<void> {
    const { code, id, properties, reasons, cause: why } = await error;
    expect(code).toBe("NOT_READY");
    expect(why).toMatchObject({ code: cause, effect: "unknown" });
    expect(id).toBe(`${JOB}/${ROLE}/${ADA}`);
    expect(properties).toEqual({ ...grant(ADA), etag: "", project: "p" });
    expect(reasons).toEqual([
      expect.stringContaining("the next pulumi up reads the policy, and makes the grant if it is missing"),
    ]);

    server.answer = () => undefined;
    const prior = { id: id as string, state: properties as Values };
    const next = provider();
    expect(next.compare(JOB_GRANT, prior, grant(ADA)).diff).toEqual({ action: "none" });
    const state = await next.update(JOB_GRANT, prior, grant(ADA), limits());
    expect(membersIn(server.policy)).toEqual([ADA]);
    expect(state).toEqual({ ...grant(ADA), etag: server.policy.etag, project: "p" });
  }

  test("ends with the run that is told to stop, and closes its connection; it may have been made", async () => {
    hang();
    const one = provider();
    const error = failure(one.create(JOB_GRANT, grant(ADA), limits()));
    const write = await server.received("setIamPolicy");
    one.cancel();
    await error;
    await write.closed;
    await expectKept(error, "CANCELLED");
  });

  test("ends when the time limit was reached, and closes its connection; it may have been made", async () => {
    hang();
    const clock = new FakeClock();
    const error = failure(provider({}, { clock }).create(JOB_GRANT, grant(ADA), limits({ timeout: 60_000 })));
    const write = await server.received("setIamPolicy");
    clock.advance(60_000);
    await error;
    await write.closed;
    await expectKept(error, "TIMEOUT");
  });

  test("of an update keeps the grant as not ready, with the etag that it had", async () => {
    const prior = { id: `${JOB}/${ROLE}/${ADA}`, state: { ...grant(ADA), etag: "e-9", project: "p" } };
    hang();
    const one = provider();
    const error = failure(one.update(JOB_GRANT, prior, grant(ADA), limits()));
    await server.received("setIamPolicy");
    one.cancel();
    expect(await error).toMatchObject({ code: "NOT_READY", id: prior.id, properties: prior.state });
  });

  test("of a delete is a plain error: the engine keeps what it could not delete", async () => {
    const one = provider();
    const made = await one.create(JOB_GRANT, grant(ADA), limits());
    hang();
    const error = failure(one.delete(JOB_GRANT, made, limits()));
    await server.received("setIamPolicy", 2);
    one.cancel();
    expect(await error).toMatchObject({ code: "CANCELLED", effect: "unknown" });
  });

  test("a create that is told to stop before it writes leaves nothing to remember", async () => {
    server.answer = ({ verb }) => (verb === "getIamPolicy" ? "hang" : undefined);
    const one = provider();
    const error = failure(one.create(JOB_GRANT, grant(ADA), limits()));
    await server.received("getIamPolicy");
    one.cancel();
    expect(await error).toMatchObject({ code: "CANCELLED", effect: "none" });
  });

  test("a create that the API refuses leaves nothing to remember", async () => {
    server.answer = ({ verb }) =>
      verb === "setIamPolicy"
        ? { status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED", message: "no" } } }
        : undefined;
    expect(await failure(provider().create(JOB_GRANT, grant(ADA), limits()))).toMatchObject({
      code: "API",
      status: "PERMISSION_DENIED",
    });
  });
});
