import fc from "fast-check";
import { RPC_STATUSES } from "../../../core/errors";
import { conditionText } from "./conditions";

test.each([
  [{ code: "NOT_FOUND", message: "The channel is gone." }, "NOT_FOUND: The channel is gone."],
  [{ code: "NOT_FOUND" }, "NOT_FOUND"],
  [{ message: "fine" }, "OK: fine"],
  [{}, "OK"],
  [{ code: "INTERNAL", message: "a: b: c" }, "INTERNAL: a: b: c"],
])("%j reads %s", (wire, text) => {
  expect(conditionText.fromWire(wire)).toBe(text);
});

test("neither code nor message is ever lost", () => {
  const codes = fc.constantFrom("OK", ...Object.keys(RPC_STATUSES));
  fc.assert(
    fc.property(codes, fc.string({ minLength: 1, unit: "grapheme" }), (code, message) => {
      expect(conditionText.toWire(conditionText.fromWire({ code, message }))).toEqual({ code, message });
    }),
  );
});

test("what is no condition is refused", () => {
  expect(() => conditionText.fromWire("NOT_FOUND")).toThrow("should be a map of objects");
});
