import { FakeClock } from "../testing/clock";
import { testCall } from "../testing/call";
import { BadAnswerError } from "../core/errors";
import type { Values } from "../core/unknown";
import { clientOf, type PolicyForm } from "../http/client";
import { addGrant, removeGrant, type Policy } from "./policy";
import { lackingPermissions, readPolicy, type PermissionsIn } from "./policy-api";
import { PolicyStore } from "./policy-store";

const RESOURCE = "projects/p/locations/l/stores/s";
const ada = { role: "roles/viewer", member: "user:ada@x.com" };
const grace = { role: "roles/viewer", member: "user:grace@x.com" };

/** Makes a policy target whose API answers every read with this, and records the requests to it. */
function answering(answer: Values) {
  const clock = new FakeClock();
  const sent: Values[] = [];
  const client = clientOf("https://stores.example/v1/", ({ body }) => {
    if (body) sent.push(body.policy as Values);
    return Promise.resolve(body ? { ...(body.policy as Values), etag: "new" } : structuredClone(answer));
  });
  return { target: { client, resource: RESOURCE, kind: "a store" }, sent, call: testCall(clock) };
}

describe("a policy that is read", () => {
  test.each<[string, Values, Values]>([
    ["lists that are null", { etag: "e", bindings: null, auditConfigs: null, version: null }, { etag: "e" }],
    [
      "members that are null",
      { etag: "e", bindings: [{ role: "r", members: null, condition: null }] },
      { etag: "e", bindings: [{ role: "r" }] },
    ],
    [
      "a description that is null",
      { etag: "e", bindings: [{ condition: { title: "t", description: null, location: null } }] },
      { etag: "e", bindings: [{ condition: { title: "t", location: null } }] },
    ],
  ])("treats %s as absent", async (_what, answer, policy) => {
    const { target, call } = answering(answer);
    expect(await readPolicy(target, 3, call)).toEqual(policy);
  });

  test("keeps null in fields that the provider does not know", async () => {
    const answer = { etag: "e", tomorrow: null, bindings: [{ role: "r", members: [], tomorrow: null }] };
    const { target, call } = answering(answer);
    expect(await readPolicy(target, 3, call)).toEqual(answer);
  });

  test.each<[Values, string]>([
    [{ etag: 1 }, "etag"],
    [{ bindings: {} }, "bindings"],
    [{ bindings: ["x"] }, "bindings[0]"],
    [{ bindings: [{ role: "r", members: "user:a@b.c" }] }, "bindings[0].members"],
    [{ bindings: [{ role: "r" }, { members: [1] }] }, "bindings[1].members"],
    [{ bindings: [{ role: 1, members: [] }] }, "bindings[0].role"],
    [{ bindings: [{ role: "r", members: [], condition: "true" }] }, "bindings[0].condition"],
    [{ bindings: [{ role: "r", members: [], condition: { title: 1 } }] }, "bindings[0].condition.title"],
    [{ auditConfigs: "all" }, "auditConfigs"],
  ])("%j is refused because of its structure", async (answer, path) => {
    const { target, call } = answering(answer);
    const error: unknown = await readPolicy(target, 3, call).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BadAnswerError);
    expect((error as Error).message).toContain(`unexpected shape: ${path} `);
    expect((error as Error).message).toContain(`read the access policy of the store ${RESOURCE}`);
    expect(error).toMatchObject({ effect: "none" });
  });
});

describe("a policy that is changed", () => {
  const change = async (answer: Values, apply = (policy: Policy) => addGrant(policy, ada)) => {
    const { target, sent, call } = answering(answer);
    const outcome = await new PolicyStore()
      .of(target)
      .change({ apply }, call)
      .catch((error: unknown) => error);
    return { outcome, sent };
  };

  test.each<Values>([{ etag: "" }, { etag: null }, {}])("is not written blindly: %j has no etag", async (answer) => {
    const { outcome, sent } = await change(answer);
    expect(outcome).toBeInstanceOf(BadAnswerError);
    expect((outcome as Error).message).toContain("response has no etag");
    expect(outcome).toMatchObject({ effect: "none" });
    expect(sent).toEqual([]);
  });

  test("may have null in place of its lists", async () => {
    const { sent } = await change({ etag: "e", bindings: null, auditConfigs: null });
    expect(sent).toEqual([{ etag: "e", version: 1, bindings: [{ role: ada.role, members: [ada.member] }] }]);
  });

  test("treats a condition that is null as no condition", async () => {
    const answer = { etag: "e", bindings: [{ role: "roles/viewer", members: [grace.member], condition: null }] };
    const { sent } = await change(answer);
    expect(sent).toEqual([
      { etag: "e", version: 1, bindings: [{ role: "roles/viewer", members: [grace.member, ada.member] }] },
    ]);
    const removed = await change(answer, (policy) => removeGrant(policy, grace));
    expect(removed.sent).toEqual([{ etag: "e", version: 1, bindings: [] }]);
  });

  test.each([
    [2, 1],
    [4, 1],
    [-1, 1],
    ["3", 1],
    [0, 0],
    [1, 1],
    [3, 3],
  ])("and was read in version %p is sent in version %i", async (read, version) => {
    const { sent } = await change({ etag: "e", version: read });
    expect(sent.map((each) => each.version)).toEqual([version]);
  });

  test("is sent in version 3 if it has a condition, whatever version was read", async () => {
    const condition = { title: "t", expression: "true" };
    const { sent } = await change({
      etag: "e",
      version: 2,
      bindings: [{ role: "r", members: ["user:a@b.c"], condition }],
    });
    expect(sent.map((each) => each.version)).toEqual([3]);
  });
});

describe("permissions that are tested", () => {
  const permissions = ["stores.get", "stores.set"];

  test.each<[PolicyForm, PermissionsIn | undefined, object]>([
    ["get", undefined, { method: "POST", verb: "testIamPermissions", body: { permissions } }],
    ["query", "query", { method: "POST", verb: "testIamPermissions", query: { permissions } }],
    ["path", "body", { method: "POST", path: `${RESOURCE}/testIamPermissions`, body: { permissions } }],
    ["iam", "body", { method: "GET", path: `${RESOURCE}/iam/testPermissions`, query: { permissions } }],
  ])("are in the part of the request that the API expects: form %s, %s", async (form, permissionsIn, expected) => {
    const sent: object[] = [];
    const client = clientOf("https://stores.example/v1/", (request) => {
      sent.push(request);
      return Promise.resolve({ permissions: ["stores.get"] });
    });
    const target = { client, resource: RESOURCE, kind: "a store", form, permissionsIn };
    expect(await lackingPermissions(target, permissions, testCall(new FakeClock()))).toEqual(["stores.set"]);
    expect(sent).toEqual([expect.objectContaining(expected)]);
    expect(["body", "query"].filter((part) => part in (sent[0] ?? {}))).toHaveLength(1);
  });
});
