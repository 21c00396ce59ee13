/** The YAML of the documents: Pulumi programs against the definitions, seeds and fault plans by the emulator's own checks. */
import { parseAllDocuments } from "yaml";
import { FaultPlan } from "../../../emulator/http/faults";
import { checkSeed } from "../../../emulator";
import { configurationKeys } from "../../../provider/core/config/definition";
import { tokenOf } from "../../../provider/core/definition";
import { isRecord, listOf, UNKNOWN, type Values } from "../../../provider/core/unknown";
import { problemsOf } from "../../../provider/core/validate";
import { lookups, resources } from "../../../provider/services";
import { repositoryRoot } from "../../support/engine";
import { placeOf, snippetsOf } from "../../support/snippets";

const snippets = snippetsOf(repositoryRoot).snippets.filter(({ kind }) => kind === "yaml");
const ATTRIBUTES = new Map(
  [...resources, ...lookups].map(({ definition }) => [
    tokenOf(definition),
    definition.kind === "resource" ? definition.inputs : definition.args,
  ]),
);

test.each(snippets.map((snippet) => [placeOf(snippet), snippet] as const))("%s", (_, { text }) => {
  for (const document of parseAllDocuments(text)) {
    expect(document.errors).toEqual([]);
    expect(problemsIn(document.toJS())).toEqual([]);
  }
});

test("a program with a wrong property, type or key has problems", () => {
  const type = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
  expect(problemsIn({ resources: { records: { type, properties: { name: "${store}", roles: 1 } } } })).toEqual([
    expect.stringMatching(/^records: member is required/),
    expect.stringMatching(/^records: role is required/),
    expect.stringMatching(/^records: roles is not a property/),
  ]);
  expect(problemsIn({ resources: { records: { type: "perimeter:healthcare/v1:Nothing" } } })).toHaveLength(1);
  expect(problemsIn({ config: { "perimeter:grantmode": "merge" } })).toHaveLength(1);
  expect(problemsIn([{ service: "gkehub" }])).toHaveLength(1);
  expect(problemsIn([{ match: {}, fault: { status: "NOTHING" } }])).toHaveLength(1);
});

/** The problems of a document of this project; empty for files of other tools. */
function problemsIn(content: unknown): string[] {
  if (Array.isArray(content)) return problemsInList(content);
  if (!isRecord(content)) return [];
  const program = Object.entries(recordOf(content.resources)).flatMap(([name, each]) => problemsInResource(name, each));
  return [...program, ...invokesIn(content).flatMap(problemsInInvoke), ...problemsInConfig(recordOf(content.config))];
}

function problemsInList(list: unknown[]): string[] {
  const has = (key: string) => list.every((each) => isRecord(each) && key in each);
  try {
    if (has("service")) checkSeed(list);
    if (has("fault")) new FaultPlan().set(list);
    return [];
  } catch (error) {
    return [String(error)];
  }
}

function problemsInResource(name: string, resource: unknown): string[] {
  const { type, properties } = recordOf(resource);
  if (type === "pulumi:providers:perimeter") return problemsInConfig(prefixed(recordOf(properties)));
  if (typeof type !== "string" || !type.startsWith("perimeter:")) return [];
  return problemsOfToken(type, recordOf(properties)).map((problem) => `${name}: ${problem}`);
}

function problemsInInvoke(invoke: Values): string[] {
  const token = String(invoke.function);
  return token.startsWith("perimeter:") ? problemsOfToken(token, recordOf(invoke.arguments)) : [];
}

function problemsOfToken(token: string, given: Values): string[] {
  const schema = ATTRIBUTES.get(token);
  if (schema === undefined) return [`there is no ${token}`];
  return problemsOf(schema, withUnknowns(given) as Values).map(({ path, reason }) => `${path} ${reason}`);
}

function problemsInConfig(config: Values): string[] {
  const known = new Set(configurationKeys().map((key) => `perimeter:${key}`));
  const given = Object.keys(config).filter((key) => key.startsWith("perimeter:"));
  return given.filter((key) => !known.has(key)).map((key) => `there is no ${key}`);
}

function prefixed(config: Values): Values {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [`perimeter:${key}`, value]));
}

/** Every `fn::invoke` below a value. */
function invokesIn(value: unknown): Values[] {
  if (Array.isArray(value)) return value.flatMap(invokesIn);
  if (!isRecord(value)) return [];
  const own = isRecord(value["fn::invoke"]) ? [value["fn::invoke"]] : [];
  return [...own, ...Object.values(value).flatMap(invokesIn)];
}

/** Values that the engine fills in are unknown before it runs. */
function withUnknowns(value: unknown): unknown {
  if (typeof value === "string") return value.includes("${") ? UNKNOWN : value;
  if (Array.isArray(value)) return listOf(value).map(withUnknowns);
  if (!isRecord(value)) return value;
  if (Object.keys(value).some((key) => key.startsWith("fn::"))) return UNKNOWN;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withUnknowns(each)]));
}

function recordOf(value: unknown): Values {
  return isRecord(value) ? value : {};
}
