/** Thousands of calls, one after the other, leave the heap as it was: nothing is kept of a call that is over. */
import type { Values } from "../../provider/core/unknown";
import type { Send } from "../../provider/http/send";
import { Provider } from "../../provider/runtime/provider";
import { systemClock, type Clock } from "../../provider/http/clock";
import { GRANT, NAMED } from "./faults-journeys";
import { collectGarbage } from "../support/garbage";
import { casesHere, leftOut } from "../support/test-all";
import { ASSOCIATION, GET_SCOPE, GET_TRIGGER_POLICY, STORE_GRANT } from "../support/tokens";

jest.setTimeout(60_000);

const CALLS = leftOut === undefined ? 5_000 : 1_500;
/** Calls after which code is compiled and caches are full. */
const WARM_UP = 500;
/** A call that is kept has some thousand bytes; compiled code and the like are less than this in all. */
const MOST_BYTES = 1_000_000;

function heap(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A clock on which sleeping moves the time on. Unlike FakeClock, it keeps no list of the sleeps. */
function quickClock(): Clock & { advance(ms: number): void } {
  let now = systemClock.now();
  const advance = (ms: number) => void (now += ms);
  const sleep = (ms: number) => Promise.resolve(advance(ms));
  return { advance, now: () => now, sleep, alarm: () => () => {}, random: () => 0.5 };
}

/** A cloud that remembers one policy and nothing else. Each operation has a name of its own. */
function cloud(): { send: Send; requests: () => number } {
  let requests = 0;
  let policy: Values = { etag: "1" };
  const answer = (method: string, url: string, body: string | undefined): Values => {
    const name = new URL(url).pathname.replace(/^\/[^/]+\//, "");
    if (name.includes("/operations/")) return { name, done: true };
    if (name.endsWith(":getIamPolicy")) return policy;
    if (name.endsWith(":setIamPolicy")) {
      policy = { ...(JSON.parse(body as string) as { policy: Values }).policy, etag: String(requests) };
      return policy;
    }
    const operation = `projects/p/locations/us-central1-a/operations/${requests}`;
    if (method !== "GET") return { name: operation, done: false, metadata: { target: `${name.split(":")[0]}/a` } };
    if (name.includes("/scopes/")) return { name, state: { code: "READY" } };
    const { network, firewallEndpoint } = NAMED;
    return { name, network, firewallEndpoint, state: "ACTIVE", createTime: "2026-03-01T12:00:00Z" };
  };
  return {
    send: ({ method, url, body }) => {
      requests++;
      return Promise.resolve({ status: 200, headers: {}, body: JSON.stringify(answer(method, url, body)) });
    },
    requests: () => requests,
  };
}

const WORK: [what: string, (provider: Provider, number: number) => Promise<unknown>][] = [
  ["lookups", (provider, number) => provider.invoke(GET_SCOPE, { location: "l", scopeId: `s${number}` }, call(number))],
  [
    "lookups of a policy",
    (provider, number) => provider.invoke(GET_TRIGGER_POLICY, { location: "l", triggerId: "t" }, call(number)),
  ],
  [
    "grants, made and revoked",
    async (provider, number) => {
      const grant = { ...GRANT, member: `user:u${number % 7}@example.com` };
      if (number % 2 === 0) return provider.create(STORE_GRANT, grant, call(number));
      const before = { ...GRANT, member: `user:u${(number - 1) % 7}@example.com` };
      return provider.delete(STORE_GRANT, { id: "x", state: before }, call(number));
    },
  ],
  [
    "associations, made and deleted",
    async (provider, number) => {
      const inputs = { ...NAMED, project: "p" };
      if (number % 2 === 0) return provider.create(ASSOCIATION, inputs, call(number));
      const id = "projects/p/locations/us-central1-a/firewallEndpointAssociations/a";
      return provider.delete(ASSOCIATION, { id, state: { ...inputs, name: id } }, call(number));
    },
  ],
];

/** The grants pass through the pools, the policies and the claims; the other calls use fewer of these. */
const isHere = ([what]: (typeof WORK)[number]) => what.startsWith("grants");

test.each(casesHere(WORK, isHere, ([what]) => what))(
  "%s: nothing is kept of a call that is over",
  async (_what, work) => {
    const { send, requests } = cloud();
    const given = { project: "p", accessToken: "t", allowLockout: true, grantMode: "merge" };
    const clock = quickClock();
    const provider = new Provider(given, {}, { clock, send });
    const run = async (from: number, to: number) => {
      for (let number = from; number < to; number++) {
        // So that nothing read or written for the call before serves this one too.
        clock.advance(3_000);
        await work(provider, number);
      }
    };
    await run(0, WARM_UP);
    const [before, asked] = [heap(), requests()];
    await run(WARM_UP, WARM_UP + CALLS);
    expect(heap() - before).toBeLessThan(MOST_BYTES);
    expect(requests() - asked).toBeGreaterThanOrEqual(CALLS);
  },
);

function call(number: number) {
  return { timeout: 600_000, identity: `urn:${number % 11}` };
}
