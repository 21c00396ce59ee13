import { tokenOf, type ResourceDefinition } from "../../../provider/core/definition";
import { metaOf, requiredProperties, type ChangeEffect } from "../../../provider/core/field";
import { DEFAULT_TIMEOUTS } from "../../../provider/http/call";
import { codes, table } from "../markdown";
import { argumentTable, changeOf, inputTable, resultTable } from "./properties";
import { DOCS, errorSection, exampleSection, heading, inputsWhere, permissionSection, typeSection } from "./sections";

const SPELLINGS =
  "\nA different spelling of the same resource name, such as a full URL in place of the relative name, is not a change.\n";

/** The page of one resource. */
export function resourcePage(definition: ResourceDefinition): string {
  const { inputs, outputs } = definition;
  const parts = [
    heading(definition),
    exampleSection(definition),
    `## Inputs\n\n${inputTable(inputs)}${secrets(definition)}`,
    outputSection(definition),
    typeSection([inputs, outputs], true),
    changeSection(definition),
    errorSection(definition),
    importSection(definition),
    listSection(definition),
    permissionSection(definition),
    timeoutSection(),
  ];
  return parts.filter((each) => each !== "").join("\n");
}

function secrets({ inputs }: ResourceDefinition): string {
  const secret = inputsWhere(inputs, (schema) => metaOf(schema).secret === true);
  const always =
    secret.length > 0 ? `${codes(secret)} is always secret. ` : "An input is secret only if the program marks it. ";
  return `\n${always}Values that the program marks as secret are encrypted in the state. [The two fronts](${DOCS}/fronts.md) describes\nsecret outputs.\n`;
}

function outputSection({ outputs, computedInputs }: ResourceDefinition): string {
  const omitted =
    computedInputs.length > 0
      ? ` ${codes(computedInputs)} ${computedInputs.length > 1 ? "have" : "has"} a value even if the program gives none.`
      : "";
  return `## Outputs

Every input is also an output.${omitted} \`id\` is the first form under [Import](#import).

${resultTable("Output", outputs)}`;
}

function changeSection({ inputs }: ResourceDefinition): string {
  const effects: [ChangeEffect, string][] = [
    ["replace", "A change **replaces** the resource"],
    ["update", "A change **updates** it in place"],
    ["none", "A change has **no effect**"],
  ];
  const lines = effects.flatMap(([effect, says]) => {
    const those = inputsWhere(inputs, (schema) => changeOf(schema) === effect);
    return those.length > 0 ? [`- ${says}: ${codes(those)}.`] : [];
  });
  return `## What a change does

${lines.join("\n")}
${inputsWhere(inputs, (schema) => metaOf(schema).reference !== undefined).length > 0 ? SPELLINGS : ""}`;
}

function importSection(definition: ResourceDefinition): string {
  const { name, importIds } = definition;
  const commands = importIds.map((id) => `pulumi import ${tokenOf(definition)} example ${id}`);
  return `## Import

\`\`\`sh
${commands.join("\n")}
\`\`\`

${importIds.some((id) => id.includes("[")) ? "Parts in square brackets are optional. " : ""}With a CLI that \`make\` built, add
\`--generate-code=false\`. The npm package has no \`pulumi import\`; there,
\`${name}.get("example", id)\` reads what exists.
`;
}

/** How to list what is in the cloud, with the CLI of Pulumi: what it is asked for are the flags of the command. */
function listSection(definition: ResourceDefinition): string {
  const { listInputs, name } = definition;
  if (!listInputs) return "";
  const flags = requiredProperties(listInputs).map((each) => ` --${each} {${each}}`);
  return `## List

\`\`\`sh
pulumi do ${tokenOf(definition)} list${flags.join("")} --all
\`\`\`

prints the \`id\` of each ${name} in the cloud, in the first form under [Import](#import), and a \`name\` for it in a
program. [Without a program](${DOCS}/guides/without-a-program.md) shows how to import what a list has.

${argumentTable("Input", listInputs)}`;
}

function timeoutSection(): string {
  const minutes = (ms: number) => `${ms / 60_000} minutes`;
  const { create, update, delete: remove, read } = DEFAULT_TIMEOUTS;
  return `## Timeouts

${table(
  ["Create", "Update", "Delete", "Refresh and import"],
  [[minutes(create), minutes(update), minutes(remove), minutes(read)]],
)}
With the plugin, the resource option \`customTimeouts\` sets the first three; Pulumi ignores it for the npm package. When
the time is over, an operation that has begun may continue in the cloud. The next \`pulumi up\` reads its result.
`;
}
