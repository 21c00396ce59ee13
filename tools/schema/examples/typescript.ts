import { entriesOf, pathOf, quoted, type Entry, type ExampleProgram, type Notation } from "./program";

const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const notation: Notation = {
  text: quoted,
  number: String,
  boolean: String,
  list: (items) => `[${items.join(", ")}]`,
  map: (entries) => `{ ${entries.map(([name, value]) => `${key(name)}: ${value}`).join(", ")} }`,
  object: (entries, _object, depth) => block(entries, depth),
};

/** The program in TypeScript. @param packageName the npm package: that of the npm front, or of the plugin's SDK. */
export function typescriptExample(program: ExampleProgram, packageName: string): string {
  const { definition, example } = program;
  const { kind, service, name } = definition;
  const path = `perimeter.${service.module.replaceAll("/", ".")}.${name}`;
  const args = block(entriesOf(program, notation, 1), 0);
  const made = kind === "resource" ? `new ${path}("${example.variable}", ${args})` : `${path}Output(${args})`;
  const outputs = Object.entries(example.outputs).map(
    ([output, from]) => `export const ${output} = ${[example.variable, ...pathOf(from)].join(".")};\n`,
  );
  return (
    `import * as perimeter from "${packageName}";\n\n` + `const ${example.variable} = ${made};\n\n${outputs.join("")}`
  );
}

function block(entries: readonly Entry[], depth: number): string {
  const indent = "  ".repeat(depth);
  return `{\n${entries.map(([name, value]) => `${indent}  ${name}: ${value},\n`).join("")}${indent}}`;
}
