/** Each form of the plugin shortens texts of any length to errors that the engine can show. */
import { ASSOCIATION, GET_SCOPE } from "../../support/tokens";
import { secret } from "../plugin-client";
import { LINK, linkInputs, describeEachPlugin, emulator, failing, plugin } from "./scene";

const MB = 2 ** 20;
/** Trailers of a response may have 64 kB, and each non-ASCII byte of a text takes three bytes there. */
const fits = (text: string) => expect(encodeURI(text).length).toBeLessThan(48_000);

describeEachPlugin((form) => {
  // In process, the plugin, its client and the emulator share one thread, which 20 MB would block for seconds.
  const long = form === "in process" ? 2 : 20;

  describe("an API's error", () => {
    const answer = async (message: string) => {
      const error = { code: 403, status: "PERMISSION_DENIED", message };
      emulator.setFaults([{ match: {}, times: 0, fault: { status: 403, body: { error } } }]);
      return failing(plugin.create(ASSOCIATION, linkInputs()));
    };

    test.each([
      ["100 kB of words", "not allowed ".repeat(8_500)],
      ["60 kB of characters that take nine bytes in a header", "許".repeat(20_000)],
      [`${long} MB`, "x".repeat(long * MB)],
    ])("of %s is cut in the middle, and says so", async (_what, text) => {
      const { code, message } = await answer(`The beginning. ${text}`);
      expect(message).toMatch(/^Could not create .*PERMISSION_DENIED: The beginning\. /);
      expect(code).toBe("PERMISSION_DENIED");
      expect(message).toContain("[cut here: the text is too long for a message]");
      expect(message).toMatch(/\(HTTP 403, POST http.*\)$/);
      fits(message);
    });

    test("with an unpaired surrogate arrives with a replacement character", async () => {
      const { code, message } = await answer("no \ud800 entry \udc00");
      expect(code).toBe("PERMISSION_DENIED");
      expect(message).toContain("PERMISSION_DENIED: no \ufffd entry \ufffd");
    });

    test("with a cut inside a secret of the program shows no part of the secret", async () => {
      const text = "canary".repeat(50);
      const inputs = linkInputs({ labels: { key: secret(text) } });
      for (const length of [2_900, 2_990, 15_900, 11_900]) {
        const error = {
          code: 403,
          status: "PERMISSION_DENIED",
          message: `${"x".repeat(length)} ${text} ${"y".repeat(5_000)}`,
        };
        emulator.setFaults([{ match: {}, times: 0, fault: { status: 403, body: { error } } }]);
        expect((await failing(plugin.create(ASSOCIATION, inputs))).message).not.toContain("canary");
      }
    });
  });

  test("a lookup's error of 100 kB is also cut", async () => {
    const error = { code: 404, status: "NOT_FOUND", message: "gone ".repeat(20_000) };
    emulator.setFaults([{ match: {}, times: 0, fault: { status: 404, body: { error } } }]);
    const { code, message } = await failing(plugin.invoke(GET_SCOPE, { location: "global", scopeId: "s" }));
    expect(code).toBe("NOT_FOUND");
    fits(message);
  });

  test("for 500 wrong properties with long names, lists the first hundred and the number of others", async () => {
    const wrong = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${"n".repeat(5_000)}${at}`, at]));
    const { failures } = await plugin.check(ASSOCIATION, linkInputs(wrong));
    expect(failures).toHaveLength(101);
    expect(failures.at(-1)).toEqual({ property: "", reason: "… and 400 more problems" });
    for (const { reason } of failures) expect(reason.length).toBeLessThan(4_200);
  });

  test("a resource that is not ready is kept, with properties and reasons of any size", async () => {
    const labels = Object.fromEntries(Array.from({ length: 800 }, (_, at) => [`label-${at}`, "värde ".repeat(20)]));
    const operation = "projects/demo-project/locations/us-central1-a/operations/operation-1";
    const error = { code: 403, status: "PERMISSION_DENIED", message: "no ".repeat(40_000) };
    emulator.setFaults([
      { match: { method: "POST" }, times: 0, fault: { status: 200, body: { name: operation, done: false } } },
      { match: { method: "GET" }, times: 0, fault: { status: 403, body: { error } } },
    ]);
    const inputs = linkInputs({ labels });
    const { notReady } = await failing(plugin.create(ASSOCIATION, inputs));
    expect(notReady?.id).toBe(LINK);
    expect(notReady?.reasons.join()).toMatch(/cut here.*continues in the cloud/s);
    // The state stays complete: the engine adds its own copy of the inputs to what the plugin sends.
    const { labels: _, ...others } = inputs;
    expect(notReady?.properties).toMatchObject({ ...others, __pending: { verb: "create", operation: "operation-1" } });
    expect(notReady?.properties).not.toHaveProperty("labels");

    const { detailed } = await plugin.diff(ASSOCIATION, LINK, { inputs, outputs: notReady?.properties ?? {} }, inputs);
    expect(detailed).not.toHaveProperty("labels");
  });
});
