import { apiError, ConnectionError, type RpcStatus } from "../core/errors";
import type { ServiceDefinition } from "../core/definition";
import type { Values } from "../core/unknown";
import { clientOf, type ApiClient } from "../http/client";
import { testCall } from "../testing/call";
import { FakeClock } from "../testing/clock";
import { ProjectIds } from "./project-ids";

const SERVICE: ServiceDefinition = { module: "s/v1", api: "s", version: "v1", title: "S API", endpointKeys: [] };
const NUMBERED = { url: "https://s/v1/", name: "projects/123/stores/s" };
const WITH_ID = { ...NUMBERED, name: "projects/demo/stores/s" };

function setUp(answer: (path: string) => Values | Error) {
  const asked: string[] = [];
  const manager = clientOf("https://manager/v3/", ({ path }) => {
    asked.push(path);
    const given = answer(path);
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
  }) as ApiClient;
  const ids = new ProjectIds(() => manager);
  const learn = (resource = NUMBERED) => ids.learn(resource, SERVICE, testCall(new FakeClock()));
  return { ids, learn, asked };
}

const refused = (status: RpcStatus) =>
  apiError({ doing: "read the project", resource: "projects/123", request: "GET it", status, message: "no" });

test("a name with a project's number becomes the name with its id, which is asked for once", async () => {
  const { ids, learn, asked } = setUp(() => ({ name: "projects/123", projectId: "demo" }));
  expect(ids.canonical(NUMBERED)).toEqual(NUMBERED);
  await Promise.all([
    learn(),
    learn({ ...NUMBERED, name: "projects/123/stores/t" }),
    learn({ ...NUMBERED, url: "https://t/" }),
  ]);
  await learn();
  expect(ids.canonical(NUMBERED)).toEqual(WITH_ID);
  expect(asked).toEqual(["projects/123"]);
});

test("nothing is asked for a name with an id or without a project", async () => {
  const { ids, learn, asked } = setUp(() => ({}));
  for (const name of ["projects/demo/stores/s", "projects/example.com:demo/stores/s", "b/123", "organizations/123"]) {
    await learn({ ...NUMBERED, name });
    expect(ids.canonical({ ...NUMBERED, name })).toEqual({ ...NUMBERED, name });
  }
  expect(asked).toEqual([]);
});

test.each<[string, Values | Error, RegExp]>([
  ["the permission is missing", refused("PERMISSION_DENIED"), /PERMISSION_DENIED/],
  ["the answer has no id", { name: "projects/123" }, /projectId/],
  ["nobody answers", new ConnectionError("no route"), /no route/],
])("a name keeps its number for the whole run, with the reason, if %s", async (_what, answer, why) => {
  const { ids, learn, asked } = setUp(() => answer);
  await learn();
  await learn();
  expect(asked).toHaveLength(1);
  expect(ids.canonical(NUMBERED)).toEqual(NUMBERED);
  for (const resource of [NUMBERED, WITH_ID]) {
    const text = ids.whyUnclear(resource, { identity: "v" });
    expect(text).toMatch(why);
    expect(text).toMatch(
      /may be named by v, too: .*Use the project's id everywhere, or give .*resourcemanager\.projects\.get/s,
    );
  }
});

test("where nobody answers, later numbers are not asked for, because each question would take as long", async () => {
  const { learn, asked } = setUp(() => new ConnectionError("no route"));
  await learn();
  await learn({ ...NUMBERED, name: "projects/456/stores/s" });
  expect(asked).toEqual(["projects/123"]);
});

test("a cloud without a Resource Manager is not asked", async () => {
  const ids = new ProjectIds(() => undefined);
  await ids.learn(NUMBERED, SERVICE, testCall(new FakeClock()));
  expect(ids.canonical(NUMBERED)).toEqual(NUMBERED);
  expect(ids.whyUnclear(NUMBERED, { identity: "v" })).toContain("no Resource Manager beside it");
});
