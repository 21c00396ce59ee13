import { isRecord, isUnknown, UNKNOWN, type Values } from "../core/unknown";

/**
 * Pulumi's representation of an unknown value: one text for each type (`UnknownStringValue` and its siblings in
 * sdk/go/common/resource/plugin/rpc.go). All of them mean the same, for properties of any type.
 */
const ENGINE_UNKNOWNS: ReadonlySet<unknown> = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9", // string
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // bool
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

/** The text for an unknown value of any type in the provider's messages, as in the SDKs' messages. */
export const ENGINE_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function isEngineUnknown(value: unknown): boolean {
  return ENGINE_UNKNOWNS.has(value);
}

/** Values with the core's `UNKNOWN` in place of the engine's texts. */
export function fromEngineUnknowns(values: Values): Values {
  return mapLeavesIn(values, (leaf) => (isEngineUnknown(leaf) ? UNKNOWN : leaf));
}

/** Values with the engine's text in place of the core's `UNKNOWN`. */
export function toEngineUnknowns(values: Values): Values {
  return mapLeavesIn(values, (leaf) => (isUnknown(leaf) ? ENGINE_UNKNOWN : leaf));
}

type MapLeaf = (leaf: unknown) => unknown;

function mapLeavesIn(values: Values, map: MapLeaf): Values {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, mapLeaves(value, map)]));
}

function mapLeaves(value: unknown, map: MapLeaf): unknown {
  if (Array.isArray(value)) return value.map((element) => mapLeaves(element, map));
  return isRecord(value) ? mapLeavesIn(value, map) : map(value);
}

/** The key that marks an object as a special value (`specialSigKey` in Pulumi's `runtime/rpc`). */
export const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";

/** The meaning of a marked object, by the value of its `SIGNATURE_KEY` (`special…Sig` in Pulumi's `runtime/rpc`). */
export const SIGNATURES = {
  secret: "1b47061264138c4ac30d75fd1eb44270",
  output: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
  resource: "5cf8f73096256a8f31e491e813e4eb8e",
  asset: "c44067f5952c0a294b673a41bacd8c17",
  archive: "0def7320c3a5731c473e5ecbe6d01bc7",
} as const;

/** A value that the engine keeps as a secret. */
export function asEngineSecret(value: unknown): Values {
  return { [SIGNATURE_KEY]: SIGNATURES.secret, value };
}
