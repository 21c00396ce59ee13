import { tokenOf, type LookupDefinition } from "../../../provider/core/definition";
import { pascalCase, snakeCase } from "../../schema/examples/program";
import { DEFAULT_TIMEOUTS } from "../../../provider/http/call";
import { table } from "../markdown";
import { argumentTable, resultTable } from "./properties";
import { errorSection, exampleSection, heading, permissionSection, typeSection } from "./sections";

/** The page of one lookup. */
export function lookupPage(definition: LookupDefinition): string {
  const { args, result } = definition;
  const parts = [
    heading(definition),
    exampleSection(definition),
    formSection(definition),
    `## Arguments\n\n${argumentTable("Argument", args)}`,
    `## Result\n\nEvery property is always present.\n\n${resultTable("Property", result)}`,
    typeSection([args, result], false),
    errorSection(definition),
    permissionSection(definition),
    `## Timeouts\n\nA call takes ${DEFAULT_TIMEOUTS.lookup / 60_000} minutes at most, including retries.\n`,
  ];
  return parts.filter((each) => each !== "").join("\n");
}

function formSection(definition: LookupDefinition): string {
  const { name } = definition;
  const go = name.replace(/^get/, "Lookup");
  const rows = [
    ["TypeScript", `\`${name}(args)\`: a promise`, `\`${name}Output(args)\`: an \`Output\``],
    ["Python", `\`${snakeCase(name)}(...)\``, `\`${snakeCase(name)}_output(...)\`: an \`Output\``],
    [
      "Go",
      `\`${go}(ctx, &${go}Args{})\``,
      `\`${go}Output(ctx, ${go}OutputArgs{})\`: \`${pascalCase(go)}ResultOutput\``,
    ],
    ["YAML", "", `\`fn::invoke\` of \`${tokenOf(definition)}\``],
  ];
  return `## Two forms

The direct form takes plain values, and the program continues when the answer has arrived. The output form also takes outputs
of other resources, and returns an output. Both have the same arguments and the same result.

${table(["", "Direct", "Output"], rows)}`;
}
