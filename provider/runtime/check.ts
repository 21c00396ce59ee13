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
