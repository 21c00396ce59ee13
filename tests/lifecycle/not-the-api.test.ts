/**
 * An answer 404 that is not the API's own (a proxy's page, a wrong custom endpoint) never counts as "it is not there":
 * whatever the verb, the resource stays in the state and in the cloud, and the error says what answered.
 */
import { BadAnswerError, NotReadyError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { FaultyCloud } from "./faults";
import { ASSOCIATION_NAME, GRANT, NAMED, SEED, STORE } from "./faults-journeys";
import { failure, limits } from "../support/provider";
import {
  ASSOCIATION,
  GET_GATEWAY_POLICY,
  GET_SCOPE,
  GET_TRIGGER,
  GET_TRIGGER_POLICY,
  STORE_GRANT,
} from "../support/tokens";

/** Answers of proxies and other servers in front of an API. None has the API's own error with the status NOT_FOUND. */
const ANSWERS: [what: string, body: string, contentType: string][] = [
  ["a page", "<!DOCTYPE html><title>404 Not Found</title>", "text/html"],
  ["nothing", "", "text/plain"],
  ["JSON without an error", '{"message":"no Route matched with those values"}', "application/json"],
  ["JSON with a text as error", '{"error":"not found"}', "application/json"],
  ["an error without the API's status", '{"error":{"code":404,"message":"Not Found"}}', "application/json"],
  ["an error with another code's status", '{"error":{"code":404,"status":"404"}}', "application/json"],
];

let cloud: FaultyCloud;
beforeAll(async () => {
  cloud = await FaultyCloud.start(SEED);
});
beforeEach(() => cloud.emulator.reset());
afterAll(() => cloud.emulator.stop());

// Each call is one of a run of its own, as an engine makes it: a run does not delete what it has made.

/** The error of a call while every request is answered so; also that no request was repeated in vain. */
async function refusedBy([, body, contentType]: (typeof ANSWERS)[number], call: () => Promise<unknown>) {
  cloud.calls();
  cloud.emulator.setFaults([{ match: {}, times: 0, fault: { status: 404, body, contentType } }]);
  const error = await failure(call());
  const { length } = cloud.calls();
  cloud.emulator.setFaults([]);
  return { error, requests: length };
}

const NOT_THE_API = /HTTP 404.* is not from the API.*[\s\S]*(custom endpoint|proxy)/;

const association = () => cloud.emulator.resource(ASSOCIATION_NAME);
const members = () => JSON.stringify(cloud.emulator.resource(STORE)?.policy ?? {});

describe.each(ANSWERS)("a 404 with %s", (...answer) => {
  test("does not mean that the association is gone: refresh, update and delete fail and keep it", async () => {
    const provider = cloud.provider();
    const { inputs } = await provider.check(ASSOCIATION, NAMED);
    const { id, state } = await provider.create(ASSOCIATION, inputs, limits());
    const prior = { id, inputs, state };
    const changed = { ...inputs, labels: { env: "test" } };
    for (const call of [
      () => cloud.provider().read(ASSOCIATION, id, prior, limits()),
      () => cloud.provider().read(ASSOCIATION, id, undefined, limits()),
      () => cloud.provider().update(ASSOCIATION, prior, changed, limits()),
      () => cloud.provider().delete(ASSOCIATION, prior, limits()),
      () => cloud.provider({ preflight: true }).previewCreate(ASSOCIATION, inputs, limits()),
    ]) {
      const { error, requests } = await refusedBy(answer, call);
      expect(error).toBeInstanceOf(BadAnswerError);
      expect(error.message).toMatch(NOT_THE_API);
      expect(error.message).toContain(ASSOCIATION_NAME);
      expect(requests).toBe(1);
    }
    expect(association()).toBeDefined();
    await cloud.provider().delete(ASSOCIATION, prior, limits());
    expect(association()).toBeUndefined();
  });

  test("in response to a create is an error, and the next create creates the association", async () => {
    const provider = cloud.provider();
    const { inputs } = await provider.check(ASSOCIATION, NAMED);
    const { error } = await refusedBy(answer, () => provider.create(ASSOCIATION, inputs, limits()));
    expect(error).toBeInstanceOf(BadAnswerError);
    await provider.create(ASSOCIATION, inputs, limits());
    expect(association()).toBeDefined();
  });

  test("in response to a poll of a delete, or to a read after a create, does not end the operation", async () => {
    const provider = cloud.provider();
    const { inputs } = await provider.check(ASSOCIATION, NAMED);
    const fault = { status: 404, body: answer[1], contentType: answer[2] };
    cloud.emulator.setFaults([{ match: { method: "GET" }, times: 0, fault }]);
    const unfinished = await failure(provider.create(ASSOCIATION, inputs, limits()));
    expect(unfinished.name).toBe("NotReadyError");
    cloud.emulator.setFaults([]);
    const prior = { id: unfinished.id as string, inputs, state: unfinished.properties as Values };
    const state = await provider.update(ASSOCIATION, prior, inputs, limits());
    cloud.emulator.setFaults([{ match: { method: "GET" }, times: 0, fault }]);
    const going = await failure(cloud.provider().delete(ASSOCIATION, { ...prior, state }, limits()));
    expect(going.name).toBe("NotReadyError");
  });

  test("does not mean that the grant is gone: refresh, delete, update and create fail, and nothing is lost", async () => {
    const provider = cloud.provider({ grantMode: "merge", allowLockout: true });
    const { id, state } = await provider.create(STORE_GRANT, GRANT, limits());
    const prior = { id, inputs: GRANT, state };
    const calls: [typeof BadAnswerError | typeof NotReadyError, () => Promise<unknown>][] = [
      [BadAnswerError, () => cloud.provider().read(STORE_GRANT, id, prior, limits())],
      [BadAnswerError, () => cloud.provider({ allowLockout: true }).delete(STORE_GRANT, prior, limits())],
      // An update without a changed input repairs the grant, so the state must ask for it again.
      [NotReadyError, () => cloud.provider({ allowLockout: true }).update(STORE_GRANT, prior, GRANT, limits())],
      [BadAnswerError, () => cloud.provider({ allowLockout: true }).create(STORE_GRANT, GRANT, limits())],
    ];
    for (const [type, call] of calls) {
      const { error, requests } = await refusedBy(answer, call);
      expect(error).toBeInstanceOf(type);
      expect(error.message).toMatch(NOT_THE_API);
      expect(error.message).toContain(STORE);
      expect(requests).toBe(1);
    }
    expect(members()).toContain(GRANT.member);
  });

  test("in response to a lookup does not mean that the resource does not exist", async () => {
    for (const [token, args] of [
      [GET_SCOPE, { location: "global", scopeId: "s" }],
      [GET_TRIGGER, { location: "us-central1", triggerId: "t" }],
      [GET_TRIGGER_POLICY, { location: "us-central1", triggerId: "t" }],
      [GET_GATEWAY_POLICY, { location: "us-central1", gatewayId: "g" }],
    ] as const) {
      const { error } = await refusedBy(answer, () => cloud.provider().invoke(token, args, limits()));
      expect(error).toBeInstanceOf(BadAnswerError);
      expect(error.message).toMatch(NOT_THE_API);
      expect(error.effect).toBe("none");
    }
  });
});

test("after a 404 of the API, a delete succeeds, and a refresh removes the resource from the state", async () => {
  const provider = cloud.provider();
  const { inputs } = await provider.check(ASSOCIATION, NAMED);
  const { id, state } = await provider.create(ASSOCIATION, inputs, limits());
  await cloud.provider().delete(ASSOCIATION, { id, inputs, state }, limits());
  expect(association()).toBeUndefined();
  await cloud.provider().delete(ASSOCIATION, { id, inputs, state }, limits());
  expect(await cloud.provider().read(ASSOCIATION, id, { inputs, state }, limits())).toBeUndefined();
});
