/**
 * docs/resources/: the examples, permissions and errors of the definitions are correct on the emulator.
 * tools/generate/generated.test.ts checks that the pages are current; tests/engine/examples runs the programs.
 */
import * as path from "node:path";
import { demoSeed } from "../../emulator";
import {
  errorClass,
  tokenOf,
  type Example,
  type LookupDefinition,
  type ResourceDefinition,
} from "../../provider/core/definition";
import * as errors from "../../provider/core/errors";
import { filterProperties, isRecord } from "../../provider/core/unknown";
import { lookups, resources } from "../../provider/services";
import { resourcePages } from "../../tools/generate/pages";
import { Bench, limits } from "../support/provider";
import { brokenLinks } from "./links";

const ROOT = path.join(__dirname, "../..");
const CONFIGURATION = { project: "demo-project", grantMode: "merge" };
const resourceDefinitions = resources.map((each) => each.definition);
const lookupDefinitions = lookups.map((each) => each.definition);
const named = <D extends { name: string }>(definitions: D[]) =>
  definitions.map((each): [string, D] => [each.name, each]);

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({ seed: demoSeed });
});
beforeEach(() => bench.emulator.reset());
afterAll(() => bench.emulator.stop());

/** Makes, reads, lists, changes and deletes a resource. It changes every input that can change. */
async function walk(definition: ResourceDefinition, { values }: Example): Promise<void> {
  const token = tokenOf(definition);
  const provider = bench.provider(CONFIGURATION);
  const { inputs, problems } = await provider.check(token, values);
  expect(problems).toEqual([]);
  const { id, state } = await provider.create(token, inputs, limits());
  const read = await provider.read(token, id, undefined, limits());
  expect(read).toMatchObject({ id });
  const query = filterProperties(values, (name) => Object.hasOwn(definition.listInputs?.shape ?? {}, name));
  const { inputs: wanted } = await provider.checkQuery(token, query);
  const { found } = await provider.list(token, wanted, { size: undefined, token: "" }, limits());
  expect(found).toContainEqual({ id, name: expect.stringMatching(/^[A-Za-z]/) as string });
  let prior = { id, inputs, state };
  if (isRecord(values.labels)) {
    const changed = { ...inputs, labels: { ...values.labels, changed: "yes" } };
    prior = { id, inputs: changed, state: await provider.update(token, prior, changed, limits()) };
  }
  // In a separate run, because a run keeps the grants that it created.
  await bench.provider(CONFIGURATION).delete(token, prior, limits());
}

const look = (definition: LookupDefinition, { values }: Example) =>
  bench.provider(CONFIGURATION).invoke(tokenOf(definition), values, limits());

describe.each(named(resourceDefinitions))("%s", (_name, definition) => {
  const { examples, permissions } = definition.documentation;

  test.each(examples.map((each): [string, Example] => [each.title, each]))(
    "%s: can be created and deleted",
    (_title, each) => walk(definition, each),
  );

  const listed = permissions.map((each) => each.permission);

  test("a caller with exactly the listed permissions can create, read, list, change and delete it", async () => {
    bench.emulator.configure({ allow: listed });
    await walk(definition, examples[0]!);
    expect(permissionsUsed()).toEqual([...listed].sort());
  });

  test.each(listed)("a caller without the permission %s gets an error that names it", async (permission) => {
    bench.emulator.configure({ allow: listed.filter((each) => each !== permission) });
    await expect(walk(definition, examples[0]!)).rejects.toThrow(permission);
  });
});

describe.each(named(lookupDefinitions))("%s", (_name, definition) => {
  const { examples, permissions } = definition.documentation;

  test("returns the outputs that its examples export", async () => {
    for (const example of examples) {
      const result: unknown = await look(definition, example);
      for (const output of Object.values(example.outputs)) {
        expect([undefined, ""]).not.toContain(at(result, output));
      }
    }
    expect(permissions.map((each) => each.permission)).toEqual(permissionsUsed());
  });

  test("fails without the permission, with the documented error", async () => {
    bench.emulator.configure({ allow: [] });
    await expect(look(definition, examples[0]!)).rejects.toThrow(errors.PermissionDeniedError);
    bench.emulator.reset({ seed: false });
    await expect(look(definition, examples[0]!)).rejects.toThrow(errors.NotFoundError);
  });
});

/** Returns the permissions that the requests needed since the last reset: each once, sorted. */
function permissionsUsed(): string[] {
  return [...new Set(bench.emulator.permissionsUsed().map(({ permission }) => permission))];
}

function at(value: unknown, output: string): unknown {
  return output.split(".").reduce<unknown>((inner, part) => (isRecord(inner) ? inner[part] : undefined), value);
}

test("the package exports the class of every documented error", () => {
  const documented = [...resourceDefinitions, ...lookupDefinitions].flatMap((each) => each.documentation.errors);
  const known = Object.keys(errors);
  expect(documented.map(errorClass).filter((name) => !known.includes(name))).toEqual([]);
});

test("the pages link only to documents and sections that exist", () => {
  const broken = [...resourcePages(resourceDefinitions, lookupDefinitions)].flatMap(([page, text]) =>
    brokenLinks(path.join(ROOT, page), text).map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});
