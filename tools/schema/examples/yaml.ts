import { tokenOf } from "../../../provider/core/definition";
import { entriesOf, type ExampleProgram, type Notation } from "./program";

/** Texts that need no quotes: names and principals, with colons that no blank follows. */
const PLAIN = /^[A-Za-z][\w./@-]*(?::[\w./@-]+)*$/;
const NOT_A_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

const text = (value: string) =>
  PLAIN.test(value) && !NOT_A_TEXT.test(value) ? value : `'${value.replaceAll("'", "''")}'`;

const notation: Notation = {
  text,
  number: String,
  boolean: String,
  list: (items) => `[${items.join(", ")}]`,
  map: (entries) => `{ ${entries.map(([name, value]) => `${text(name)}: ${value}`).join(", ")} }`,
  object: (entries, _object, depth) => {
    const indent = "  ".repeat(depth + 1);
    return `\n${entries.map(([name, value]) => `${indent}${line(name, value)}`).join("")}`.trimEnd();
  },
};

/** The program in YAML, a whole Pulumi.yaml. */
export function yamlExample(program: ExampleProgram): string {
  const { definition, example } = program;
  const { variable } = example;
  const token = tokenOf(definition);
  const isResource = definition.kind === "resource";
  const depth = isResource ? 3 : 4;
  const indent = "  ".repeat(depth);
  const args = entriesOf(program, notation, depth).map(([name, value]) => `${indent}${line(name, value)}`);
  const made = isResource
    ? `resources:\n  ${variable}:\n    type: ${token}\n    properties:\n${args.join("")}`
    : `variables:\n  ${variable}:\n    fn::invoke:\n      function: ${token}\n      arguments:\n${args.join("")}`;
  const outputs = Object.entries(example.outputs).map(([output, from]) => `  ${output}: \${${variable}.${from}}\n`);
  return `name: example\nruntime: yaml\n${made}outputs:\n${outputs.join("")}`;
}

function line(name: string, value: string): string {
  return `${name}:${value.startsWith("\n") ? "" : " "}${value}\n`;
}
