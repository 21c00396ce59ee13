import { AbortedError, UnimplementedError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { clientOf, type ApiClient, type ApiRequest } from "../../provider/http/client";
import { readPolicy, writePolicy, type PolicyTarget } from "../../provider/iam/policy-api";
import { failure } from "../../tests/support/provider";
import { testCall } from "../../provider/testing/call";
import { RehearsalClock, rehearsedClient } from "./rehearsed-providers";
import { AccessPolicies } from "../live/access-policies";
import { cloudsOfEnvironment, type Cloud } from "../live/clouds";
import { resourceNamed } from "../meaning/grant-kinds";

const STORE = "projects/demo/locations/l/datasets/d/fhirStores/s";
const BY_NUMBER = STORE.replace("demo", "123");
const call = testCall(new RehearsalClock());
const ADA = { bindings: [{ role: "roles/viewer", members: ["user:ada@example.com"] }] };

/** An API with these policies, and what it was asked. */
function apiWith(policies: Record<string, Values>): ApiClient & { asked: string[] } {
  const asked: string[] = [];
  const answerTo = async ({ verb, path, query }: ApiRequest): Promise<Values> => {
    asked.push(`${verb} ${path} ${JSON.stringify(query ?? {})}`);
    const found = policies[path];
    return found ?? Promise.reject(new Error(`no ${path}`));
  };
  return { asked, ...clientOf("https://healthcare.example.com/v1/", answerTo) };
}

function setUp(live: Record<string, Values>) {
  const api = apiWith(live);
  const policies = new AccessPolicies(cloudsOfEnvironment({}));
  const connect = (): ApiClient => rehearsedClient(api, policies, 1_000);
  const on = (client: ApiClient, resource = STORE): PolicyTarget => ({ client, resource, kind: "a FHIR store" });
  const cloud = Object.assign(Object.create(cloudsOfEnvironment({}).of()) as Cloud, { client: () => api });
  const load = (name = STORE) => policies.load({ cloud, ...resourceNamed(name) });
  return { api, connect, on, load };
}

test("all providers change one copy of the live policy, which was read once with its conditions", async () => {
  const { api, connect, on, load } = setUp({ [STORE]: { ...ADA, etag: "a" } });
  const policy = await load();
  const [one, other] = [connect(), connect()];
  const read = await readPolicy(on(one), 1, call);
  const written = await writePolicy(on(one), { ...read, bindings: [] }, call);
  expect(written.etag).not.toBe("a");
  expect(await readPolicy(on(other), 3, call)).toEqual(written);
  expect(await load()).toBe(policy);
  expect(api.asked).toEqual([`getIamPolicy ${STORE} {"options.requestedPolicyVersion":3}`]);
  expect(policy).toMatchObject({ before: { ...ADA, etag: "a" }, after: { bindings: [] } });
});

test("refuses a stale and a missing etag, as the API does", async () => {
  const { connect, on, load } = setUp({ [STORE]: { ...ADA, etag: "a" } });
  await load();
  const client = connect();
  await writePolicy(on(client), { bindings: [], etag: "a" }, call);
  for (const etag of ["a", undefined]) {
    const error = await failure(writePolicy(on(client), { ...ADA, ...(etag ? { etag } : {}) }, call));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ httpStatus: 409, effect: "none" });
  }
  expect(await readPolicy(on(client), 3, call)).toMatchObject({ bindings: [] });
});

describe("a project's id and its number", () => {
  test("are two resources even if their live policies are equal: two new policies have the same etag", async () => {
    const { connect, on, load } = setUp({
      [STORE]: { ...ADA, etag: "a" },
      [BY_NUMBER]: { ...ADA, etag: "a" },
    });
    const [one, other] = [await load(), await load(BY_NUMBER)];
    const client = connect();
    const read = await readPolicy(on(client), 3, call);
    await writePolicy(on(client), { ...read, bindings: [] }, call);
    expect(await readPolicy(on(client, BY_NUMBER), 3, call)).toMatchObject(ADA);
    expect(other).not.toBe(one);
  });

  test.each([
    ["etags", { ...ADA, etag: "b" }],
    ["bindings", { bindings: [], etag: "a" }],
  ])("are two resources if their %s differ", async (_what, policy) => {
    const { connect, on, load } = setUp({ [STORE]: { ...ADA, etag: "a" }, [BY_NUMBER]: policy });
    await Promise.all([load(), load(BY_NUMBER)]);
    const client = connect();
    await writePolicy(on(client), { bindings: [], etag: "a" }, call);
    expect(await readPolicy(on(client, BY_NUMBER), 3, call)).toMatchObject(policy);
  });
});

test("an unreadable policy is not requested again", async () => {
  const { api, connect, on, load } = setUp({});
  for (let at = 0; at < 2; at += 1) {
    expect(await load()).toMatchObject({ failure: `no ${STORE}` });
    expect(await failure(readPolicy(on(connect()), 3, call))).toBeInstanceOf(UnimplementedError);
  }
  expect(api.asked).toHaveLength(1);
});

test("sends reads, and refuses changes other than policy writes", async () => {
  const { api, connect } = setUp({ [STORE]: { permissions: ["p"] } });
  const request: ApiRequest = { kind: "read", method: "POST", path: STORE, verb: "testIamPermissions", doing: "test" };
  expect(await connect().request(request, call, (answer) => answer)).toEqual({ permissions: ["p"] });
  const change: ApiRequest = { kind: "once", method: "DELETE", path: STORE, doing: "delete" };
  expect(await failure(connect().request(change, call, (answer) => answer))).toBeInstanceOf(UnimplementedError);
  expect(api.asked).toHaveLength(1);
});
