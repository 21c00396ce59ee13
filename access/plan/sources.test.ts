import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { readPlan } from "./plan";
import { sourcesOf } from "./sources";
import { readStackState } from "./state";

const GRANT = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
const urnOf = (name: string, types = GRANT) => `urn:pulumi:dev::p::${types}::${name}`;
const STACK = urnOf("p-dev", "pulumi:pulumi:Stack");
const READERS = urnOf("readers", "my:lib:Readers");
const INNER = urnOf("inner", "my:lib:Readers$my:lib:Inner");
const IN_READERS = urnOf("nurses", `my:lib:Readers$my:lib:Inner$${GRANT}`);

/** A resource as plans and states have it. @param at `index.ts#3,1`, the innermost frame first */
function resource(
  urn: string,
  { parent = STACK, at = [], ...more }: { parent?: string; at?: string[]; delete?: true } = {},
): Record<string, unknown> {
  const type = urn.split("::")[2]?.split("$").at(-1);
  const stackTrace = at.map((each) => ({ sourcePosition: `project:///${each}` }));
  return { urn, type, custom: !/Stack$|my:lib/.test(type ?? ""), parent, stackTrace, ...more };
}
type Raw = ReturnType<typeof resource>;
const creates = (newState: Raw) => ({ op: "create", urn: newState.urn, newState });
const deletes = (oldState: Raw) => ({ op: "delete", urn: oldState.urn, oldState });
const same = (oldState: Raw, newState = oldState) => ({ op: "same", urn: newState.urn, oldState, newState });

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-lines-"));
  write("repository/.git/HEAD", "ref: refs/heads/main\n");
  write("repository/infra/Pulumi.yaml", "name: p\nruntime: nodejs\n");
});
afterEach(() => fs.rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  const at = path.join(root, file);
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.writeFileSync(at, text);
}

interface Given {
  steps: object[];
  state?: Raw[];
  /** URNs that the result names. @default those of the steps */
  named?: string[];
  folder?: string;
}

async function sources({ steps, state = [], named, folder = "repository/infra" }: Given) {
  const plan = readPlan(JSON.stringify({ steps }));
  const { resources } = readStackState(JSON.stringify({ deployment: { resources: state } }));
  const unknown = (named ?? plan.steps.map(({ urn }) => urn)).map((step) => ({
    ...{ code: "secret" as const, message: "It is secret.", step },
  }));
  const found = await sourcesOf({ resources: [], refused: [], unknown }, plan, resources, path.join(root, folder));
  return found.sources;
}

