import { z } from "zod";
import { InputError } from "./errors";
import { field, objectType } from "./field";
import { isKnown, typedPart, typedPartWithUnknowns, type WithUnknowns } from "./typed";
import { UNKNOWN, type Values } from "./unknown";

const schema = z.strictObject({
  name: field(z.string().regex(/^[a-z]+$/, "must be small letters"), "A name."),
  count: field(z.number().int().optional(), "A number."),
  on: field(z.boolean().optional(), "A switch."),
  mode: field(z.enum(["a", "b"]).optional(), "One of a closed set."),
  labels: field(z.record(z.string(), z.string()).optional(), "A map."),
  parts: field(z.array(z.string()).optional(), "A list."),
  condition: field(
    objectType("C", "An object.", {
      title: field(z.string(), "T."),
      more: field(z.string().optional(), "M."),
    }).optional(),
    "An object.",
  ),
});

const whole: Values = {
  name: "x",
  count: 1,
  on: true,
  mode: "a",
  labels: { a: "b" },
  parts: ["p"],
  condition: { title: "t" },
};

/** The message of what a function throws, without its beginning. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof InputError) return error.message.replace("Cannot work with the state: ", "");
    throw error;
  }
  return "";
}

describe.each(Object.entries({ typedPart, typedPartWithUnknowns }))("%s", (_name, parse) => {
  test("accepts values of the definition's types, also where a pattern refuses them", () => {
    expect(parse(schema, whole, "the state")).toEqual(whole);
    expect(parse(schema, { ...whole, name: "NOT SMALL" }, "the state")).toMatchObject({ name: "NOT SMALL" });
  });

  test.each<[string, Values, string]>([
    ["a number for a text", { name: 1 }, "name must be a string"],
    ["a text for a number", { count: "1" }, "count must be a whole number"],
    ["a fraction", { count: 1.5 }, "count must be a whole number"],
    ["a text for a switch", { on: "true" }, "on must be true or false"],
    ["a text outside a closed set", { mode: "c" }, "mode must be a string"],
    ["a list for a map", { labels: [] }, "labels must be a map of strings"],
    ["a number in a map", { labels: { a: 1 } }, "labels.a must be a string"],
    ["a map for a list", { parts: {} }, "parts must be a list"],
    ["a number in a list", { parts: ["p", 2] }, "parts[1] must be a string"],
    ["a text for an object", { condition: "t" }, "condition must be an object"],
    ["an object that lacks a property", { condition: { more: "m" } }, "condition.title is missing"],
    ["several", { name: 1, on: 1 }, "name must be a string; on must be true or false"],
  ])("refuses %s by the property's name", (_what, wrong, message) => {
    expect(refusal(() => parse(schema, { ...whole, ...wrong }, "the state"))).toBe(message);
  });

  test("quotes no value, which may be a secret", () => {
    expect(refusal(() => parse(schema, { ...whole, count: "canary" }, "the state"))).not.toContain("canary");
  });

  test("keeps properties that the definition does not have", () => {
    const more = {
      ...whole,
      __pending: { operation: "o" },
      fromElsewhere: 1,
      condition: { title: "t", location: "l" },
    };
    expect(parse(schema, more, "the state")).toEqual(more);
  });

  test("drops null and undefined, and accepts missing properties", () => {
    expect(
      parse(schema, { name: "x", count: null, labels: undefined, condition: { title: "t", more: null } }, ""),
    ).toEqual({ name: "x", condition: { title: "t" } });
    expect(parse(schema, {}, "")).toEqual({});
  });
});

const unknowns: Values = { name: UNKNOWN, labels: { a: UNKNOWN }, parts: [UNKNOWN], condition: { title: UNKNOWN } };

test("typedPartWithUnknowns accepts unknown values at any depth", () => {
  expect(typedPartWithUnknowns(schema, unknowns, "the state")).toEqual(unknowns);
});

test("typedPart refuses unknown values", () => {
  expect(refusal(() => typedPart(schema, unknowns, "the state"))).toBe(
    "name is not known yet; labels.a is not known yet; parts[0] is not known yet; condition.title is not known yet",
  );
});

test("isKnown narrows to values without an unknown at any depth", () => {
  const values: WithUnknowns<{ name: string; condition?: { title: string } }> = {
    name: "x",
    condition: { title: "t" },
  };
  const title: string | undefined = isKnown(values) ? values.condition?.title : "unknown";
  expect(title).toBe("t");
  expect(isKnown({ name: "x", condition: { title: UNKNOWN } })).toBe(false);
  expect(isKnown({ name: UNKNOWN })).toBe(false);
});
