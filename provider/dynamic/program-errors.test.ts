/** The error that a program's `catch` receives. */
import * as pulumi from "@pulumi/pulumi";
import { NotFoundError, PerimeterError, RefusedError } from "../core/errors";
import { SecretTexts } from "../core/secrets";
import { asProgramError } from "./program-errors";

const SECRET = "group:secret@example.com";
const texts = new SecretTexts();
texts.add(SECRET);

const notFound = () =>
  Object.assign(new RefusedError(`No ${SECRET}`, { cause: Object.assign(new Error(SECRET), { code: "ENOENT" }) }), {
    stack: `RefusedError: No ${SECRET}\n    at own (/app/index.ts:1:1)\n    at /app/node_modules/@pulumi/output.ts:1:1`,
  });

test("the copy has the same class, without the secret and Pulumi's stack frames", () => {
  const copy = asProgramError(notFound(), texts);
  expect(copy).toBeInstanceOf(RefusedError);
  expect(copy).toBeInstanceOf(PerimeterError);
  expect(copy).not.toBeInstanceOf(NotFoundError);
  expect(copy).toMatchObject({
    code: "REFUSED",
    effect: "none",
    message: "No [secret]",
    stack: "RefusedError: No [secret]\n    at own (/app/index.ts:1:1)",
    cause: { message: "[secret]", code: "ENOENT" },
  });
});

test("the original error and its cause do not change", () => {
  const error = notFound();
  asProgramError(error, texts);
  expect(error).toMatchObject({ message: `No ${SECRET}`, cause: { message: SECRET } });
  expect(pulumi.RunError.isInstance(error)).toBe(false);
});

test("Pulumi ends the program with only the message of a provider error", () => {
  expect(pulumi.RunError.isInstance(asProgramError(notFound(), texts))).toBe(true);
  expect(pulumi.RunError.isInstance(asProgramError(new TypeError("a bug"), texts))).toBe(false);
});

test("a value that is not an error does not change", () => {
  expect(asProgramError("text", texts)).toBe("text");
});
