import type { z } from "zod";
import type { Problem } from "../core/problem";
import { withoutAbsent, type Values } from "../core/unknown";
import {
  foreignHosts,
  normalizeReferences,
  problemsOf,
  type SecretPaths,
  withoutEmptyReferences,
} from "../core/validate";
import { withDefaults, type DefaultSource } from "./defaults";

/** The inputs with defaults and in normal form; or, where there are problems, as they were given. */
export interface Checked {
  inputs: Values;
  problems: Problem[];
}

/** What a check has to ask the configuration. */
export interface CheckSource extends DefaultSource {
  /** Whether a reference may name this host: it is the API's own, or where the configuration says that the API is. */
  isHostOf(api: string, text: string, host: string): boolean;
}

/**
 * Checks the inputs of a resource or the arguments of a lookup against their definition: everything wrong with them at
 * once, or the values as lifecycles and lookups get them.
 *
 * @param isSecret tells which values are never quoted in a problem.
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