describe("the files of lines", () => {
  const steps = [creates(resource(urnOf("nurses"), { at: ["index.ts#3,1"] }))];
  const sourceIn = async (folder: string) => (await sources({ steps, folder }))?.[urnOf("nurses")];

  test("are relative to the repository, also from a folder below the project", async () => {
    expect(await sourceIn("repository/infra")).toEqual({ file: "infra/index.ts", line: 3 });
    write("repository/infra/src/a.ts", "");
    expect(await sourceIn("repository/infra/src")).toEqual({ file: "infra/index.ts", line: 3 });
  });

  test("are relative to the nearest repository, such as a worktree, whose .git is a file", async () => {
    write("repository/infra/.git", "gitdir: elsewhere\n");
    expect(await sourceIn("repository/infra")).toEqual({ file: "index.ts", line: 3 });
  });

  test("are relative to the project's folder without a repository", async () => {
    write("alone/Pulumi.yaml", "name: p\nruntime: nodejs\n");
    expect(await sourceIn("alone")).toEqual({ file: "index.ts", line: 3 });
  });

  test("are unknown if the folder has another project or none", async () => {
    write("other/Pulumi.yaml", "name: other\nruntime: nodejs\n");
    write("none/a.ts", "");
    // Windows needs a right to make links.
    if (process.platform !== "win32") {
      fs.symlinkSync(path.join(root, "repository/infra"), path.join(root, "link"));
      expect(await sourceIn("link")).toEqual(await sourceIn("repository/infra"));
    }
    expect([await sources({ steps, folder: "other" }), await sources({ steps, folder: "none" })]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

test("only steps that the result names have lines, and only if the line is known", async () => {
  const steps = ["a", "b", "c"].map((name) => creates(resource(urnOf(name), { at: name === "c" ? [] : ["i.ts#1,1"] })));
  const named = [urnOf("b"), urnOf("c"), urnOf("nowhere")];
  expect(Object.keys((await sources({ steps, named })) ?? {})).toEqual([urnOf("b")]);
  expect(await sources({ steps, named: [urnOf("c")] })).toBeUndefined();
});

test("a changed resource has the line of the program, and a deleted one that of the last update", async () => {
  const [nurses, gone] = [urnOf("nurses"), urnOf("gone")];
  const [before, now] = ["index.ts#3,1", "index.ts#9,1"].map((at) => resource(nurses, { at: [at] }));
  const steps = [
    { op: "replace", urn: nurses, oldState: before, newState: now },
    deletes(resource(gone, { at: ["old.ts#4,1"] })),
  ];
  expect(await sources({ steps })).toEqual({
    [gone]: { file: "infra/old.ts", line: 4, gone: true },
    [nurses]: { file: "infra/index.ts", line: 9 },
  });
});

test("a resource that an earlier update left to delete has the line of the state", async () => {
  const left = resource(urnOf("left"), { at: ["index.ts#5,1"], delete: true });
  const named = [urnOf("left")];
  expect(await sources({ steps: [same(resource(STACK))], state: [left], named })).toEqual({
    [urnOf("left")]: { file: "infra/index.ts", line: 5, gone: true },
  });
});

test("an unchanged resource that the plan does not show has no line, because its line may have moved", async () => {
  const state = [resource(urnOf("nurses"), { at: ["index.ts#5,1"] })];
  expect(await sources({ steps: [same(resource(STACK))], state, named: [urnOf("nurses")] })).toBeUndefined();
});

describe("a resource in a component", () => {
  const readers = (line: number) => resource(READERS, { at: [`index.ts#${line},1`] });
  const inner = resource(INNER, { parent: READERS, at: ["lib/readers.ts#9,3", "index.ts#8,1"] });
  const grant = resource(IN_READERS, {
    parent: INNER,
    at: ["lib/readers.ts#4,3", "lib/readers.ts#9,3", "index.ts#8,1"],
  });
  const named = [IN_READERS];

  test("has the line that declares the outermost component, and the component's type", async () => {
    const steps = [same(resource(STACK)), creates(readers(8)), creates(inner), creates(grant)];
    expect(await sources({ steps, named })).toEqual({
      [IN_READERS]: { file: "infra/index.ts", line: 8, component: "Readers" },
    });
  });

  test("that is deleted has the component's line of the last update", async () => {
    const steps = [same(readers(8), readers(20)), deletes(inner), deletes(grant)];
    expect(await sources({ steps, named })).toEqual({
      [IN_READERS]: { file: "infra/index.ts", line: 8, component: "Readers", gone: true },
    });
  });

  test("has its own line if the plan does not show the component, whose line may have moved", async () => {
    const own = { file: "infra/lib/readers.ts", line: 4 };
    expect(await sources({ steps: [creates(grant)], named })).toEqual({ [IN_READERS]: own });
    expect(await sources({ steps: [creates(grant)], state: [readers(2), inner], named })).toEqual({
      [IN_READERS]: { ...own, component: "Readers" },
    });
  });

  test("has its own line if its parent is an ordinary resource", async () => {
    const store = resource(urnOf("store", "gcp:healthcare/fhirStore:FhirStore"), { at: ["index.ts#2,1"] });
    const below = urnOf("nurses", `gcp:healthcare/fhirStore:FhirStore$${GRANT}`);
    const steps = [creates(store), creates(resource(below, { parent: String(store.urn), at: ["index.ts#3,1"] }))];
    expect(await sources({ steps, named: [below] })).toEqual({ [below]: { file: "infra/index.ts", line: 3 } });
  });
});

describe("a program in YAML", () => {
  const PROGRAM = `name: p
runtime: yaml
# A comment.
resources:
  nurses:
    type: ${GRANT}
  "doctors":
    type: perimeter:healthcare:DatasetFhirStoreIamMember
  key:
    type: ${GRANT}
    name: named
  readers: { type: "my:lib:Readers" }
outputs:
  gone: 1
`;
  const steps = ["nurses", "doctors", "named", "key"].map((name) => creates(resource(urnOf(name))));

  test("has the lines of the resources' keys", async () => {
    write("repository/infra/Pulumi.yaml", PROGRAM);
    expect(await sources({ steps: [...steps, deletes(resource(urnOf("gone")))] })).toEqual({
      [urnOf("nurses")]: { file: "infra/Pulumi.yaml", line: 5 },
      [urnOf("doctors")]: { file: "infra/Pulumi.yaml", line: 7 },
      [urnOf("named")]: { file: "infra/Pulumi.yaml", line: 9 },
    });
  });

  test("has the component's key for what is in it", async () => {
    write("repository/infra/Pulumi.yaml", PROGRAM);
    const inReaders = [creates(resource(READERS)), creates(resource(IN_READERS, { parent: READERS }))];
    expect(await sources({ steps: inReaders, named: [IN_READERS] })).toEqual({
      [IN_READERS]: { file: "infra/Pulumi.yaml", line: 12, component: "Readers" },
    });
  });

  test("can be in the folder that main names, and in a file of its own", async () => {
    write("repository/infra/Pulumi.yaml", "name: p\nruntime: yaml\nmain: program\n");
    write("repository/infra/program/Main.yaml", PROGRAM.replace(/^name.*\nruntime.*\n/, ""));
    const found = await sources({ steps });
    expect(found?.[urnOf("nurses")]).toEqual({ file: "infra/program/Main.yaml", line: 3 });
  });

  test("that is deleted entirely still has its keys, and a key with another type is another resource", async () => {
    write("repository/infra/Pulumi.yaml", PROGRAM);
    const other = urnOf("nurses", "perimeter:healthcare/v1beta1:DatasetIamMember");
    expect(await sources({ steps: [deletes(resource(urnOf("nurses"))), deletes(resource(other))] })).toEqual({
      [urnOf("nurses")]: { file: "infra/Pulumi.yaml", line: 5, gone: true },
    });
  });

  test.each(["name: p\nruntime: yaml\n", "name: p\nruntime: yaml\nresources: 3\n"])(
    "without resources has no lines: %j",
    async (text) => {
      write("repository/infra/Pulumi.yaml", text);
      expect(await sources({ steps })).toBeUndefined();
    },
  );
});
