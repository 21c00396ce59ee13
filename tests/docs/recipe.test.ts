/**
 * Follows "Adding a resource or a lookup" of CONTRIBUTING.md in a copy of the tree, with a toy API of a library: a resource
 * (a shelf), a grant and a role binding on it, and lookups of it and of its policy. Its files are in recipe/, under their paths in the tree.
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { filesBelow } from "../../tools/files";
import { run } from "../../tools/run";
import { testInAll } from "../support/test-all";
import { typeProblems } from "../support/type-check";

const ROOT = path.join(__dirname, "../..");
const TOY = path.join(__dirname, "recipe");

/** The part of the tree that the copy has: compiled and generated files, and their inputs. */
const COPIED = [
  ...["access", "picture", "provider", "emulator", "cli", "tools", "tests/wire/discovery"],
  ...[
    "docs/_index.md",
    "docs/configuration.md",
    "docs/emulator-reference.md",
    "docs/review-policy.schema.json",
    "docs/review.schema.json",
    "docs/seed.schema.json",
    "package.json",
    "require-node.cjs",
    "tsconfig.json",
  ],
];

/** Text of each step of the recipe, by its number. */
const recipe = new Map(
  [...section("Adding a resource or a lookup").matchAll(/^(\d+)\. (.*(?:\n(?: {3}.*)?)*)/gm)].map(
    ([, number, text = ""]) => [Number(number), text] as const,
  ),
);

function section(title: string): string {
  const text = fs.readFileSync(path.join(ROOT, "CONTRIBUTING.md"), "utf8");
  return text.split(/^## /m).find((each) => each.startsWith(title)) ?? "";
}

/** The paths and commands that a step names. */
const namedIn = (step: number) =>
  [...(recipe.get(step) ?? "").matchAll(/`([^`]+)`/g)]
    .map(([, code = ""]) => code)
    .filter((code) => /^(provider|emulator|docs|tests|tools)\/|\.md$|^make /.test(code));

let copy: string;

beforeAll(() => {
  copy = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-recipe-"));
  for (const each of COPIED) fs.cpSync(path.join(ROOT, each), path.join(copy, each), { recursive: true });
  fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
});

afterAll(() => {
  fs.rmSync(copy, { recursive: true, force: true });
});

const read = (file: string) => fs.readFileSync(path.join(copy, file), "utf8");

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
  fs.writeFileSync(path.join(copy, file), text);
}

/** Copies a file of the toy to its path. */
function add(file: string): void {
  write(file, fs.readFileSync(path.join(TOY, file), "utf8"));
}

/** Adds an entry at the beginning of a list or table: `opening` is the text before its first entry. */
function addLine(file: string, opening: string, entry: string): void {
  const text = read(file);
  expect([file, text.split(opening)]).toEqual([file, [expect.anything(), expect.anything()]]);
  write(
    file,
    text.replace(opening, () => `${opening}\n  ${entry}`),
  );
}

function addImport(file: string, line: string): void {
  write(file, `${line}\n${read(file)}`);
}

/** Runs a TypeScript program of the copy. */
function node(...args: string[]): string {
  return run(process.execPath, ["-r", "./tools/register.cjs", ...args], { cwd: copy });
}

/** `make generate` without the SDKs: their generators need Go, and read only the schema. */
function generate(): void {
  node(
    "-e",
    `const { mkdirSync, writeFileSync } = require("node:fs");
     for (const [path, text] of require("./tools/generate/main").generatedFiles()) {
       mkdirSync(require("node:path").dirname(path), { recursive: true });
       writeFileSync(path, text);
     }`,
  );
}

/** Hand-written files that differ from the tree or are new. */
function touched(folder = ""): string[] {
  return fs.readdirSync(path.join(copy, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isSymbolicLink() || [".cache", "provider/dynamic/generated", "docs/resources"].includes(file)) return [];
    if (entry.isDirectory()) return touched(file);
    return isAsBefore(file) ? [] : [file];
  });
}

function isAsBefore(file: string): boolean {
  const [before, after] = [path.join(ROOT, file), path.join(copy, file)];
  return fs.existsSync(before) && fs.readFileSync(before).equals(fs.readFileSync(after));
}

/** TypeScript files in a folder that are new or differ from the tree. */
function newSources(folder: string): string[] {
  return filesBelow(path.join(copy, folder))
    .map((file) => path.posix.join(folder, file))
    .filter((file) => file.endsWith(".ts") && !isAsBefore(file));
}

test("the recipe has the steps that this suite follows", () => {
  expect([...recipe.keys()].map((step) => [step, namedIn(step)])).toEqual([
    [1, ["provider/core/services.ts"]],
    [2, ["provider/services/parents.ts", "provider/services/<service>/<thing>.ts"]],
    [3, ["provider/services/index.ts"]],
    [
      4,
      [
        // The first two are not followed here: no package has a discovery document of the toy, so this adds the result.
        ...["tools/discovery/surface.ts", "make discovery"],
        "emulator/services/<service>/index.ts",
        // Not followed here either: tests/wire/discovery.test.ts fails if it is missing.
        "tests/wire/resources.ts",
        "emulator/services/index.ts",
      ],
    ],
    [5, ["make generate"]],
    // Not followed here: other tests fail if one of these is missing.
    [6, ["tests/lifecycle", "provider/core/validate.test.ts", "tools/schema/schema.test.ts"]],
    [7, ["tests/docs/coverage.md", "docs/emulator-reference.md", "CHANGELOG.md"]],
  ]);
});

test("step 1: adds the row of the service", () => {
  const service =
    'library: { module: "library/v1beta", api: "library", version: "v1beta", title: "Library API", endpointKeys: ["library"] },';
  addLine("provider/core/services.ts", "export const SERVICES = {", service);
});

test("step 2: adds the row of a kind with a policy, a lookup in one file, and a resource in a folder", () => {
  expect(recipe.get(2)).toMatch(
    /a row in `provider\/services\/parents\.ts`.*resourceLookup\(.*a folder with `definition\.ts`.*`withLifecycle\(/s,
  );
  addLine(
    "provider/services/parents.ts",
    "export const parents = [",
    `grantParent({
    service: SERVICES.library,
    name: "Shelf",
    kind: "a shelf",
    template: "projects/{project}/locations/{location}/shelves/{shelf}",
    permissionPrefix: "library.shelves",
    adminRoles: ["roles/library.admin"],
    example: {
      variable: "readers",
      name: "projects/demo-project/locations/europe-west1/shelves/travel",
      role: "roles/library.reader",
      member: "user:ann@example.com",
    },
    policyLookup: "the shelf",
  }),`,
  );
  add("provider/services/library/shelf-lookup.ts");
  for (const file of ["definition.ts", "lifecycle.ts", "index.ts"]) add(`provider/services/library/shelf/${file}`);
});

