import type { z } from "zod";
import { configuration, environmentOf } from "../core/config/definition";
import type { CredentialsError } from "../core/errors";
import { metaOf, propertiesOf, type ConfigDefault } from "../core/field";
import type { Problem } from "../core/problem";
import { withoutAbsent, type Values } from "../core/unknown";
import {
  foreignHosts,
  normalizeReferences,
  problemsOf,
  type SecretPaths,
  withoutEmptyReferences,
} from "../core/validate";

/** The inputs with defaults and in normal form; if there are problems, the original inputs. */
export interface Checked {
  inputs: Values;
  problems: Problem[];
}

/** The configuration that a check needs. */
export interface CheckSource extends DefaultSource {
  /** Whether a reference may name this host: the host of the API, or its configured endpoint. */
  isHostOf(api: string, text: string, host: string): boolean;
}

/**
 * Checks the inputs of a resource or the arguments of a lookup against their definition: returns all problems, or the values
 * for lifecycles and lookups.
 *
 * @param isSecret selects the values that problems must not quote.
 */
export async function checkAgainst(
  schema: z.ZodObject,
  news: Values,
  source: CheckSource,
  isSecret?: SecretPaths,
): Promise<Checked> {
  const given = withoutEmptyReferences(schema, withoutAbsent(news));
  const filled = await withDefaults(schema, given, source);
  const problems = [...problemsOf(schema, filled.values, isSecret), ...filled.problems];
  const isHostOf = source.isHostOf.bind(source);
  if (problems.length === 0) problems.push(...foreignHosts(schema, filled.values, isHostOf, isSecret));
  if (problems.length > 0) return { inputs: given, problems };
  return { inputs: normalizeReferences(schema, filled.values), problems };
}

/** The sources of default inputs. */
export interface DefaultSource {
  /**
   * The value of a configuration key from any source; undefined if no source has it. An error if no other source has it, and
   * the credentials cannot be used.
   */
  defaultOf(key: ConfigDefault): Promise<string | CredentialsError | undefined>;
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
    if (typeof value === "string") result[name] = value;
    else problems.push({ path: name, reason: nowhere(defaultFrom, value) });
  }
  return { values: result, problems };
}

/**
 * Lists every source that could supply the value.
 *
 * @param unusable the reason why the credentials cannot be used.
 */
function nowhere(key: ConfigDefault, unusable?: CredentialsError): string {
  const variables = environmentOf(configuration.shape[key]).join(", ");
  const credentials = key === "project" ? ", nor in the credentials" : "";
  // Only the first line: the others list where credentials may be, and what to do to get some.
  const why = unusable ? `: ${unusable.message.split("\n", 1).join()}` : "";
  return (
    `is required: it is not given, not in the configuration (pulumi config set perimeter:${key} <${key}>; for an ` +
    `explicit provider, its argument ${key}), not in the environment (${variables})${credentials}${why}`
  );
}
