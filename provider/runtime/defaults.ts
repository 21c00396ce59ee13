import { environmentOf, configuration } from "../core/config/definition";
import { metaOf, propertiesOf, type ConfigDefault } from "../core/field";
import type { Problem } from "../core/problem";
import type { Values } from "../core/unknown";
import type { z } from "zod";

/** Where the defaults of inputs come from. */
export interface DefaultSource {
  /** The value of a configuration key, wherever it is set; undefined where it is not. */
  defaultOf(key: ConfigDefault): Promise<string | undefined>;
}

/** The values with those that the configuration supplies, and a problem for each that nothing supplies. */
export async function withDefaults(
  schema: z.ZodObject,
  values: Values,
  source: DefaultSource,
): Promise<{ values: Values; problems: Problem[] }> {
  const result: Values = { ...values };
  const problems: Problem[] = [];
  for (const [name, property] of propertiesOf(schema)) {
    const { defaultFrom } = metaOf(property);
    if (defaultFrom === undefined || values[name] !== undefined) continue;
    const value = await source.defaultOf(defaultFrom);
    if (value === undefined) problems.push({ path: name, reason: nowhere(defaultFrom) });
    else result[name] = value;
  }
  return { values: result, problems };
}

/** Every place that could supply the value, for the user to choose from. */
function nowhere(key: ConfigDefault): string {
  const variables = environmentOf(configuration.shape[key]).join(", ");
  const credentials = key === "project" ? ", nor in the credentials" : "";
  return (
    `is required: it is not given, not in the configuration (pulumi config set perimeter:${key} <${key}>; for an ` +
    `explicit provider, its argument ${key}), not in the environment (${variables})${credentials}`
  );
}
