import {
  errorClass,
  PACKAGE_NAME,
  tokenOf,
  type LookupDefinition,
  type ResourceDefinition,
} from "../../../provider/core/definition";
import type { ErrorCode } from "../../../provider/core/errors";
import { propertiesOf, typeMetaOf } from "../../../provider/core/field";
import { EXAMPLE_LANGUAGES, fenced, headed, NPM_FRONT, NPM_SDK } from "../../schema/examples";
import { table } from "../markdown";
import { argumentTable, objectTypesIn, resultTable } from "./properties";
import type { z } from "zod";

/** The common sections of the pages of resources and lookups. */

type Definition = ResourceDefinition | LookupDefinition;

const LANGUAGE_NAMES = { typescript: "TypeScript", python: "Python", go: "Go", yaml: "YAML" } as const;

/** From a page to docs/: pages are in the folders of their module, `networksecurity/v1beta1`. */
export const DOCS = "../../..";

/** Errors that every call can have: a page lists them in one sentence. */
const ANYWHERE: readonly ErrorCode[] = [
  "CONFIGURATION",
  "CREDENTIALS",
  "CONNECTION",
  "TIMEOUT",
  "CANCELLED",
  "BAD_ANSWER",
];

export function heading(definition: Definition): string {
  const { name, service, description, documentation } = definition;
  const guide = documentation.guide;
  const more = guide === undefined ? "" : `\n\n[${guide.title}](${DOCS}/${guide.file}) has details.`;
  return `<!-- Written by \`make generate\` from the definition in provider/services/: do not edit. -->

# ${name}

\`${tokenOf(definition)}\` · ${service.title}, ${service.version}

${description}${more}
`;
}

export function exampleSection(definition: Definition): string {
  const parts = definition.documentation.examples.map((example) => {
    const programs = EXAMPLE_LANGUAGES.map(
      (language) => `**${LANGUAGE_NAMES[language]}**\n\n${fenced(language, definition, example, NPM_FRONT)}\n`,
    );
    return `${headed(example)}${programs.join("\n")}`;
  });
  return `## Examples

[How to run them](../../README.md#to-run-an-example). The TypeScript programs import the npm package. With the
plugin, import \`${NPM_SDK}\` instead: nothing else changes.

${parts.join("\n")}`;
}

/** The object types of these properties, a table for each. @param given whether a program writes them. */
export function typeSection(objects: readonly z.ZodObject[], given: boolean): string {
  const types = objectTypesIn(objects).map((object) => {
    const { typeName, description } = typeMetaOf(object);
    const properties = given ? argumentTable("Property", object) : resultTable("Property", object);
    return `### ${typeName}\n\n${description}\n\n${properties}`;
  });
  return types.length === 0 ? "" : `## Types\n\n${types.join("\n")}`;
}

export function errorSection({ kind, documentation }: Definition): string {
  const { errors } = documentation;
  const link = (code: ErrorCode) => `${DOCS}/errors.md#${code.toLowerCase()}`;
  const rows = errors.map((error) => [
    `[${error.status ?? error.code}](${link(error.code)})`,
    ...(kind === "lookup" ? [`\`${errorClass(error)}\``] : []),
    `${error.when.charAt(0).toUpperCase()}${error.when.slice(1)}.`,
    error.remedy,
  ]);
  const listed = errors.map(({ code }) => code);
  const others = ANYWHERE.filter((code) => !listed.includes(code)).map((code) => `[${code}](${link(code)})`);
  const thrown =
    kind === "lookup"
      ? " With the npm package, the promise of the direct form rejects with an error of this class; elsewhere the error has the same text."
      : "";
  return `## Errors

${table(["Error", ...(kind === "lookup" ? ["Class"] : []), "When it fails", "What to do"], rows)}
Like all resources and lookups, it can also fail with ${others.join(", ")}.${thrown}
`;
}

export function permissionSection({ kind, documentation }: Definition): string {
  const rows = documentation.permissions.map((each) => [`\`${each.permission}\``, each.on, each.for]);
  const preflight =
    kind === "resource"
      ? `\nWith \`${PACKAGE_NAME}:preflight\`, a preview asks the API which of these are missing, as far as the API can tell.\n`
      : "";
  return `## Permissions

The caller is the identity of the credentials, or the service account that is impersonated.

${table(["Permission", "On", "For"], rows)}${preflight}`;
}

/** The names of the inputs that match. */
export function inputsWhere(inputs: z.ZodObject, is: (schema: z.ZodType) => boolean): string[] {
  return propertiesOf(inputs)
    .filter(([, schema]) => is(schema))
    .map(([name]) => name);
}
