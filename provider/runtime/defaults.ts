import { environmentOf, configuration } from "../core/config/definition";
import { metaOf, propertiesOf, type ConfigDefault } from "../core/field";
import type { Problem } from "../core/problem";
import type { Values } from "../core/unknown";
import type { z } from "zod";

/** The sources of default inputs. */
export interface DefaultSource {
  /** The value of a configuration key from any source; undefined if it is not set. */
  defaultOf(key: ConfigDefault): Promise<string | undefined>;
}

/** The values with defaults from the configuration, and a problem for each required value without any source. */
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

/** Lists every source that could supply the value. */
function nowhere(key: ConfigDefault): string {
  const variables = environmentOf(configuration.shape[key]).join(", ");
  const credentials = key === "project" ? ", nor in the credentials" : "";
  return (
    `is required: it is not given, not in the configuration (pulumi config set perimeter:${key} <${key}>; for an ` +
    `explicit provider, its argument ${key}), not in the environment (${variables})${credentials}`
  );
}
