import fc from "fast-check";
import { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { UNKNOWN, type Values } from "../core/unknown";
import { Secrets, SecretTexts } from "../core/secrets";
import { SIGNATURE_KEY, SIGNATURES } from "../runtime/unknowns";
import { readProperties, toStruct } from "./properties";
import { serviceDefinition } from "./server";
import { jsonOf, structOf, type Json } from "./struct";

/** Sends properties in a request and reads them like the server, because the serialization could lose properties. */
function sent(struct: Struct): Struct {
  const { requestSerialize, requestDeserialize } = serviceDefinition.check;
  const request = requestDeserialize(requestSerialize(new CheckRequest().setNews(struct)));
  return request.getNews() ?? new Struct();
}

const received = (json: { [key: string]: Json }) => readProperties(sent(structOf(json)), new SecretTexts());

const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "hasOwnProperty", "a.b", ""));
const leaf = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.boolean(),
  fc.constant(null),
  fc.constant(UNKNOWN),
);
const { values } = fc.letrec<{ value: unknown; values: Values }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("value"), { maxLength: 4 }), tie("values")),
  values: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
}));

/** Values with paths, of which some are secret. */
function pathsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  const inside =
    Array.isArray(value) || (typeof value === "object" && value !== null)
      ? Object.entries(value).flatMap(([name, each]) =>
          pathsIn(each, [...path, Array.isArray(value) ? Number(name) : name]),
        )
      : [];
  return path.length > 0 ? [path, ...inside] : inside;
}

test("values, unknowns and secrets survive the conversion to the engine's form and back", () => {
  const cases = values.chain((value) => fc.record({ value: fc.constant(value), paths: fc.subarray(pathsIn(value)) }));
  fc.assert(
    fc.property(cases, ({ value, paths }) => {
      const secrets = new Secrets();
      paths.forEach((path) => secrets.mark(path));
      const back = readProperties(sent(toStruct(value, secrets)), new SecretTexts());
      expect(back.values).toEqual(value);
      expect(back.problems).toEqual([]);
      for (const path of pathsIn(value)) expect(back.secrets.isMarked(path)).toBe(secrets.isMarked(path));
    }),
  );
});

test("a property called __proto__ is an ordinary property", () => {
  const json = JSON.parse('{"labels":{"__proto__":{"leak":"yes"}},"__proto__":"text"}') as { [key: string]: Json };
  const { values } = received(json);
  expect(Object.keys(values)).toEqual(["__proto__", "labels"]);
  expect(Object.getOwnPropertyDescriptor(values.labels, "__proto__")?.value).toEqual({ leak: "yes" });
  expect((values.labels as Values).leak).toBeUndefined();
  expect(JSON.stringify(jsonOf(sent(toStruct(values))))).toBe(
    '{"__proto__":"text","labels":{"__proto__":{"leak":"yes"}}}',
  );
});

test.each([
  ["string", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"],
  ["bool", "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"],
  ["number", "3eeb2bf0-c639-47a8-9e75-3b44932eb421"],
  ["array", "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2"],
  ["asset", "030794c1-ac77-496b-92df-f27374a8bd58"],
  ["archive", "e48ece36-62e2-4504-bad9-02848725956a"],
  ["object", "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"],
])("the engine's unknown %s is unknown at any depth", (_type, magic) => {
  expect(received({ a: magic, b: [{ c: magic }] }).values).toEqual({ a: UNKNOWN, b: [{ c: UNKNOWN }] });
});

const marked = (signature: string, rest: { [key: string]: Json }): Json => ({ [SIGNATURE_KEY]: signature, ...rest });

test.each<[string, Json, unknown, boolean]>([
  ["a secret", marked(SIGNATURES.secret, { value: "s" }), "s", true],
  [
    "a secret that is not known yet",
    marked(SIGNATURES.secret, { value: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }),
    UNKNOWN,
    true,
  ],
  ["a secret in a secret", marked(SIGNATURES.secret, { value: marked(SIGNATURES.secret, { value: "s" }) }), "s", true],
  ["a known output", marked(SIGNATURES.output, { value: "v", dependencies: ["urn"] }), "v", false],
  ["an output without a value", marked(SIGNATURES.output, { dependencies: [] }), UNKNOWN, false],
  ["a secret output", marked(SIGNATURES.output, { value: "v", secret: true }), "v", true],
  ["a resource", marked(SIGNATURES.resource, { urn: "urn:x", id: "projects/p" }), "projects/p", false],
  ["a resource that is still to be created", marked(SIGNATURES.resource, { urn: "urn:x", id: "" }), UNKNOWN, false],
  ["a component", marked(SIGNATURES.resource, { urn: "urn:x" }), "urn:x", false],
])("%s becomes its plain value", (_name, json, value, secret) => {
  const { values, secrets, problems } = received({ outer: { inner: json } });
  expect(values).toEqual({ outer: { inner: value } });
  expect(secrets.isSecret(["outer", "inner"])).toBe(secret);
  expect(problems).toEqual([]);
});

test("a list with one secret element is secret as a whole, also in the state of an earlier release", () => {
  const texts = new SecretTexts();
  const ada = marked(SIGNATURES.secret, { value: "user:ada@example.com" });
  const { values, secrets } = readProperties(sent(structOf({ members: ["user:grace@example.com", ada] })), texts);
  const members = ["user:grace@example.com", "user:ada@example.com"];
  expect(values).toEqual({ members });
  expect(jsonOf(sent(toStruct({ members: members.reverse() }, secrets)))).toEqual({
    members: marked(SIGNATURES.secret, { value: members }),
  });
  // The earlier release may have marked the wrong element.
  expect(texts.scrub("for grace@example.com and ada@example.com")).toBe("for [secret] and [secret]");
});

test.each([
  ["asset", SIGNATURES.asset, "a file (an asset or archive)"],
  ["archive", SIGNATURES.archive, "a file (an asset or archive)"],
  ["value of tomorrow", "00000000000000000000000000000000", "a type of value that this release does not support"],
])("refuses an %s, and names its path", (_name, signature, what) => {
  const { values, problems } = received({ labels: { "a.b": marked(signature, { text: "content" }) } });
  expect(problems).toEqual([{ path: 'labels["a.b"]', reason: `must be a plain value, got ${what}` }]);
  // The value becomes unknown, so that no other check reports it.
  expect(values).toEqual({ labels: { "a.b": UNKNOWN } });
});

test("omits undefined values, and keeps null", () => {
  expect(jsonOf(sent(toStruct({ a: undefined, b: null })))).toEqual({ b: null });
});

test("replaces an unpaired surrogate, which UTF-8 cannot encode, by U+FFFD", () => {
  const sentBack = jsonOf(sent(toStruct({ "k\ud800": "a\ud800b", whole: "\u{1f600}" })));
  expect(sentBack).toEqual({ "k\ufffd": "a\ufffdb", whole: "\u{1f600}" });
});