test("step 3: adds a line for the resource and for the lookup, and none for the row", () => {
  const list = "provider/services/index.ts";
  addLine(list, "export const resources: readonly Resource[] = [", "shelf,");
  addLine(list, "export const lookups: readonly Lookup[] = [", "getShelf,");
  addImport(list, 'import { shelf } from "./library/shelf";');
  addImport(list, 'import { getShelf } from "./library/shelf-lookup";');
});

test("step 4: adds them to the emulator", () => {
  add("tests/wire/discovery/library.v1beta.json");
  generate();
  add("emulator/services/library/index.ts");
  const list = "emulator/services/index.ts";
  addLine(list, "export const apis: Readonly<Record<DescribedService, ServedApi>> = {", "library,");
  addImport(list, 'import { library } from "./library";');
});

test("step 5: the generated TypeScript has the new types", () => {
  generate();
  const schema = JSON.parse(read("sdk/schema.json")) as { resources: object; functions: object };
  expect(Object.keys(schema.resources)).toEqual(
    expect.arrayContaining(
      ["Shelf", "ShelfIamMember", "ShelfIamBinding"].map((name) => `perimeter:library/v1beta:${name}`),
    ),
  );
  expect(Object.keys(schema.functions)).toEqual(
    expect.arrayContaining(["getShelf", "getShelfIamPolicy"].map((name) => `perimeter:library/v1beta:${name}`)),
  );
  expect(read("provider/dynamic/generated/library/v1beta.ts")).toMatch(/class Shelf\b.*class ShelfIamMember\b/s);
  expect(read("docs/configuration.md")).toContain("libraryCustomEndpoint");
  for (const page of ["shelf", "shelf-iam-member", "shelf-iam-binding", "get-shelf", "get-shelf-iam-policy"]) {
    expect(read(`docs/resources/library/v1beta/${page}.md`)).toMatch(
      /```typescript\n.*```python\n.*```go\n.*```yaml\n/s,
    );
  }
});

test("no other files were changed", () => {
  expect(touched().sort()).toEqual([
    "docs/configuration.md",
    "docs/emulator-reference.md",
    "docs/seed.schema.json",
    "emulator/base/generated/library.v1beta.ts",
    "emulator/base/generated/services.ts",
    "emulator/services/index.ts",
    "emulator/services/library/index.ts",
    "provider/core/services.ts",
    "provider/services/index.ts",
    "provider/services/library/shelf-lookup.ts",
    "provider/services/library/shelf/definition.ts",
    "provider/services/library/shelf/index.ts",
    "provider/services/library/shelf/lifecycle.ts",
    "provider/services/parents.ts",
    "sdk/schema.json",
    "tests/wire/discovery/library.v1beta.json",
  ]);
});

/** A program that uses the toy resource. */
function addWalk(): void {
  write("walk/walk.ts", fs.readFileSync(path.join(TOY, "walk.ts"), "utf8"));
}

// `make test` runs what the compiler checks: the toy resource below.
testInAll(
  "the tree compiles",
  () => {
    const include = ["access", "picture", "provider", "emulator", "cli", "walk"];
    const settings = { extends: "./tools/tsconfig.build.json", compilerOptions: {}, include };
    // Writing all declarations takes as long as the rest, so only new files are checked.
    const emitted = newSources("provider").concat(newSources("emulator"));
    expect(emitted).toContain("provider/services/library/shelf/index.ts");
    expect(typeProblems([{ folder: copy, settings, emitted }])).toEqual([[]]);
  },
  300_000,
);

test("the toy resource is checked, created, changed, read, looked up, granted and deleted over HTTP", () => {
  addWalk();
  const name = "projects/demo-project/locations/europe-west1/shelves/travel";
  const ann = { role: "roles/library.reader", members: ["user:ann@example.com"] };
  const shelf = { location: "europe-west1", project: "demo-project", shelfId: "travel" };
  expect(JSON.parse(node("walk/walk.ts"))).toEqual({
    refused: [{ path: "theme", reason: 'must not be empty, got ""' }],
    id: name,
    created: { name, theme: "travel", createTime: expect.any(String) },
    updated: { name, theme: "travel at sea", createTime: expect.any(String) },
    read: { ...shelf, theme: "travel at sea" },
    found: { name, theme: "travel at sea", createTime: expect.any(String) },
    granted: expect.objectContaining({ bindings: [ann] }),
    revoked: expect.not.objectContaining({ bindings: expect.anything() }),
    bound: expect.objectContaining({
      bindings: [{ role: "roles/library.admin", members: ["user:ann@example.com", "user:bea@example.com"] }],
    }),
    unbound: expect.not.objectContaining({ bindings: expect.anything() }),
    gone: true,
  });
});
