import * as z from "zod";
import { field, metaOf, propertiesOf, shapeOf } from "./field";

test("what a schema says is read once", () => {
  const properties = { name: field(z.string(), "The name."), tags: field(z.array(z.string()).optional(), "The tags.") };
  const object = z.strictObject(properties);
  expect(propertiesOf(object)).toBe(propertiesOf(object));
  expect(propertiesOf(object)).toEqual(Object.entries(properties));
  expect(shapeOf(properties.tags)).toBe(shapeOf(properties.tags));
});

test("a schema that is made from a property has none of its metadata", () => {
  const name = field(z.string(), "The name.", { change: "replace" });
  const longer = field(name.min(3), "A longer name.");
  expect(metaOf(longer)).toEqual({ description: "A longer name." });
  expect(() => metaOf(name.min(4))).toThrow("has no description");
});
