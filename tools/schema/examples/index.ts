import type { Example, LookupDefinition, ResourceDefinition } from "../../../provider/core/definition";
import { goExample } from "./go";
import { pythonExample } from "./python";
import { typescriptExample } from "./typescript";
import { yamlExample } from "./yaml";

/** The npm packages that a TypeScript program can import: the same modules and names in both. */
export const NPM_FRONT = "pulumi-perimeter";
export const NPM_SDK = "pulumi-perimeter-sdk";

/** A language of the examples, named as in code fences and Pulumi's registry. */
export type ExampleLanguage = "typescript" | "python" | "go" | "yaml";

export const EXAMPLE_LANGUAGES: readonly ExampleLanguage[] = ["typescript", "python", "go", "yaml"];

/**
 * An example in one language, ready to be run.
 *
 * @param npmPackage what the TypeScript program imports.
 */
export function exampleIn(
  language: ExampleLanguage,
  definition: ResourceDefinition | LookupDefinition,
  example: Example,
  npmPackage: string,
): string {
  const program = { definition, example };
  switch (language) {
    case "typescript":
      return typescriptExample(program, npmPackage);
    case "python":
      return pythonExample(program);
    case "go":
      return goExample(program);
    case "yaml":
      return yamlExample(program);
  }
}

/**
 * The examples of a definition in the form of Pulumi's schema: SDK generators keep the examples of their language, and the
 * registry shows a tab for each language.
 */
export function examplesForSchema(definition: ResourceDefinition | LookupDefinition): string {
  const parts = definition.documentation.examples.map((example) => {
    const programs = EXAMPLE_LANGUAGES.map((language) => fenced(language, definition, example, NPM_SDK));
    return `{{% example %}}\n\n${headed(example)}${programs.join("\n\n")}\n{{% /example %}}\n`;
  });
  return `{{% examples %}}\n## Example Usage\n\n${parts.join("\n")}{{% /examples %}}`;
}

/** An example's program between fences. */
export function fenced(
  language: ExampleLanguage,
  definition: ResourceDefinition | LookupDefinition,
  example: Example,
  npmPackage: string,
): string {
  return `\`\`\`${language}\n${exampleIn(language, definition, example, npmPackage)}\`\`\``;
}

/** The title of an example as a heading, and its introduction. */
export function headed({ title, text }: Example): string {
  return `### ${title}\n\n${text === undefined ? "" : `${text}\n\n`}`;
}
