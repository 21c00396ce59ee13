import type { z } from "zod";
import { ConfigurationError } from "../errors";
import { propertiesOf, shapeOf } from "../field";
import type { Problem } from "../problem";
import { problemsOf, type SecretPaths } from "../validate";
import { containsUnknown, isRecord, isUnknown, type Values, withoutAbsent } from "../unknown";
import { configuration, environmentOf, keysToHide, type Configuration } from "./definition";

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The engine hands configuration over as strings (`"true"`, a list as JSON text); programs give real values. Strings
 * become what their key expects; one that cannot is left for the check to complain about.
 */
export function typedConfiguration(raw: Values): Values {
  const properties = new Map(propertiesOf(configuration));
  return Object.fromEntries(
    Object.entries(withoutAbsent(raw)).map(([name, value]) => {
      const schema = properties.get(name);
      if (!schema) return [name, value];
      return [name, ownNames(schema, typeof value === "string" ? typed(schema, value) : value)];
    }),
  );
}

/** What Go's `strconv.ParseBool` takes, and with it the providers that share environment variables with this one. */
const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text): [string, boolean] => [text, true]),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text): [string, boolean] => [text, false]),
]);

function typed(schema: z.ZodType, text: string): unknown {
  const { kind } = shapeOf(schema);
  if (kind === "string") return text;
  if (kind === "boolean") return SWITCH.get(text) ?? text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/**
 * An object with its properties under the names of the definition. Python's typed dictionaries arrive as the program
 * writes them, in snake_case (`max_attempts`). One that is given in both spellings stays, for the check to refuse.
 */
function ownNames(schema: z.ZodType, value: unknown): unknown {
  const shape = shapeOf(schema);
  if (shape.kind !== "object" || !isRecord(value)) return value;
  const names = new Map(Object.keys(shape.object.shape).map((name) => [snakeCase(name), name]));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const name = names.get(key);
      return [name === undefined || Object.hasOwn(value, name) ? key : name, each];
    }),
  );
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Everything wrong with a configuration that has real values; secret values are never quoted. */
export function configurationProblems(values: Values): Problem[] {
  const secrets = keysToHide(values);
  const isSecret: SecretPaths = (path) => secrets.includes(String(path[0]));
  return problemsOf(configuration, values, isSecret);
}

/** Configuration of a run: what the program or stack says, then the environment. */
export interface ResolvedConfiguration {
  values: Configuration;
  /** Keys whose value came from the environment: explicit settings beat these where two keys compete. */
  fromEnvironment: ReadonlySet<string>;
  environment: Environment;
}

/** Fills keys that are not given from the environment. The environment is never copied into resource inputs or state. */
export function resolveConfiguration(given: Values, environment: Environment): ResolvedConfiguration {
  const values: Values = {};
  const fromEnvironment = new Set<string>();
  for (const [name, schema] of propertiesOf(configuration)) {
    const value = given[name];
    if (value !== undefined && !isUnknown(value) && !containsUnknown(value)) {
      values[name] = value;
      continue;
    }
    if (isUnknown(value)) continue;
    const found = environmentOf(schema)
      .map((variable) => environment[variable])
      .find((text) => text !== undefined && text !== "");
    if (found !== undefined) {
      values[name] = typed(schema, found);
      fromEnvironment.add(name);
    }
  }
  return { values, fromEnvironment, environment };
}

/**
 * The configuration of a run, from every source.
 *
 * @param given configuration keys as the engine or program gives them; strings are typed by their key.
 * @throws ConfigurationError with every problem.
 */
export function checkedConfiguration(given: Values, environment: Environment): ResolvedConfiguration {
  const typed = typedConfiguration(given);
  const resolved = resolveConfiguration(typed, environment);
  const problems = configurationProblems({ ...typed, ...resolved.values });
  if (problems.length > 0) {
    const text = problems.map(({ path, reason }) => `${settingOf(path, resolved)} ${reason}`).join("\n  ");
    throw new ConfigurationError(`The provider's configuration is wrong:\n  ${text}`, problems);
  }
  return resolved;
}

/** The name under which the user gave a value: the configuration key, or the environment variable that supplied it. */
export function sourceOf(path: string, { fromEnvironment, environment }: ResolvedConfiguration): string {
  const schema = fromEnvironment.has(path) ? new Map(propertiesOf(configuration)).get(path) : undefined;
  const variable = schema && environmentOf(schema).find((each) => environment[each]);
  return variable ?? path;
}

function settingOf(path: string, resolved: ResolvedConfiguration): string {
  const source = sourceOf(path, resolved);
  return source === path ? `perimeter:${path}` : source;
}
