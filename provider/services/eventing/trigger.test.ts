import fc from "fast-check";
import { RPC_STATUSES } from "../../core/errors";
import { conditionText } from "./trigger";

test.each([
  [{ code: "NOT_FOUND", message: "The channel is gone." }, "NOT_FOUND: The channel is gone."],
  [{ code: "NOT_FOUND" }, "NOT_FOUND"],
  [{ message: "fine" }, "OK: fine"],
  [{}, "OK"],
  [{ code: "INTERNAL", message: "a: b: c" }, "INTERNAL: a: b: c"],
])("the condition %j becomes the text %s", (wire, text) => {
  expect(conditionText.fromWire(wire)).toBe(text);
});

test("the text always keeps the code and the message", () => {
  const codes = fc.constantFrom("OK", ...Object.keys(RPC_STATUSES));
  fc.assert(
    fc.property(codes, fc.string({ minLength: 1, unit: "grapheme" }), (code, message) => {
      expect(conditionText.toWire(conditionText.fromWire({ code, message }))).toEqual({ code, message });
    }),
  );
});

test("refuses a value that is not a condition", () => {
  expect(() => conditionText.fromWire("NOT_FOUND")).toThrow("should be a map of objects");
});
