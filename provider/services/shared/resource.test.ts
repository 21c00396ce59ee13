import { z } from "zod";
import { defineResource } from "../../core/definition";
import { field } from "../../core/field";
import type { AnyLifecycle, Prior } from "../../core/lifecycle";
import { connected } from "./resource";

const thing = defineResource({
  service: { module: "toys/v1", api: "toys", version: "v1", title: "Toys API", endpointKeys: [] },
  name: "Thing",
  description: "A thing.",
  documentation: { examples: [], permissions: [], errors: [] },
  inputs: z.strictObject({ name: field(z.string(), "N."), size: field(z.number().int().optional(), "S.") }),
  outputs: z.object({ etag: field(z.string(), "E.") }),
  computedInputs: [],
  idContains: [],
  importIds: ["{name}"],
  aliases: [],
});

const recognize = jest.fn((remembered: Prior) => ({ ...remembered, id: remembered.id.trim() }));
beforeEach(() => recognize.mockClear());
const resource = connected(thing, { recognize } as unknown as AnyLifecycle<unknown>);

test("a lifecycle recognizes the state with all of its properties, and the old inputs when the engine keeps them", () => {
  const state = { name: "x", __pending: { operation: "o" } };
  expect(resource.recognize({ id: " x ", state })).toEqual({ id: "x", state });
  expect(resource.recognize({ id: "x", state: {}, inputs: {} })).toEqual({ id: "x", state: {}, inputs: {} });
});

const token = "perimeter:toys/v1:Thing";

test.each<[string, Prior, string]>([
  [
    "an input in the state of another type",
    { id: "x", state: { size: "1" } },
    `Cannot work with the state of this ${token}: size must be a whole number`,
  ],
  [
    "an output in the state of another type",
    { id: "x", state: { etag: 1 } },
    `Cannot work with the state of this ${token}: etag must be a string`,
  ],
  [
    "an old input of another type",
    { id: "x", inputs: { name: [] }, state: {} },
    `Cannot work with the old inputs of this ${token}: name must be a string`,
  ],
])("%s is refused before the lifecycle gets it", (_what, prior, message) => {
  expect(() => resource.recognize(prior)).toThrow(message);
  expect(recognize).not.toHaveBeenCalled();
});

test("typedState refuses a value of another type", () => {
  expect(() => resource.typedState({ size: "1" })).toThrow("size must be a whole number");
});
