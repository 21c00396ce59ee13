/** Where no server listens at an address of this machine, a call fails at once and says which server may be missing. */
import { ConnectionError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { Provider } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";
import { NAMED } from "./faults-journeys";
import { freePort } from "../support/free-port";
import { failure, limits } from "../support/provider";
import { ASSOCIATION, GET_SCOPE, JOB_GRANT } from "../support/tokens";

const ARGS = { location: "l", scopeId: "s" };
const JOB = "projects/p/locations/us-central1/migrationJobs/j";
const GRANT = { name: JOB, role: "roles/viewer", member: "user:ada@example.com" };

let port: number;
let clock: FakeClock;
let statuses: string[];
beforeEach(async () => {
  port = await freePort();
  clock = new FakeClock();
  statuses = [];
});

const provider = (given: Values, environment: Record<string, string> = {}) =>
  new Provider({ project: "p", ...given }, environment, { clock });
const within = () => limits({ lines: statuses });

function expectAtOnce(error: Error & Values): void {
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.effect).toBe("none");
  expect(statuses).toEqual([]);
  // Changes of one policy that come together are gathered for a moment; nothing is waited for beside it.
  expect(clock.sleeps.reduce((sum, each) => sum + each, 0)).toBeLessThan(100);
}

test.each<[string, (own: Provider) => Promise<unknown>]>([
  ["a lookup", (own) => own.invoke(GET_SCOPE, ARGS, within())],
  ["a create", (own) => own.create(ASSOCIATION, { ...NAMED, project: "p" }, within())],
  ["a grant", (own) => own.create(JOB_GRANT, GRANT, within())],
  ["a refresh", (own) => own.read(JOB_GRANT, "id", { state: GRANT }, within())],
  ["a delete", (own) => own.delete(JOB_GRANT, { id: "id", state: GRANT }, within())],
])("an emulator that is not running ends %s at once", async (_what, call) => {
  const error = await failure(call(provider({ emulatorHost: `127.0.0.1:${port}`, allowLockout: true })));
  expectAtOnce(error);
  expect(error.message).toContain(`nothing listens at 127.0.0.1:${port}`);
  expect(error.message).toContain(
    `Is the emulator running? Start it with: npx pulumi-perimeter emulator --port ${port}`,
  );
});

test("the call also ends at once for the name localhost and for an endpoint from the environment", async () => {
  const own = provider({}, { PERIMETER_EMULATOR_HOST: `localhost:${port}` });
  const error = await failure(own.invoke(GET_SCOPE, ARGS, within()));
  expectAtOnce(error);
  expect(error.message).toContain("Is the emulator running?");
});

test.each<[string, Values, Record<string, string>]>([
  ["gkeHubCustomEndpoint", {}, {}],
  ["CLOUDSDK_API_ENDPOINT_OVERRIDES_GKEHUB", {}, {}],
])("a custom endpoint %s on this machine is named", async (key) => {
  const url = `http://127.0.0.1:${port}/`;
  const own = key.startsWith("CLOUDSDK") ? provider({}, { [key]: url }) : provider({ [key]: url });
  const error = await failure(own.invoke(GET_SCOPE, ARGS, within()));
  expectAtOnce(error);
  expect(error.message).toContain(`Is the server that ${key} names running?`);
});

test("a refused connection to another machine is retried, because the server may be starting", async () => {
  const refused = new ConnectionError("the connection was refused", { effect: "none", retryable: true });
  const own = new Provider(
    { project: "p", accessToken: "t", retry: { maxAttempts: 3 } },
    {},
    { clock, send: () => Promise.reject(refused) },
  );
  const error = await failure(own.invoke(GET_SCOPE, ARGS, within()));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(clock.sleeps).toHaveLength(2);
});
