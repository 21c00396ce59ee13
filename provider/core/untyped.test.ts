import { z } from "zod";
import { defineResource, type InputsOf, type StateOf } from "./definition";
import { InputError } from "./errors";
import { field } from "./field";
import type { PriorOf, ResourceLifecycle } from "./lifecycle";
import { isKnown, type WithUnknowns } from "./typed";
import { UNKNOWN } from "./unknown";
import { untypedLifecycle } from "./untyped";

const thing = defineResource({
  service: { module: "toys/v1", api: "toys", version: "v1", title: "Toys API", endpointKeys: [] },
  name: "Thing",
  description: "A thing.",
  documentation: { examples: [], permissions: [], errors: [] },
  inputs: z.strictObject({ name: field(z.string(), "N."), size: field(z.number().int().optional(), "S.") }),
  outputs: z.object({ etag: field(z.string(), "E.") }),
  presentWhenOmitted: [],
  idShows: [],
  importIds: ["{name}"],
  aliases: [],
});

type Thing = typeof thing;
type Inputs = InputsOf<Thing>;

/** Keeps what it was called with. */
class Toy implements ResourceLifecycle<Thing, PriorOf<Thing>, string> {
  readonly calls: unknown[] = [];

  idOf(state: Partial<StateOf<Thing>>): string | undefined {
    return state.name;
  }
  recognize(prior: PriorOf<Thing>): PriorOf<Thing> {
    return { ...prior, id: prior.id.trim() };
  }
  diff(prior: PriorOf<Thing>, inputs: WithUnknowns<Partial<Inputs>>) {
    this.calls.push(["diff", prior, inputs, isKnown(inputs)]);
    return { action: "none" } as const;
  }
  plan(inputs: WithUnknowns<Inputs>): WithUnknowns<StateOf<Thing>> {
    return { ...inputs, etag: UNKNOWN };
  }
  create(inputs: Inputs) {
    return Promise.resolve({ id: inputs.name, state: { ...inputs, etag: "1" } });
  }
  read(prior: PriorOf<Thing>) {
    this.calls.push(["read", prior]);
    return Promise.resolve(undefined);
  }
  import(id: string) {
    this.calls.push(["import", id]);
    return Promise.resolve(undefined);
  }
  update(prior: PriorOf<Thing>, inputs: Inputs) {
    this.calls.push(["update", prior]);
    return Promise.resolve({ ...inputs, etag: "2" });
  }
  delete(prior: PriorOf<Thing>) {
    this.calls.push(["delete", prior]);
    return Promise.resolve();
  }
}

let toy: Toy;
const lifecycle = () => untypedLifecycle(thing, toy);
beforeEach(() => void (toy = new Toy()));

test("hands on what is remembered, recognized, with what the lifecycle keeps for itself", async () => {
  const state = { name: "x", __pending: { operation: "o" } };
  await lifecycle().delete({ id: " x ", state }, "call");
  await lifecycle().update({ id: "x", state: {}, inputs: {} }, { name: "x" }, "call");
  expect(toy.calls).toEqual([
    ["delete", { id: "x", state }],
    ["update", { id: "x", state: {}, inputs: {} }],
  ]);
});

test("a read of what is remembered is a read, and any other an import", async () => {
  await lifecycle().read(" x ", { state: { name: "x" } }, "call");
  await lifecycle().read(" x ", undefined, "call");
  expect(toy.calls).toEqual([
    ["read", { id: "x", state: { name: "x" } }],
    ["import", " x "],
  ]);
});

test("a diff takes inputs that are unknown, and those of a state that lacks some", () => {
  lifecycle().diff({ id: "x", state: {} }, { name: UNKNOWN });
  lifecycle().diff({ id: "x", state: {} }, {});
  expect(toy.calls).toEqual([
    ["diff", { id: "x", state: {} }, { name: UNKNOWN }, false],
    ["diff", { id: "x", state: {} }, {}, true],
  ]);
});

test("what a lifecycle does not define does nothing", async () => {
  expect(lifecycle().check({ name: "x" })).toEqual([]);
  expect(lifecycle().collides({ id: "x", state: {} }, { name: "x" })).toBe(false);
  await expect(lifecycle().preflight({ name: "x" }, "call")).resolves.toEqual([]);
  await expect(lifecycle().previewCreate({ name: UNKNOWN }, [], "call")).resolves.toBeUndefined();
});

const token = "perimeter:toys/v1:Thing";

test.each<[string, () => Promise<unknown>, string]>([
  [
    "inputs of another type",
    () => lifecycle().create({ name: 1 }, "call"),
    `Cannot work with the inputs of this ${token}: name must be a string`,
  ],
  [
    "inputs that are missing",
    () => lifecycle().create({}, "call"),
    `Cannot work with the inputs of this ${token}: name is missing`,
  ],
  [
    "inputs that are unknown where something is made",
    () => lifecycle().create({ name: UNKNOWN }, "call"),
    `Cannot work with the inputs of this ${token}: name is not known yet`,
  ],
  [
    "an input in the state of another type",
    () => lifecycle().delete({ id: "x", state: { size: "1" } }, "call"),
    `Cannot work with the state of this ${token}: size must be a whole number`,
  ],
  [
    "an output in the state of another type",
    () => lifecycle().read("x", { state: { etag: 1 } }, "call"),
    `Cannot work with the state of this ${token}: etag must be a string`,
  ],
  [
    "old inputs of another type",
    () => lifecycle().update({ id: "x", inputs: { name: [] }, state: {} }, { name: "x" }, "call"),
    `Cannot work with the old inputs of this ${token}: name must be a string`,
  ],
])("refuses %s", async (_what, run, message) => {
  const error: unknown = await run().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InputError);
  expect(error instanceof Error && error.message).toBe(message);
  expect(toy.calls).toEqual([]);
});
