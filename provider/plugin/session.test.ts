import { CancelledError, ConfigurationError } from "../core/errors";
import { Provider } from "../runtime/provider";
import { CallsInFlight } from "./server";
import { KnownSecrets, Session } from "./session";
import { EngineLog } from "./log";

function opened() {
  const knownSecrets = new KnownSecrets();
  const log = new EngineLog(undefined, knownSecrets.scrub);
  const makeProvider = (settings: Record<string, unknown>) => new Provider(settings, {});
  return { session: new Session({ environment: {}, log, knownSecrets, makeProvider }) };
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

test("calls in flight are answered when the last call ends, also with an error", async () => {
  const inFlight = new CallsInFlight();
  const failing = inFlight.add(Promise.reject(new Error("no")));
  const ending = inFlight.add(Promise.resolve());
  await expect(failing).rejects.toThrow("no");
  await Promise.all([inFlight.answered(), ending]);
});
