import type { z } from "zod";
import type { Example, LookupDefinition, ResourceDefinition } from "../../../provider/core/definition";
import { propertyOf, shapeOf } from "../../../provider/core/field";
import type { Values } from "../../../provider/core/unknown";

/** An example with its definition: all that a language needs to write the program. */
export interface ExampleProgram {
  readonly definition: ResourceDefinition | LookupDefinition;
  readonly example: Example;
}

/** How a language writes the values of an example. */
export interface Notation {
  text(value: string): string;
  number(value: number): string;
  boolean(value: boolean): string;
  list(items: readonly string[]): string;
  map(entries: readonly Entry[]): string;
  /** @param object the type, which has a name in some languages. */
  object(entries: readonly Entry[], object: z.ZodObject, depth: number): string;
}

/** The name of a property and its value in the language. */
export type Entry = readonly [name: string, value: string];

/** The values of an example in its order, each in the language. @param depth of their lines, in indents. */
export function entriesOf({ definition, example }: ExampleProgram, notation: Notation, depth: number): Entry[] {
  return propertyEntries(argumentsOf(definition), example.values, notation, depth);
}

/** The schema of a resource's inputs or a lookup's arguments. */
export function argumentsOf(definition: ResourceDefinition | LookupDefinition): z.ZodObject {
  return definition.kind === "resource" ? definition.inputs : definition.args;
}

/** @throws Error for a value that is not in the definition. */
function propertyEntries(object: z.ZodObject, values: Values, notation: Notation, depth: number): Entry[] {
  return Object.entries(values).map(([name, value]) => {
    const schema = propertyOf(object, name);
    if (schema === undefined) throw new Error(`An example has the property ${name}, which is not in its definition`);
    return [name, written(schema, value, notation, depth)];
  });
}

function written(schema: z.ZodType, value: unknown, notation: Notation, depth: number): string {
  const shape = shapeOf(schema);
  switch (shape.kind) {
    case "string":
      return notation.text(String(value));
    case "integer":
      return notation.number(Number(value));
    case "boolean":
      return notation.boolean(value === true);
    case "list":
      return notation.list((value as unknown[]).map((each) => written(shape.element, each, notation, depth)));
    case "map":
      return notation.map(
        Object.entries(value as Values).map(([key, each]) => [key, written(shape.element, each, notation, depth)]),
      );
    case "object": {
      const entries = propertyEntries(shape.object, value as Values, notation, depth + 1);
      return notation.object(entries, shape.object, depth);
    }
  }
}

/** A string literal of TypeScript and Python, in single quotes if it contains double quotes. */
export function quoted(value: string): string {
  return value.includes('"') && !/['\\\n]/.test(value) ? `'${value}'` : JSON.stringify(value);
}

/** The parts of an output's path: `state.code`. */
export function pathOf(output: string): string[] {
  return output.split(".");
}

/** `firewallEndpoint` -> `firewall_endpoint`, as Pulumi names properties in Python. */
export function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** `firewallEndpoint` -> `FirewallEndpoint`, as Pulumi names properties in Go. */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
