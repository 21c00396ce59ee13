import { ApiError, apiError, type RpcStatus } from "../../../core/errors";
import { Claims } from "../../../core/claims";
import { UNKNOWN, type Values } from "../../../core/unknown";
import { clientOf, type ApiRequest } from "../../../http/client";
import { testCall } from "../../../testing/call";
import { FakeClock } from "../../../testing/clock";
import { ProjectIds } from "../../../iam/project-ids";
import type { LifecycleContext } from "../../shared/resource";
import type { Inputs, Known } from "./associations";
import { AssociationLifecycle, explainUpdate } from "./lifecycle";

const ZONE = "us-central1-a";
const NAME = `projects/p/locations/${ZONE}/firewallEndpointAssociations/a`;
const OBJECT = { url: "https://networksecurity.googleapis.com/v1beta1/", name: NAME };
const INPUTS = {
  project: "p",
  location: ZONE,
  firewallEndpointAssociationId: "a",
  firewallEndpoint: `organizations/1/locations/${ZONE}/firewallEndpoints/e`,
  network: "projects/p/global/networks/n",
} satisfies Inputs;
const { network, firewallEndpoint } = INPUTS;
const TIME = "2026-03-01T12:00:00Z";
const LIVE = { name: NAME, network, firewallEndpoint, state: "ACTIVE", createTime: TIME, updateTime: TIME };
const STATE = { ...INPUTS, name: NAME, state: "ACTIVE", createTime: TIME, updateTime: TIME, reconciling: false };
const PRIOR: Known = { id: NAME, inputs: INPUTS, state: STATE };

const refused = (status: RpcStatus) =>
  apiError({ doing: "do it to", resource: NAME, request: "GET it", status, message: "no" });

