import type { ResourceDefinition } from "../../provider/core/definition";
import { EXAMPLE_LANGUAGES, fenced, NPM_SDK } from "../schema/examples";
import { withMarked } from "./markdown";

/** A document with the first example of a resource between its two marks, a tab for each language in Pulumi's registry. */
export function withRegistryExample(document: string, definition: ResourceDefinition): string {
  const [example] = definition.documentation.examples;
  if (example === undefined) throw new Error(`${definition.name} has no example`);
  const tabs = EXAMPLE_LANGUAGES.map(
    (language) =>
      `{{% choosable language ${language} %}}\n\n${fenced(language, definition, example, NPM_SDK)}\n\n{{% /choosable %}}\n`,
  );
  const text = `{{< chooser language "${EXAMPLE_LANGUAGES.join(",")}" >}}\n${tabs.join("")}\n{{< /chooser >}}`;
  return withMarked(document, "example", text);
}
