import type { z } from "zod";
import { ConfigurationError } from "../errors";
import { propertiesOf, shapeOf } from "../field";
import { jsonIn } from "../json";
import { didYouMean, type Problem } from "../problem";
import { problemsOf, UNCOMPILED, type SecretPaths, type UnknownName } from "../validate";
import { containsUnknown, isRecord, isUnknown, type Values, withoutAbsent } from "../unknown";
import type { Environment } from "../environment";
import { configuration, environmentOf, keysToHide, type Configuration } from "./definition";

/**
 * Converts the strings of the engine's configuration (`"true"`, a list as JSON text) to the type of their key; programs give
 * typed values. A string that cannot be converted stays, and the check refuses it.
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

/** The values that Go's `strconv.ParseBool` accepts: providers in Go read the same environment variables. */
const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text): [string, boolean] => [text, true]),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text): [string, boolean] => [text, false]),
]);

function typed(schema: z.ZodType, text: string): unknown {
  const { kind } = shapeOf(schema);
  if (kind === "string") return text;
  if (kind === "boolean") return SWITCH.get(text) ?? text;
  const parsed = jsonIn(text);
  return parsed === undefined ? text : parsed;
}

/**
 * Renames the properties of an object to the names of the definition: Python's typed dictionaries arrive in snake_case
 * (`max_attempts`). A property that is given in both spellings stays, and the check refuses it.
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

/** All problems of a configuration after `typedConfiguration`. Secret values are never quoted. */
export function configurationProblems(values: Values): Problem[] {
  const secrets = keysToHide(values);
  const isSecret: SecretPaths = (path) => secrets.includes(String(path[0]));
  return problemsOf(configuration, values, isSecret, unknownKey);
}

/** The documents call a provider's settings keys. When one key is a likely match, the message does not list all keys. */
const unknownKey: UnknownName = (key, known) => {
  const meant = didYouMean(key, known);
  return `is not a key of the configuration${meant === "" ? `; the keys are ${known.join(", ")}` : meant}`;
};

/** The configuration of a run, and which source supplied each key. */
export interface ResolvedConfiguration<V = Configuration> {
  values: V;
  /** Keys whose value came from the environment: explicit settings override them when two keys conflict. */
  fromEnvironment: ReadonlySet<string>;
  environment: Environment;
}

/**
 * Fills in keys that are not set, from the environment, without checks. A key whose value is not known yet stays absent: the
 * environment must not replace it. The environment is never copied into resource inputs or state.
 */
export function resolveConfiguration(given: Values, environment: Environment): ResolvedConfiguration<Values> {
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
  return { ...resolved, values: configuration.parse(resolved.values, UNCOMPILED) };
}

/** The name under which the user gave a value: the configuration key, or the environment variable that supplied it. */
export function sourceOf(path: string, { fromEnvironment, environment }: ResolvedConfiguration<unknown>): string {
  const schema = fromEnvironment.has(path) ? new Map(propertiesOf(configuration)).get(path) : undefined;
  const variable = schema && environmentOf(schema).find((each) => environment[each]);
  return variable ?? path;
}

/** As `sourceOf`, with a configuration key as users set it: `perimeter:project`. */
export function settingOf(path: string, resolved: ResolvedConfiguration<unknown>): string {
  const source = sourceOf(path, resolved);
  return source === path ? `perimeter:${path}` : source;
}
