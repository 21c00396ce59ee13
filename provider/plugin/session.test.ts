import { CancelledError, ConfigurationError } from "../core/errors";
import { Provider } from "../runtime/provider";
import { CallsInFlight } from "./calls-in-flight";
import { KnownSecrets } from "./known-secrets";
import { EngineLog } from "./log";
import { Session } from "./session";

/** A session whose providers tell what is asked of them. */
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
    session: new Session({ environment: {}, log, knownSecrets, inFlight, notes: undefined, makeProvider }),
  };
}

test("a call before the configuration is refused", () => {
  const { session } = opened();
  expect(() => session.provider()).toThrow(ConfigurationError);
  session.configure({});
  expect(session.provider()).toBe(session.provider());
});

test("settings that are wrong leave the provider of before", () => {
  const { session } = opened();
  session.configure({ project: "p" });
  const before = session.provider();
  expect(() => session.configure({ grantMode: "x" })).toThrow(ConfigurationError);
  expect(session.provider()).toBe(before);
});

test("a custom timeout is in seconds, and 0 is none", async () => {
  const { session } = opened();
  const optionsOf = (custom: number) =>
    session.run("urn", { custom, default: 500 }, (options) => Promise.resolve(options));
  expect(await optionsOf(3)).toMatchObject({ timeout: 3000, identity: "urn" });
  expect(await optionsOf(0)).toMatchObject({ timeout: 500 });
});

test("after a cancel, calls are refused until the next configuration", async () => {
  const { session } = opened();
  const called = () => session.run("urn", { custom: 0, default: 1 }, () => Promise.resolve("called"));
  session.configure({});
  session.cancel();
  await expect(called()).rejects.toThrow(CancelledError);
  session.configure({});
  expect(await called()).toBe("called");
});

test("a cancel without calls in flight is the end of a run; one that stops calls is not", async () => {
  const { session, inFlight, asked } = opened();
  session.configure({});
  const answered = inFlight.add(new Promise((resolve) => setImmediate(resolve)));
  session.cancel();
  expect(asked).toEqual(["cancel"]);
  await answered;
  session.cancel();
  expect(asked).toEqual(["cancel", "finish", "cancel"]);
});

test("calls in flight are answered when the last one is, however it ends", async () => {
  const inFlight = new CallsInFlight();
  expect(inFlight.areNone).toBe(true);
  const failing = inFlight.add(Promise.reject(new Error("no")));
  const ending = inFlight.add(Promise.resolve());
  expect(inFlight.areNone).toBe(false);
  await expect(failing).rejects.toThrow("no");
  await Promise.all([inFlight.answered(), ending]);
  expect(inFlight.areNone).toBe(true);
});