/** A lifecycle whose requests, in order, get these answers, and a call of the resource `u`. */
function setUp(...answers: (Values | Error)[]) {
  const clock = new FakeClock();
  const requests: string[] = [];
  const answerTo = ({ method }: ApiRequest): Promise<Values> => {
    const answer = answers[requests.push(method) - 1] ?? new Error("not expected");
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const client = clientOf(OBJECT.url, answerTo);
  const claims = new Claims();
  const context = {
    api: () => ({ client }),
    configuration: {},
    claims,
    canImport: true,
    stateBackend: () => Promise.resolve(undefined),
    projectIds: new ProjectIds(() => undefined),
  } as unknown as LifecycleContext;
  const said: string[] = [];
  const reporter = {
    status: () => {},
    info: (text: string) => said.push(text),
    warning: (text: string) => said.push(text),
  };
  const call = { ...testCall(clock), identity: "u", reporter };
  return { lifecycle: new AssociationLifecycle(context), claims, requests, said, call };
}

test("a check declares the association for its resource if its name is known", async () => {
  const { lifecycle, claims, call } = setUp();
  expect(
    await lifecycle.check({ ...INPUTS, firewallEndpointAssociationId: UNKNOWN }, { ...call, identity: "v" }),
  ).toEqual([]);
  expect(claims.others(OBJECT, "u")).toEqual([]);
  expect(await lifecycle.check(INPUTS, { ...call, identity: "v" })).toEqual([]);
  expect(claims.others(OBJECT, "u")).toEqual([{ identity: "v", holds: false }]);
});

test("a refresh notes that its resource has the association", async () => {
  const { lifecycle, claims, call } = setUp(LIVE);
  await lifecycle.read(PRIOR, call);
  expect(claims.others(OBJECT, "another")).toEqual([{ identity: "u", holds: true }]);
});

test("a refresh waits for a delete that an earlier run began, until the association is gone or stays", async () => {
  const gone = setUp({ ...LIVE, state: "DELETING" }, { ...LIVE, state: "DELETING" }, refused("NOT_FOUND"));
  expect(await gone.lifecycle.read(PRIOR, gone.call)).toBeUndefined();
  expect(gone.requests).toEqual(["GET", "GET", "GET"]);
  const stays = setUp({ ...LIVE, state: "DELETING" }, LIVE);
  expect(await stays.lifecycle.read(PRIOR, stays.call)).toMatchObject({ state: { state: "ACTIVE" } });
});

describe("preflight", () => {
  test("reports no problem for a free name, and names the association that has a taken name", async () => {
    const free = setUp(refused("NOT_FOUND"));
    expect(await free.lifecycle.preflight(INPUTS, free.call)).toEqual([]);
    const taken = setUp(LIVE);
    expect(await taken.lifecycle.preflight(INPUTS, taken.call)).toEqual([
      expect.stringContaining(`${NAME} exists already`),
    ]);
  });

  test("reports a missing permission to read, and fails where the result is unknown", async () => {
    const denied = setUp(refused("PERMISSION_DENIED"));
    expect(await denied.lifecycle.preflight(INPUTS, denied.call)).toEqual([
      expect.stringContaining("PERMISSION_DENIED"),
    ]);
    const down = setUp(refused("UNAVAILABLE"));
    await expect(down.lifecycle.preflight(INPUTS, down.call)).rejects.toThrow("UNAVAILABLE");
  });
});

describe("a create whose request id returns the operation of the existing association", () => {
  const over = { name: "operations/o", done: true, response: { name: NAME } };
  /** The first create's answer, the read of the association, and what a create under another id gets. */
  const answers = [over, LIVE, refused("ALREADY_EXISTS")];

  test.each<[string, (claims: Claims) => void]>([
    ["nobody has it", () => {}],
    ["another resource only declares it", (claims) => claims.declare(OBJECT, "v")],
    [
      "this resource has made it before",
      (claims) => {
        claims.declare(OBJECT, "u");
        claims.noteCreated(OBJECT, "u");
      },
    ],
  ])("adopts the association if %s", async (_who, note) => {
    const { lifecycle, claims, requests, call } = setUp(...answers);
    note(claims);
    expect(await lifecycle.create(INPUTS, call)).toMatchObject({ id: NAME });
    expect(requests).toEqual(["POST", "GET"]);
  });

  test("with a request id of the program, adopts only an association that equals the inputs", async () => {
    const requestId = "7f3c2a52-6d0f-4b3f-9a5e-0c1d2e3f4a5b";
    const same = setUp(over, LIVE);
    expect(await same.lifecycle.create({ ...INPUTS, requestId }, same.call)).toMatchObject({ id: NAME });
    const differs = setUp(over, { ...LIVE, labels: { team: "another" } });
    await expect(differs.lifecycle.create({ ...INPUTS, requestId }, differs.call)).rejects.toThrow(requestId);
  });

  test.each<[string, string | undefined, string | undefined]>([
    ["another resource has it", "v", "u"],
    ["a resource of another process has it", undefined, "u"],
    ["a resource without an identity has it, and this resource has no identity, too", undefined, undefined],
  ])("does not adopt the association if %s", async (_who, holder, identity) => {
    const { lifecycle, claims, requests, call } = setUp(over, refused("ALREADY_EXISTS"));
    claims.noteHeld(OBJECT, holder);
    await expect(lifecycle.create(INPUTS, { ...call, identity })).rejects.toThrow("ALREADY_EXISTS");
    expect(requests).toEqual(["POST", "POST"]);
  });
});

describe("an update without changes says why it reads the association", () => {
  test("if the previous run left the association as not ready", async () => {
    const { lifecycle, said, call } = setUp(LIVE);
    await lifecycle.update(PRIOR, INPUTS, call);
    expect(said).toEqual([
      expect.stringContaining("was not ready at the end of an earlier run. This run checks it again; nothing changes"),
    ]);
  });

  test("after an operation that it started and whose end it did not see", async () => {
    const { lifecycle, said, call } = setUp({ name: "operations/o", done: true }, LIVE, LIVE);
    const state: Known["state"] & Values = { ...STATE, __pending: { verb: "update", operation: "o" } };
    await lifecycle.update({ ...PRIOR, state }, INPUTS, call);
    expect(said).toEqual([expect.stringContaining("that an earlier run began: operation")]);
  });
});

const refusedUpdate = (status: string) =>
  new ApiError({ doing: "update the association", request: "PATCH a", resource: "a", status, message: "no" } as never);

test.each([
  ["INVALID_ARGUMENT", ["network"], "network"],
  ["FAILED_PRECONDITION", ["labels", "network", "firewallEndpoint"], "network and firewallEndpoint"],
])("%s of a change of %j advises a replacement that deletes first", (status, changed, properties) => {
  const explained = explainUpdate(refusedUpdate(status), changed);
  expect(explained.message).toContain(
    `changing ${properties} in place, replace the association: set the resource option deleteBeforeReplace to true, ` +
      "and run pulumi up --replace <urn>",
  );
});

test.each([
  ["INVALID_ARGUMENT", ["labels"]],
  ["PERMISSION_DENIED", ["network"]],
])("%s of a change of %j stays as it is: a replacement would not help", (status, changed) => {
  const error = refusedUpdate(status);
  expect(explainUpdate(error, changed)).toBe(error);
});

test("an error of another kind stays as it is", () => {
  const error = new Error("lost");
  expect(explainUpdate(error, ["network"])).toBe(error);
});

test("a list has the project as the query spells it, and says which locations it lacks", async () => {
  const { lifecycle, said, call } = setUp({
    firewallEndpointAssociations: [{ name: NAME.replace("projects/p", "projects/123") }, { name: `${NAME}-7` }],
    nextPageToken: "more",
    unreachable: ["projects/p/locations/us-east1-b"],
  });
  const query = { project: "p", location: ZONE };
  expect(await lifecycle.list(query, { size: undefined, token: "" }, call)).toEqual({
    found: [
      { id: NAME, name: "a" },
      { id: `${NAME}-7`, name: "a-7" },
    ],
    next: "more",
  });
  expect(said).toEqual([
    expect.stringMatching(/^The list lacks the associations in projects.p.locations.us-east1-b: /),
  ]);
});

test("a list of an answer with something else is an error, and no association is left out silently", async () => {
  const { lifecycle, call } = setUp({ firewallEndpointAssociations: [{ name: "projects/p" }] });
  const listing = lifecycle.list({ project: "p" }, { size: undefined, token: "" }, call);
  await expect(listing).rejects.toThrow(/name should be like projects/);
});
