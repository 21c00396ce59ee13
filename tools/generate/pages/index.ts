import {
  PACKAGE_NAME,
  tokenOf,
  type LookupDefinition,
  type ResourceDefinition,
} from "../../../provider/core/definition";
import { snakeCase } from "../../schema/examples/program";
import { table } from "../markdown";
import { lookupPage } from "./lookup";
import { resourcePage } from "./resource";

/** The folder of the generated pages. */
export const PAGES = "docs/resources";

type Definition = ResourceDefinition | LookupDefinition;

/** A page for each resource and lookup, and their index, by path from the root of the repository. */
export function resourcePages(
  resources: readonly ResourceDefinition[],
  lookups: readonly LookupDefinition[],
): Map<string, string> {
  return new Map([
    [`${PAGES}/README.md`, index(resources, lookups)],
    ...resources.map((each): [string, string] => [`${PAGES}/${pathOf(each)}`, resourcePage(each)]),
    ...lookups.map((each): [string, string] => [`${PAGES}/${pathOf(each)}`, lookupPage(each)]),
  ]);
}

/** Follows the nesting of modules: `networksecurity/v1beta1/firewall-endpoint-association.md`. */
function pathOf({ service, name }: Definition): string {
  return `${service.module}/${snakeCase(name).replaceAll("_", "-")}.md`;
}

function index(resources: readonly ResourceDefinition[], lookups: readonly LookupDefinition[]): string {
  const rows = (definitions: readonly Definition[]) =>
    definitions.map((each) => [
      `[${each.name}](${pathOf(each)})`,
      `\`${tokenOf(each)}\``,
      each.service.title,
      each.description.replace(/\.\s[^]*|\.$/, "."),
    ]);
  const head = ["Page", "Token", "API", "What it does"];
  return `<!-- Written by \`make generate\` from the definitions in provider/services/: do not edit. -->

# Resources and lookups

Each page has examples in TypeScript, Python, Go and YAML, inputs and outputs, what a change does, the errors with what to
do about them, and the permissions that the caller needs.

## Resources

${table(head, rows(resources))}
## Lookups

${table(head, rows(lookups))}
## To run an example

An example is a whole program: \`index.ts\`, \`__main__.py\`, \`main.go\` or \`Pulumi.yaml\` of a Pulumi project. The names in it
are in the emulator's demo project, except those of new resources. In the folder of the project, with
[the command](../guides/quick-start.md#the-command):

\`\`\`sh
perimeter emulator --port 8790 &
export PERIMETER_EMULATOR_HOST=127.0.0.1:8790
pulumi config set ${PACKAGE_NAME}:project demo-project
pulumi config set ${PACKAGE_NAME}:grantMode merge
pulumi up
\`\`\`

Without \`PERIMETER_EMULATOR_HOST\` the same program sends its requests to Google Cloud. [The two fronts](../fronts.md) says what to install for
each language, and [Configuration](../configuration.md) what else can be set.
`;
}
