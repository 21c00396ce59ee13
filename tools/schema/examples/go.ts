import { typeMetaOf } from "../../../provider/core/field";
import { GO_ROOT } from "../languages";
import { entriesOf, pascalCase, pathOf, type Entry, type ExampleProgram, type Notation } from "./program";

/** The indentation of a program's arguments, which are in a nested function. */
const DEPTH = 2;

/** @param alias of the package with the types of nested objects. */
function notationOf(alias: string): Notation {
  const text = (value: string) =>
    /["\\]/.test(value) && !value.includes("`") ? `\`${value}\`` : JSON.stringify(value);
  return {
    text: (value) => `pulumi.String(${text(value)})`,
    number: (value) => `pulumi.Int(${value})`,
    boolean: (value) => `pulumi.Bool(${value})`,
    list: (items) => `${collectionOf(items, "Array")}{${items.join(", ")}}`,
    map: (entries) => {
      const values = entries.map(([, value]) => value);
      return `${collectionOf(values, "Map")}{${entries.map(([name, value]) => `${text(name)}: ${value}`).join(", ")}}`;
    },
    object: (entries, object, depth) => {
      const indent = "\t".repeat(depth);
      return `&${alias}.${typeMetaOf(object).typeName}Args{\n${fields(entries, depth + 1)}${indent}}`;
    },
  };
}

/** The type of a list or map of strings. Examples contain no other lists and maps so far. */
function collectionOf(values: readonly string[], kind: "Array" | "Map"): string {
  if (values.every((each) => each.startsWith("pulumi.String("))) return `pulumi.String${kind}`;
  throw new Error("Go examples support only lists and maps of strings: add other types to tools/schema/examples/go.ts");
}

/** Fields of a struct, with one-line values aligned like gofmt. */
function fields(entries: readonly Entry[], depth: number): string {
  const names = entries.map(([name, value]) => ({ name: pascalCase(name), value, lines: value.split("\n").length }));
  return names
    .map(({ name, value, lines }, index) => {
      const begin = names.slice(0, index).findLastIndex((each) => each.lines > 1) + 1;
      const after = names.slice(index).findIndex((each) => each.lines > 1);
      const together = names.slice(begin, after < 0 ? undefined : index + after);
      const width = lines > 1 ? name.length : Math.max(...together.map((each) => each.name.length));
      return `${"\t".repeat(depth)}${`${name}:`.padEnd(width + 1)} ${value},\n`;
    })
    .join("");
}

/** The program in Go, on the plugin's SDK. */
export function goExample(program: ExampleProgram): string {
  const { definition, example } = program;
  const { kind, service, name } = definition;
  const [alias = ""] = service.module.split("/");
  const args = fields(entriesOf(program, notationOf(alias), DEPTH + 1), DEPTH + 1);
  const { variable } = example;
  const lookup = name.replace(/^get/, "Lookup");
  const made =
    kind === "resource"
      ? `\t\t${variable}, err := ${alias}.New${name}(ctx, "${variable}", &${alias}.${name}Args{\n${args}\t\t})\n` +
        "\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n"
      : `\t\t${variable} := ${alias}.${lookup}Output(ctx, ${alias}.${lookup}OutputArgs{\n${args}\t\t})\n`;
  const outputs = Object.entries(example.outputs).map(([output, from]) => {
    const call = kind === "lookup" ? "()" : "";
    const path = pathOf(from).map((part, index) => `.${pascalCase(part)}${index > 0 ? "()" : call}`);
    return `\t\tctx.Export("${output}", ${variable}${path.join("")})\n`;
  });
  return (
    `package main\n\nimport (\n\t${alias} "${GO_ROOT}/${service.module}"\n` +
    '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"\n)\n\n' +
    "func main() {\n\tpulumi.Run(func(ctx *pulumi.Context) error {\n" +
    `${made}${outputs.join("")}\t\treturn nil\n\t})\n}\n`
  );
}
