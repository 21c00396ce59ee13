import { entriesOf, pathOf, quoted, snakeCase, type ExampleProgram, type Notation } from "./program";

const notation: Notation = {
  text: quoted,
  number: String,
  boolean: (value) => (value ? "True" : "False"),
  list: (items) => `[${items.join(", ")}]`,
  map: (entries) => `{${entries.map(([name, value]) => `${quoted(name)}: ${value}`).join(", ")}}`,
  object: (entries, _object, depth) => {
    const indent = "    ".repeat(depth);
    const lines = entries.map(([name, value]) => `${indent}    ${quoted(snakeCase(name))}: ${value},\n`);
    return `{\n${lines.join("")}${indent}}`;
  },
};

/** The program in Python, on the plugin's SDK. */
export function pythonExample(program: ExampleProgram): string {
  const { definition, example } = program;
  const { kind, service, name } = definition;
  const module = `perimeter.${service.module.replaceAll("/", ".")}`;
  const variable = snakeCase(example.variable);
  const args = entriesOf(program, notation, 1).map(([property, value]) => `    ${snakeCase(property)}=${value},\n`);
  const made =
    kind === "resource"
      ? `${module}.${name}(\n    "${example.variable}",\n${args.join("")})`
      : `${module}.${snakeCase(name)}_output(\n${args.join("")})`;
  const outputs = Object.entries(example.outputs).map(
    ([output, from]) => `pulumi.export("${output}", ${[variable, ...pathOf(from).map(snakeCase)].join(".")})\n`,
  );
  return "import pulumi\nimport pulumi_perimeter as perimeter\n\n" + `${variable} = ${made}\n\n${outputs.join("")}`;
}
