import { UNKNOWN } from "../core/unknown";
import { ENGINE_UNKNOWN, fromEngineUnknowns, isEngineUnknown, toEngineUnknowns } from "./unknowns";

test.each([
  ["string", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"],
  ["bool", "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"],
  ["number", "3eeb2bf0-c639-47a8-9e75-3b44932eb421"],
  ["array", "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2"],
  ["object", "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"],
])("the engine's unknown %s is unknown at any depth", (_type, spelling) => {
  expect(isEngineUnknown(spelling)).toBe(true);
  expect(fromEngineUnknowns({ a: spelling, b: [1, spelling], c: { d: spelling }, e: "known" })).toEqual({
    a: UNKNOWN,
    b: [1, UNKNOWN],
    c: { d: UNKNOWN },
    e: "known",
  });
});

test("the conversion to the engine's form and back changes nothing", () => {
  const values = { a: UNKNOWN, b: { c: [UNKNOWN, "x", null, 0] } };
  expect(toEngineUnknowns(values)).toEqual({ a: ENGINE_UNKNOWN, b: { c: [ENGINE_UNKNOWN, "x", null, 0] } });
  expect(fromEngineUnknowns(toEngineUnknowns(values))).toEqual(values);
});
