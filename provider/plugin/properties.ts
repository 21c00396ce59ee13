import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { formatPath, type PathSegment, type Problem } from "../core/problem";
import { isRecord, UNKNOWN, type Values } from "../core/unknown";
import { ENGINE_UNKNOWN, isEngineUnknown } from "../runtime/unknowns";
import { Secrets, type SecretTexts } from "../core/secrets";
import { jsonOf, structOf, type Json } from "./struct";

/** Marks an object that stands for something else: the engine's `resource.SigKey`. */
export const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";

/** What a marked object stands for: the signatures of Pulumi's `resource` package. */
export const SIGNATURES = {
  secret: "1b47061264138c4ac30d75fd1eb44270",
  output: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
  resource: "5cf8f73096256a8f31e491e813e4eb8e",
  asset: "c44067f5952c0a294b673a41bacd8c17",
  archive: "0def7320c3a5731c473e5ecbe6d01bc7",
} as const;

/** A resource's properties as the engine sends them: plain values for the core, and beside them what they leave out. */
export interface Properties {
  values: Values;
  secrets: Secrets;
  /** Values that no property of this provider can have. */
  problems: Problem[];
}

/**
 * @param texts collects the secrets, so that messages can be kept free of them.
 * @param skipped properties that are not looked into, and not among the values.
 */
export function readProperties(
  struct: Struct | undefined,
  texts: SecretTexts,
  skipped: readonly string[] = [],
): Properties {
  const wanted = Object.entries(jsonOf(struct)).filter(([name]) => !skipped.includes(name));
  return new Reader(texts).read(Object.fromEntries(wanted));
}

class Reader {
  private readonly secrets = new Secrets();
  private readonly problems: Problem[] = [];

  constructor(private readonly texts: SecretTexts) {}

  read(json: { [key: string]: Json }): Properties {
    return { values: this.record(json, []), secrets: this.secrets, problems: this.problems };
  }

  private record(json: { [key: string]: Json }, path: readonly PathSegment[]): Values {
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, this.value(value, [...path, key])]));
  }

  private value(json: Json | undefined, path: readonly PathSegment[]): unknown {
    if (json === undefined || isEngineUnknown(json)) return UNKNOWN;
    if (Array.isArray(json)) return json.map((element, index) => this.value(element, [...path, index]));
    if (!isRecord(json)) return json;
    switch (json[SIGNATURE_KEY]) {
      case undefined:
        return this.record(json, path);
      case SIGNATURES.secret:
        return this.secret(json.value, path);
      case SIGNATURES.output:
        // An output without a value is one that is not known yet.
        return json.secret === true ? this.secret(json.value, path) : this.value(json.value, path);
      case SIGNATURES.resource:
        return this.resource(json);
      default:
        return this.refused(json[SIGNATURE_KEY], path);
    }
  }

  private secret(json: Json | undefined, path: readonly PathSegment[]): unknown {
    this.secrets.mark(path);
    const value = this.value(json, path);
    this.texts.add(value);
    return value;
  }

  /** A resource given for one of our strings means its id, as in every Pulumi language; a component has a URN only. */
  private resource(json: { [key: string]: Json }): unknown {
    const { id, urn } = json;
    if (id === undefined) return urn ?? UNKNOWN;
    return id === "" ? UNKNOWN : this.value(id, []);
  }

  private refused(signature: unknown, path: readonly PathSegment[]): unknown {
    const isFile = signature === SIGNATURES.asset || signature === SIGNATURES.archive;
    const what = isFile ? "a file (an asset or archive)" : "a kind of value that this release does not know";
    this.problems.push({ path: formatPath(path), reason: `must be a plain value, got ${what}` });
    // One problem for one mistake: nothing else looks at what is not known.
    return UNKNOWN;
  }
}

/** Values for the engine, each secret one wrapped. What is undefined is left out. */
export function toStruct(values: Values, secrets = new Secrets()): Struct {
  return structOf(record(values, [], secrets));
}

function record(values: Values, path: readonly PathSegment[], secrets: Secrets): { [key: string]: Json } {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, json(value, [...path, key], secrets)]),
  );
}

function json(value: unknown, path: readonly PathSegment[], secrets: Secrets): Json {
  const plain = plainJson(value, path, secrets);
  return secrets.isMarked(path) ? { [SIGNATURE_KEY]: SIGNATURES.secret, value: plain } : plain;
}

function plainJson(value: unknown, path: readonly PathSegment[], secrets: Secrets): Json {
  if (value === UNKNOWN) return ENGINE_UNKNOWN;
  if (Array.isArray(value)) return value.map((element, index) => json(element, [...path, index], secrets));
  if (isRecord(value)) return record(value, path, secrets);
  return value as Json;
}
