/** The part of a failure that Pulumi's dynamic server receives. */
import { NotReadyError, RefusedError } from "../core/errors";
import { SecretTexts } from "../core/secrets";
import { guarded, type LifecycleMethods } from "./guarded";

const SECRET = "group:secret@example.com";
const inputs = { member: SECRET, __secrets: [["member"]] };

function failing(error: unknown): LifecycleMethods {
  const fail = () => Promise.reject(error);
  return { check: fail, diff: fail, create: fail, read: fail, update: fail, delete: fail };
}

async function shownOf(error: unknown): Promise<unknown> {
  return guarded(failing(error), new SecretTexts())
    .create(inputs)
    .catch((shown: unknown) => shown);
}

test("an error of the provider is shown without the secret and the stack", async () => {
  const shown = await shownOf(new RefusedError(`Nobody knows ${SECRET}`));
  expect(shown).toBeInstanceOf(RefusedError);
  expect(shown).toMatchObject({ code: "REFUSED", message: "Nobody knows [secret]", stack: "(no stack)" });
});

test("any other error is shown with its stack, but without the secret", async () => {
  const shown = await shownOf(new TypeError(`${SECRET} is no function`));
  expect(shown).toMatchObject({ name: "TypeError", message: "[secret] is no function" });
  expect((shown as Error).stack).toMatch(/^TypeError: \[secret\] is no function\n +at /);
  expect(String(await shownOf(SECRET))).toBe("Error: [secret]");
});

test("NotReadyError keeps the complete state for the engine", async () => {
  const shown = await shownOf(new NotReadyError("the-id", { member: SECRET }, ["Timed out", `for ${SECRET}`]));
  expect(shown).toBeInstanceOf(NotReadyError);
  // The engine's state has the member: Pulumi marks it there.
  expect(shown).toMatchObject({
    id: "the-id",
    properties: { member: SECRET },
    reasons: ["Timed out", "for [secret]"],
    message: "Timed out\nfor [secret]",
  });
});

test("the original error does not change", async () => {
  const error = new NotReadyError("the-id", {}, [SECRET], { cause: new Error(SECRET) });
  const { stack } = error;
  await shownOf(error);
  expect(error).toMatchObject({ message: SECRET, reasons: [SECRET], stack });
});

test("secrets are removed from the reasons of a check, also secrets among its defaults", async () => {
  const texts = new SecretTexts();
  const { check } = guarded(
    {
      ...failing(undefined),
      check: (_olds, news) =>
        Promise.resolve({
          inputs: { ...news, project: "secret-project", __secrets: [["project"]] },
          failures: [{ property: "", reason: `member must not be ${SECRET}` }],
        }),
    },
    texts,
  );
  expect((await check({}, inputs)).failures).toEqual([{ property: "", reason: "member must not be [secret]" }]);
  expect(texts.scrub("of secret-project")).toBe("of [secret]");
});

describe("the output of Pulumi's dynamic server for a failure", () => {
  /** Fails like a call of the server, which prints most errors. @returns the printed text. */
  async function printedOf(error: Error): Promise<unknown[][]> {
    const { check } = guarded(failing(error), new SecretTexts());
    // The failures of earlier tests no longer matter.
    await new Promise((resolve) => setImmediate(resolve));
    const printed: unknown[][] = [];
    const print = console.error;
    console.error = (...args: unknown[]) => void printed.push(args);
    const before = console.error;
    try {
      const calls = [1, 2].map(async () => {
        try {
          await check({}, {});
        } catch (shown) {
          console.error("another provider's line");
          console.error(`${String(shown)}: ${(shown as Error).stack}`);
        }
      });
      await Promise.all(calls);
      await new Promise((resolve) => setImmediate(resolve));
      expect(console.error).toBe(before);
    } finally {
      console.error = print;
    }
    return printed;
  }

  test("is empty for an error of this provider, which the engine shows; other lines and console.error do not change", async () => {
    expect(await printedOf(new RefusedError("no"))).toEqual(Array(2).fill(["another provider's line"]));
  });

  test("is complete for any other error", async () => {
    expect(await printedOf(new TypeError("no function"))).toHaveLength(4);
  });
});
