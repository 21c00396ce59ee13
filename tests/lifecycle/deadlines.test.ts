/** The end of a call (the time limit was reached, or the user stops it) ends the request that is in flight, and the wait for a token. */
import { startEmulator } from "../../emulator";
import { CancelledError, TimeoutError } from "../../provider/core/errors";
import type { TokenSource } from "../../provider/http/credentials";
import { Provider } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";
import { testCredentials } from "../../provider/testing/credentials";
import { failure, limits } from "../support/provider";
import { ScriptedServer } from "../support/scripted-server";
import { ASSOCIATION, GET_SCOPE, STORE_GRANT } from "../support/tokens";

const ARGS = { location: "l", scopeId: "s" };
const STORE = "projects/p/locations/l/datasets/d/fhirStores/f";
const GRANT = { name: STORE, role: "roles/viewer", member: "user:ada@example.com" };

const INPUTS = {
  firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
  network: "projects/p/global/networks/n",
  location: "us-central1-a",
  project: "p",
  firewallEndpointAssociationId: "a",
};

let server: ScriptedServer;
/** Called with each request. Without an answer from here, the request stays open. */
let onRequest: (method: string) => string | undefined;
/** Requests that their sender has abandoned. */
let givenUp: number;

beforeEach(async () => {
  givenUp = 0;
  onRequest = () => undefined;
  server = await ScriptedServer.start(({ method }, response) => {
    response.on("close", () => {
      if (!response.writableFinished) givenUp++;
    });
    const body = onRequest(method);
    if (body !== undefined) return { body };
    // Headers and a part of the body: an answer that stops half way.
    response.writeHead(200, { "content-type": "application/json" }).write("{");
    return "hang";
  });
});
afterEach(() => server.stop());

const started = (clock: FakeClock, tokens?: TokenSource) =>
  new Provider(
    {
      project: "p",
      gkeHubCustomEndpoint: `${server.url}/v1/`,
      networkSecurityCustomEndpoint: `${server.url}/v1/`,
      healthcareCustomEndpoint: `${server.url}/v1/`,
      ...(tokens ? { sendCredentialsToLoopback: true } : {}),
    },
    {},
    { clock, ...(tokens ? { tokens } : {}) },
  );

/** Resolves when the server has the request, or the credentials are asked for a token. */
function signal(): { happened: Promise<void>; happen: () => void } {
  let happen = () => {};
  const happened = new Promise<void>((resolve) => (happen = resolve));
  return { happened, happen };
}

test("the time of a lookup ends while an answer is awaited: the request is ended with it", async () => {
  const clock = new FakeClock();
  const arrived = signal();
  onRequest = () => void arrived.happen();
  const looking = failure(started(clock).invoke(GET_SCOPE, ARGS, limits({ timeout: 60_000 })));
  await arrived.happened;
  clock.advance(60_000);
  const error = await looking;
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.message).toBe(
    "Gave up trying to look up the fleet scope projects/p/locations/l/scopes/s: the time limit was reached",
  );
  expect(error.effect).toBe("none");
  while (givenUp === 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test("a cancellation also ends it", async () => {
  const arrived = signal();
  onRequest = () => void arrived.happen();
  const provider = started(new FakeClock());
  const looking = failure(provider.invoke(GET_SCOPE, ARGS, limits()));
  await arrived.happened;
  provider.cancel();
  expect(await looking).toBeInstanceOf(CancelledError);
});

test("a write that was in flight may have been made: its error says so", async () => {
  const clock = new FakeClock();
  const arrived = signal();
  onRequest = () => void arrived.happen();
  const client = started(clock);
  const creating = failure(client.create(ASSOCIATION, INPUTS, limits({ timeout: 60_000 })));
  await arrived.happened;
  clock.advance(60_000);
  const error = await creating;
  expect([error.name, error.effect]).not.toContain("none");
  expect(error.message).toContain("firewallEndpointAssociations/a");
});

describe.each(["token", "quotaProject"] as const)("credentials that never give their %s", (method) => {
  const asked = () => {
    const arrived = signal();
    const never = new Promise<never>(() => {});
    const tokens = testCredentials({
      [method]: () => {
        arrived.happen();
        return never;
      },
    });
    return { arrived, tokens };
  };

  test("do not outlast the call", async () => {
    const clock = new FakeClock();
    const { arrived, tokens } = asked();
    const looking = failure(started(clock, tokens).invoke(GET_SCOPE, ARGS, limits({ timeout: 60_000 })));
    await arrived.happened;
    clock.advance(60_000);
    expect(await looking).toBeInstanceOf(TimeoutError);
  });

  test("do not outlast a stop, and prove that nothing was sent", async () => {
    const { arrived, tokens } = asked();
    const provider = started(new FakeClock(), tokens);
    const writing = failure(provider.create(STORE_GRANT, GRANT, limits()));
    await arrived.happened;
    provider.cancel();
    const error = await writing;
    expect(error).toBeInstanceOf(CancelledError);
    expect(error.effect).toBe("none");
  });
});

test.each([
  ["ahead", 2 * 3_600_000],
  ["back", -2 * 3_600_000],
])("a create continues when the machine's clock is set two hours %s", async (_direction, jump) => {
  const date = Date.now.bind(Date);
  const emulator = await startEmulator({ clock: date });
  emulator.configure({ operationMs: 600 });
  const spy = jest.spyOn(Date, "now");
  try {
    const provider = new Provider({ emulatorHost: `${emulator.host}:${emulator.port}`, project: "p" }, {});
    const begun = performance.now();
    const creating = provider.create(ASSOCIATION, INPUTS, limits({ timeout: 60_000 }));
    const isPolled = () => emulator.requests().some((each) => each.path.includes("/operations/"));
    for (let looks = 0; !isPolled() && looks < 1_000; looks++) await new Promise((resolve) => setTimeout(resolve, 5));
    spy.mockImplementation(() => date() + jump);
    expect((await creating).state).toMatchObject({ state: "ACTIVE" });
    // Also no wait is lengthened.
    expect(performance.now() - begun).toBeLessThan(20_000);
  } finally {
    spy.mockRestore();
    await emulator.stop();
  }
});
