import fc from "fast-check";
import { NIL, validate } from "uuid";
import { apiError, NotReadyError } from "../../../core/errors";
import { Claims } from "../../../core/claims";
import type { Values } from "../../../core/unknown";
import { clientOf, type ApiClient } from "../../../http/client";
import { testCall } from "../../../testing/call";
import { FakeClock } from "../../../testing/clock";
import { ProjectIds } from "../../../iam/project-ids";
import type { LifecycleContext } from "../../shared/resource";
import { Associations } from "./associations";
import { createAssociation, createRequestId } from "./create";
import type { Inputs } from "./associations";

const ZONE = "projects/p/locations/us-central1-a";
const NAME = `${ZONE}/firewallEndpointAssociations/a`;
const INPUTS = {
  project: "p",
  location: "us-central1-a",
  firewallEndpointAssociationId: "a",
  firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
  network: "projects/p/global/networks/n",
} satisfies Inputs;
const REQUEST_ID = "7f3c2a52-6d0f-4b3f-9a5e-0c1d2e3f4a5b";
const ERROR = { code: 9, message: "zone is full" };
const NOON = Date.parse("2026-03-01T12:00:00Z");
const at = (ms: number) => new Date(NOON + ms).toISOString();

/** The operation that a request is answered with, and how polls answer: as it is then, or `ends` from the second one on. */
interface Answer {
  done?: boolean;
  error?: Values;
  createTime?: string;
  endTime?: string;
  /** True: the first poll finds it running. */
  runs?: boolean;
}

interface ScriptedCreate {
  /** The answers to the creates, in order. Then follow operations that run and succeed. */
  answers: Answer[];
  /** When the association that exists was made; undefined: there is none until an operation that runs has succeeded. */
  made?: string;
  /** Milliseconds from the end of an operation until reads show what it made. */
  lag?: number;
  inputs?: Partial<Inputs>;
}

/** Creates an association against an API that answers so. */
async function create({ answers, made, lag = 0, inputs }: ScriptedCreate) {
  const clock = new FakeClock(NOON);
  const ids: string[] = [];
  const polls: number[] = [];
  let visible = made === undefined ? Infinity : 0;
  let createTime = made ?? at(0);
  const operation = (number: number, ended: boolean): Values => {
    const { error, createTime, endTime } = answers[number] ?? {};
    const name = `${ZONE}/operations/o${number}`;
    const metadata = { target: NAME, createTime, ...(ended && endTime !== undefined ? { endTime } : {}) };
    return { name, done: ended, metadata, ...(ended && error ? { error } : {}) };
  };
  const client: ApiClient = {
    serverTime: () => (ids.length === 0 ? undefined : clock.now()),
    ...clientOf("https://networksecurity.googleapis.com/v1beta1/", ({ method, path, query }) => {
      if (method === "POST") {
        const number = ids.push(String(query?.requestId)) - 1;
        return Promise.resolve(operation(number, answers[number]?.done ?? false));
      }
      if (path.includes("/operations/")) {
        const number = Number(path.split("/o").at(-1));
        const { runs, error } = answers[number] ?? { runs: true };
        polls[number] = (polls[number] ?? 0) + 1;
        const ended = !runs || polls[number] > 1;
        if (runs && ended && !error && visible === Infinity) {
          visible = clock.now() + lag;
          createTime = new Date(clock.now()).toISOString();
        }
        return Promise.resolve(operation(number, ended));
      }
      if (clock.now() < visible) {
        const request = `GET ${path}`;
        return Promise.reject(
          apiError({ doing: "read", resource: path, request, status: "NOT_FOUND", httpStatus: 404, message: "no" }),
        );
      }
      const { network, firewallEndpoint } = INPUTS;
      return Promise.resolve({ name: NAME, network, firewallEndpoint, state: "INACTIVE", createTime });
    }),
  };
  const context = {
    api: () => ({ client }),
    claims: new Claims(),
    canImport: true,
    stateBackend: () => Promise.resolve("file:///b"),
    projectIds: new ProjectIds(() => undefined),
  } as unknown as LifecycleContext;
  const call = { ...testCall(clock), identity: "urn" };
  const outcome = await createAssociation(new Associations(context), { ...INPUTS, ...inputs }, call).catch(
    (error: unknown) => error as Error,
  );
  return { outcome, ids, took: clock.now() - NOON };
}

/** The operation of an older create whose association was deleted since. */
const OLDER = { done: true, endTime: at(-60_000) };

