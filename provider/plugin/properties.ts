import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { BugError } from "../core/errors";
import { formatPath, type PathSegment, type Problem } from "../core/problem";
import { Secrets, type SecretTexts } from "../core/secrets";
import { isRecord, UNKNOWN, type Values } from "../core/unknown";
import { ENGINE_UNKNOWN, isEngineUnknown, SIGNATURE_KEY, SIGNATURES } from "../runtime/unknowns";
import { isJsonLeaf, jsonOf, structOf, type Json, type JsonObject } from "./struct";

/** Properties from the engine: plain values for the core, and separately the marks that plain values cannot carry. */
export interface Properties {
  values: Values;
  /** Which of the values are secret. */
  secrets: Secrets;
  /** Problems of values that this provider does not support, such as files. */
  problems: Problem[];
}

/**
 * Parses the engine's properties of a resource, a lookup's arguments or the provider's settings.
 *
 * @param texts collects the text of each secret, so that messages do not show it.
 * @param skipped names of properties to drop without reading them.
 */
export function readProperties(
  struct: Struct | undefined,
  texts: SecretTexts,
  skipped: readonly string[] = [],
): Properties {
  const entries = Object.entries(jsonOf(struct)).filter(([name]) => !skipped.includes(name));
  return new Reader(texts).read(Object.fromEntries(entries));
}

class Reader {
  private readonly secrets = new Secrets();
  private readonly problems: Problem[] = [];

  constructor(private readonly texts: SecretTexts) {}

  read(json: JsonObject): Properties {
    return { values: this.record(json, []), secrets: this.secrets, problems: this.problems };
  }

  private record(json: JsonObject, path: readonly PathSegment[]): Values {
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, this.value(value, [...path, key])]));
  }

  private value(json: Json | undefined, path: readonly PathSegment[]): unknown {
    if (json === undefined || isEngineUnknown(json)) return UNKNOWN;
    if (Array.isArray(json)) return this.list(json, path);
    if (!isRecord(json)) return json;
    switch (json[SIGNATURE_KEY]) {
      case undefined:
        return this.record(json, path);
      case SIGNATURES.secret:
        return this.secret(json.value, path);
      case SIGNATURES.output:
        // An output that is not known yet has no value.
        return json.secret === true ? this.secret(json.value, path) : this.value(json.value, path);
      case SIGNATURES.resource:
        return this.resource(json);
      default:
        return this.refused(json[SIGNATURE_KEY], path);
    }
  }

  private list(json: readonly Json[], path: readonly PathSegment[]): unknown[] {
    const values = json.map((element, index) => this.value(element, [...path, index]));
    // A secret element has marked the whole list.
    if (this.secrets.isSecret(path)) this.texts.add(values);
    return values;
  }

  private secret(json: Json | undefined, path: readonly PathSegment[]): unknown {
    this.secrets.mark(path);
    const value = this.value(json, path);
    this.texts.add(value);
    return value;
  }

  /** A resource in place of a string means its id, as in every Pulumi language. A component has only a URN. */
  private resource({ id, urn }: JsonObject): unknown {
    if (id === undefined) return urn ?? UNKNOWN;
    return id === "" ? UNKNOWN : this.value(id, []);
  }

  private refused(signature: unknown, path: readonly PathSegment[]): unknown {
    const isFile = signature === SIGNATURES.asset || signature === SIGNATURES.archive;
    const what = isFile ? "a file (an asset or archive)" : "a type of value that this release does not support";
    this.problems.push({ path: formatPath(path), reason: `must be a plain value, got ${what}` });
    // Later checks skip unknown values, so the user sees one problem, not two.
    return UNKNOWN;
  }
}

/** Values in the engine's form. Wraps each secret, and omits undefined properties. */
export function toStruct(values: Values, secrets = new Secrets()): Struct {
  return structOf(toRecord(values, [], secrets));
}

function toRecord(values: Values, path: readonly PathSegment[], secrets: Secrets): JsonObject {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, toJson(value, [...path, key], secrets)]),
  );
}

function toJson(value: unknown, path: readonly PathSegment[], secrets: Secrets): Json {
  const plain = toPlainJson(value, path, secrets);
  return secrets.isMarked(path) ? { [SIGNATURE_KEY]: SIGNATURES.secret, value: plain } : plain;
}

function toPlainJson(value: unknown, path: readonly PathSegment[], secrets: Secrets): Json {
  if (value === UNKNOWN) return ENGINE_UNKNOWN;
  if (Array.isArray(value)) return value.map((element, index) => toJson(element, [...path, index], secrets));
  if (isRecord(value)) return toRecord(value, path, secrets);
  if (isJsonLeaf(value)) return value;
  throw new BugError(`the engine does not accept the ${typeof value} at ${formatPath(path)}`);
}
