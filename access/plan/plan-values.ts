import { containsWhere, isRecord, UNKNOWN, type Values } from "../../provider/core/unknown";
import { isEngineUnknown } from "../../provider/runtime/unknowns";

/** A value that a plan or a state hides because it is secret. A value that is not known yet is `UNKNOWN` of core. */
export const SECRET: unique symbol = Symbol("perimeter.review.secret");
export type Secret = typeof SECRET;

export function isSecret(value: unknown): value is Secret {
  return value === SECRET;
}

/** True when the value or anything inside it is secret. */
export function containsSecret(value: unknown): boolean {
  return containsWhere(value, isSecret);
}

/**
 * Replaces each value that contains a secret by the one that another source shows: a state or a configuration may show what a
 * plan hides.
 */
export function withSecretsFrom(values: Values, others: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const other = others[name] ?? value;
      return [name, containsSecret(value) && !containsSecret(other) ? other : value];
    }),
  );
}

/** The engine's placeholder for a secret in a plan: `massageSecrets` in pulumi's pkg/backend/display/json.go. */
const REDACTED = "[secret]";

/** The property that marks a special value of the engine: `Sig` in sdk/go/common/resource/sig/sig.go. */
const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";
const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";
const REFERENCE_SIGNATURE = "5cf8f73096256a8f31e491e813e4eb8e";

/** Converts the values of a plan or a state with `readValue`. */
export function readValues(raw: Values, foundSecret: () => void = () => undefined): Values {
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, readValue(value, foundSecret)]));
}

/**
 * Converts a value of a plan or a state to a value of core: `UNKNOWN` when it is not known yet, `SECRET` when it is hidden,
 * and the id for a reference to another resource.
 *
 * @param foundSecret is called for each secret in plain text, which is then part of the value.
 */
export function readValue(value: unknown, foundSecret: () => void = () => undefined): unknown {
  if (isEngineUnknown(value)) return UNKNOWN;
  if (value === REDACTED) return SECRET;
  if (Array.isArray(value)) return value.map((each) => readValue(each, foundSecret));
  if (!isRecord(value)) return value;
  switch (value[SIGNATURE_KEY]) {
    case SECRET_SIGNATURE:
      return readSecret(value.plaintext, foundSecret);
    case REFERENCE_SIGNATURE:
      return referenceIn(value);
    default:
      return readValues(value, foundSecret);
  }
}

/** @param text the JSON text of the value. A state without `--show-secrets` has none. */
function readSecret(text: unknown, foundSecret: () => void): unknown {
  if (typeof text !== "string") return SECRET;
  try {
    const value = readValue(JSON.parse(text), foundSecret);
    foundSecret();
    return value;
  } catch {
    return SECRET;
  }
}

/** The id of the resource, as in every Pulumi language, or the URN of a component, which has no id. */
function referenceIn({ id, urn }: Values): unknown {
  if (id === undefined) return urn ?? UNKNOWN;
  return id === "" || isEngineUnknown(id) ? UNKNOWN : id;
}
