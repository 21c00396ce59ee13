/** What Pulumi's dynamic server is given of a failure. */
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

test("an error of the provider, without the secret and the stack", async () => {
  const shown = await shownOf(new RefusedError(`Nobody knows ${SECRET}`));
  expect(shown).toBeInstanceOf(RefusedError);
  expect(shown).toMatchObject({ code: "REFUSED", message: "Nobody knows [secret]", stack: "(no stack)" });
});

test("any other error, without the secret, and with its stack", async () => {
  const shown = await shownOf(new TypeError(`${SECRET} is no function`));
  expect(shown).toMatchObject({ name: "TypeError", message: "[secret] is no function" });
  expect((shown as Error).stack).toMatch(/^TypeError: \[secret\] is no function\n +at /);
  expect(String(await shownOf(SECRET))).toBe("Error: [secret]");
});

test("what is not ready, with all that the engine keeps of it", async () => {
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

test("the error itself stays as it is", async () => {
  const error = new NotReadyError("the-id", {}, [SECRET], { cause: new Error(SECRET) });
  const { stack } = error;
  await shownOf(error);
  expect(error).toMatchObject({ message: SECRET, reasons: [SECRET], stack });
});

test("the reasons of a check, and the secrets among the defaults that it fills in", async () => {
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
