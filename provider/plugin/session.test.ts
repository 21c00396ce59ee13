import { CancelledError, ConfigurationError } from "../core/errors";
import { Provider } from "../runtime/provider";
import { CallsInFlight } from "./server";
import { KnownSecrets, Session } from "./session";
import { EngineLog } from "./log";

/** A session whose providers record their calls. */
function opened() {
  const asked: string[] = [];
  const inFlight = new CallsInFlight();
  const knownSecrets = new KnownSecrets();
  const log = new EngineLog(undefined, knownSecrets.scrub);
  const makeProvider = (settings: Record<string, unknown>) => {
    const provider = new Provider(settings, {});
    jest.spyOn(provider, "finish").mockImplementation(() => void asked.push("finish"));
    jest.spyOn(provider, "cancel").mockImplementation(() => void asked.push("cancel"));
    return provider;
  };
  return {
    asked,
    inFlight,
    session: new Session({ environment: {}, log, knownSecrets, inFlight, facts: undefined, makeProvider }),
  };
}

test("refuses a call before the configuration", () => {
  const { session } = opened();
  expect(() => session.provider()).toThrow(ConfigurationError);
  session.configure({});
  expect(session.provider()).toBe(session.provider());
});

test("wrong settings keep the previous provider", () => {
  const { session } = opened();
  session.configure({ project: "p" });
  const before = session.provider();
  expect(() => session.configure({ grantMode: "x" })).toThrow(ConfigurationError);
  expect(session.provider()).toBe(before);
});

test("a custom timeout is in seconds, and 0 means no timeout", async () => {
  const { session } = opened();
  const optionsOf = (custom: number) =>
    session.run("urn", { custom, default: 500 }, (options) => Promise.resolve(options));
  expect(await optionsOf(3)).toMatchObject({ timeout: 3000, identity: "urn" });
  expect(await optionsOf(0)).toMatchObject({ timeout: 500 });
});

test("refuses calls after a cancel until the next configuration", async () => {
  const { session } = opened();
  const called = () => session.run("urn", { custom: 0, default: 1 }, () => Promise.resolve("called"));
  session.configure({});
  session.cancel();
  await expect(called()).rejects.toThrow(CancelledError);
  session.configure({});
  expect(await called()).toBe("called");
});

describe("the report at the end of a run", () => {
  const call = (inFlight: CallsInFlight) => inFlight.add(new Promise((resolve) => setImmediate(resolve)));

  test("is sent when the process ends after one cancel without calls in flight", () => {
    const { session, asked } = opened();
    session.configure({});
    session.cancel();
    expect(asked).toEqual([]);
    session.end();
    expect(asked).toEqual(["finish", "cancel"]);
  });

  test("is dropped when a cancel stops calls", async () => {
    const { session, inFlight, asked } = opened();
    session.configure({});
    const answered = call(inFlight);
    session.cancel();
    expect(asked).toEqual(["cancel"]);
    await answered;
  });

  test("is dropped after ctrl-C while other providers work, because a second cancel follows", () => {
    const { session, asked } = opened();
    session.configure({});
    session.cancel();
    session.cancel();
    expect(asked).toEqual(["cancel"]);
  });

  test("is dropped when the engine is gone without a cancel", () => {
    const { session, asked } = opened();
    session.configure({});
    session.end();
    expect(asked).toEqual(["cancel"]);
  });
});

test("calls in flight are answered when the last call ends, also with an error", async () => {
  const inFlight = new CallsInFlight();
  expect(inFlight.areNone).toBe(true);
  const failing = inFlight.add(Promise.reject(new Error("no")));
  const ending = inFlight.add(Promise.resolve());
  expect(inFlight.areNone).toBe(false);
  await expect(failing).rejects.toThrow("no");
  await Promise.all([inFlight.answered(), ending]);
  expect(inFlight.areNone).toBe(true);
});