describe("the request ids of a create", () => {
  test("are one id if its operation is running, whether the operation then succeeds or fails", async () => {
    const succeeds = await create({ answers: [] });
    expect(succeeds.outcome).toMatchObject({ id: NAME, state: { name: NAME } });
    expect(succeeds.ids).toHaveLength(1);
    const fails = await create({ answers: [{ runs: true, error: ERROR }] });
    expect((fails.outcome as Error).message).toContain("zone is full");
    expect(fails.ids).toEqual(succeeds.ids);
  });

  test("are derived from the inputs and the older operation, and the third is random", async () => {
    const runs = await Promise.all([1, 2].map(() => create({ answers: [OLDER, OLDER] })));
    const [first, second] = runs.map(({ ids }) => ids);
    expect(runs.map(({ outcome }) => outcome)).toMatchObject([{ id: NAME }, { id: NAME }]);
    expect(first).toHaveLength(3);
    expect(first?.slice(0, 2)).toEqual(second?.slice(0, 2));
    expect(first?.[2]).not.toBe(second?.[2]);
  });

  test("change when the response is an older operation in its initial state", async () => {
    const { outcome, ids } = await create({ answers: [{ ...OLDER, done: false }] });
    expect(outcome).toMatchObject({ id: NAME });
    expect(ids).toHaveLength(2);
  });

  test("change when an older create failed, or when others created another association since then", async () => {
    const failed = await create({ answers: [{ ...OLDER, error: ERROR }] });
    expect([failed.outcome, failed.ids.length]).toMatchObject([{ id: NAME }, 2]);
    const { ids } = await create({ answers: [OLDER], made: at(0) });
    expect(ids).toHaveLength(2);
  });

  test("are two if each create fails at once and the second operation is new; the create fails with its error", async () => {
    const failing = { done: true, createTime: at(0), endTime: at(0), error: ERROR };
    const { outcome, ids } = await create({
      answers: [failing, { ...failing, error: { code: 8, message: "the last" } }],
    });
    expect((outcome as Error).message).toContain("the last");
    expect(ids).toHaveLength(2);
  });

  test("are three if an earlier run failed under both of the first two, and the third makes the association", async () => {
    const failed = { ...OLDER, createTime: at(-60_000), error: ERROR };
    const { outcome, ids } = await create({ answers: [failed, failed] });
    expect(outcome).toMatchObject({ id: NAME });
    expect(ids).toHaveLength(3);
  });

  test("are three if each create fails before its operation is polled and no operation says when it began", async () => {
    const failing = { error: ERROR };
    const { outcome, ids } = await create({ answers: [failing, failing, { error: { code: 8, message: "the last" } }] });
    expect((outcome as Error).message).toContain("the last");
    expect(ids).toHaveLength(3);
  });
});

test("an operation that ended before the request and made the existing association counts as this resource's create", async () => {
  const { outcome, ids } = await create({ answers: [OLDER], made: at(-120_000) });
  expect(outcome).toMatchObject({ id: NAME, state: { createTime: at(-120_000) } });
  expect(ids).toHaveLength(1);
});

test("an incomplete association of an interrupted create is kept as not ready, with the reason", async () => {
  const { outcome, ids } = await create({ answers: [{ ...OLDER, error: ERROR }], made: at(-120_000) });
  expect(outcome).toBeInstanceOf(NotReadyError);
  expect(outcome).toMatchObject({ id: NAME, reasons: [expect.stringContaining("zone is full"), expect.anything()] });
  expect(ids).toHaveLength(1);
});

test("a failed operation without an end time proves nothing about the association that exists", async () => {
  const { ids } = await create({ answers: [{ done: true, error: ERROR }], made: at(-120_000) });
  expect(ids).toHaveLength(2);
  const isNew = { done: true, createTime: at(0), error: ERROR };
  expect((await create({ answers: [isNew, isNew], made: at(-120_000) })).ids).toHaveLength(3);
});

test("reads may lag five seconds behind an operation that was running, but not behind an older one", async () => {
  const lagging = await create({ answers: [], lag: 4_000 });
  expect([lagging.outcome, lagging.ids.length]).toMatchObject([{ id: NAME }, 1]);
  const missing = await create({ answers: [], lag: 60_000 });
  expect(missing.outcome).toBeInstanceOf(NotReadyError);
  expect((missing.outcome as Error).message).toContain("the association does not exist");
  const { took } = await create({ answers: [OLDER] });
  expect(took).toBeLessThan(500);
});

test.each([
  [ERROR, ", which failed: zone is full"],
  [undefined, ", whose association does not exist, is different, or belongs to another resource"],
])("the program's request id does not change when an older create with it ended with %j", async (error, words) => {
  const { outcome, ids } = await create({ answers: [{ ...OLDER, error }], inputs: { requestId: REQUEST_ID } });
  expect(ids).toEqual([REQUEST_ID]);
  expect((outcome as Error).message).toContain(`with the same requestId${words}`);
});

describe("a request id that the provider makes", () => {
  const inputs = { project: "p", location: "z", network: "n", labels: { a: "1" } };
  const owner = { identity: "urn", backend: "file:///b" };

  test("is a UUID that the API accepts, and always the same for the same create", () => {
    const id = createRequestId(inputs, owner);
    expect([validate(id), id === NIL]).toEqual([true, false]);
    const { labels, ...others } = inputs;
    expect(createRequestId({ labels, ...others, requestId: undefined }, owner)).toBe(id);
    // It must never change: a run of a newer release continues what an older one began.
    expect(id).toBe("2f49d9b8-8bbb-591d-9445-879bfd042fa0");
  });

  test("differs for other inputs, and for another resource or stack", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (network, otherNetwork, urn, otherUrn) => {
        fc.pre(network !== otherNetwork || urn !== otherUrn);
        expect(createRequestId({ ...inputs, network }, { identity: urn })).not.toBe(
          createRequestId({ ...inputs, network: otherNetwork }, { identity: otherUrn }),
        );
      }),
    );
  });

  test("differs for a stack of the same name in another backend, and after another operation", () => {
    const of = (backend?: string, after?: string) => createRequestId(inputs, { identity: "urn", backend }, after);
    const ids = [of(), of("a"), of("b"), of(undefined, "a"), of("a", "a"), of("b", "a"), of("a", "b")];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
