/**
 * The examples of docs/resources/ and of schema.json as they stand there, in each language: YAML is carried out by the real
 * engine in one stack, Python runs under Pulumi's mocks, and TypeScript and Go are checked by their compilers.
 */
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { parse } from "yaml";
import { demoSeed, startEmulator } from "../../../emulator";
import { tokenOf } from "../../../provider/core/definition";
import { Provider } from "../../../provider/runtime/provider";
import { exampleIn, NPM_FRONT, NPM_SDK, type ExampleLanguage } from "../../../tools/schema/examples";
import { lookups, resources } from "../../../provider/services";
import { SDK_FOLDERS } from "../../../tools/generate/sdk";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { goEnvironment } from "../../support/go";
import { linkPackage } from "../../support/node-modules";
import { nodeSdk, pluginFolder, pythonSdk } from "../../support/plugin";
import { ensureVenv } from "../../support/python";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const go = goEnvironment();
const python = ensureVenv();

const examples = [...resources, ...lookups].flatMap(({ definition }) =>
  definition.documentation.examples.map((example, index) => ({
    definition,
    example,
    id: `${definition.name}${index}`,
  })),
);

/** The text of every example in a language by a name of its own. */
const programs = (language: ExampleLanguage, npmPackage = NPM_FRONT) =>
  examples.map(({ definition, example, id }) => ({ id, text: exampleIn(language, definition, example, npmPackage) }));

let work: string;
beforeAll(() => {
  work = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-pages-")));
});
afterAll(() => fs.rmSync(work, { recursive: true, force: true }));

/** A test that is skipped, with the reason in its name, where something cannot be had on this machine. */
function testWith(missing: string | undefined, name: string, run: jest.ProvidesCallback): void {
  if (missing === undefined) test(name, run);
  else test.skip(`${name} [skipped: ${missing}]`, run);
}
const whyMissing = (found: object) => ("missing" in found ? String(found.missing) : undefined);

interface YamlProgram {
  resources?: Record<string, object>;
  variables?: Record<string, object>;
  outputs: Record<string, string>;
}

/** One program of them all: what each calls its resource, result and outputs gets a name of its own. */
function together(): YamlProgram {
  const all = { resources: {}, variables: {}, outputs: {} } satisfies YamlProgram;
  for (const { id, text } of programs("yaml")) {
    const { resources: made = {}, variables = {}, outputs } = parse(text) as YamlProgram;
    const own = [...Object.keys(made), ...Object.keys(variables)];
    expect(own).toHaveLength(1);
    Object.assign(
      all.resources,
      renamed(made, () => id),
    );
    Object.assign(
      all.variables,
      renamed(variables, () => id),
    );
    const expressions = renamed(outputs, (name) => `${id}_${name}`);
    for (const [name, value] of Object.entries(expressions)) {
      Object.assign(all.outputs, { [name]: value.replace(`\${${own[0]}.`, `\${${id}.`) });
    }
  }
  return all;
}

function renamed<T>(record: Record<string, T>, rename: (name: string) => string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [rename(name), value]));
}

testWith(
  missingHost("yaml"),
  "YAML: the engine makes them all in the emulator, and every output has a value",
  async () => {
    const emulator = await startEmulator({ seed: demoSeed });
    const project = await EngineProject.create({
      program: { "Pulumi.yaml": JSON.stringify({ name: "example", runtime: "yaml", ...together() }) },
      config: { "perimeter:project": "demo-project", "perimeter:grantMode": "merge" },
      env: emulator.env,
      path: [pluginFolder()],
      nodeModules: "none",
    });
    try {
      const made = await project.up();
      // The stack counts as a resource.
      const count = examples.filter(({ definition }) => definition.kind === "resource").length;
      expect(made.changes).toEqual({ create: count + 1 });
      const outputs = Object.entries(await project.outputs());
      expect(outputs).toHaveLength(examples.flatMap(({ example }) => Object.keys(example.outputs)).length);
      expect(outputs.filter(([, value]) => value === "" || value === null)).toEqual([]);
    } finally {
      await project.dispose();
      await emulator.stop();
    }
  },
);

test("TypeScript: type-checks strictly with the npm package, and with the plugin's SDK", () => {
  for (const npmPackage of [NPM_FRONT, NPM_SDK]) {
    for (const { id, text } of programs("typescript", npmPackage)) {
      fs.writeFileSync(path.join(work, `${id}.${npmPackage}.ts`), text);
    }
  }
  // tests/engine/plugin-typescript runs this example without its types.
  const example = path.join(repositoryRoot, "examples/firewall-plugin-typescript/index.ts");
  fs.copyFileSync(example, path.join(work, "firewall-plugin-typescript.ts"));
  const packages = path.join(work, "node_modules");
  for (const scope of ["@pulumi", "@types"]) {
    linkPackage(packages, scope, path.join(repositoryRoot, "node_modules", scope));
  }
  linkPackage(packages, NPM_FRONT, repositoryRoot);
  linkPackage(packages, NPM_SDK, nodeSdk());
  const options = { strict: true, noEmit: true, skipLibCheck: true, target: "es2022", types: ["node"] };
  const compilerOptions = { ...options, module: "node16", moduleResolution: "node16" };
  fs.writeFileSync(path.join(work, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  // TypeScript 7 takes a fifth of the time of TypeScript 5.
  const tsc = path.join(repositoryRoot, "node_modules/typescript7/bin/tsc");
  const checked = spawnSync(process.execPath, [tsc, "-p", work], { encoding: "utf8" });
  expect({ output: checked.stdout, status: checked.status }).toEqual({ output: "", status: 0 });
});

/** Runs each program, and prints what it exported. Lookups answer what the emulator did; resources, their inputs. */
const PYTHON_RUN = `
import json, sys, pulumi
answers, programs = json.load(sys.stdin)
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return [args.name + "_id", {"name": "made", "etag": "e", "state": "ACTIVE", "firewallEndpointAssociationId": "made", **args.inputs}]
    def call(self, args):
        return answers[args.token]
pulumi.runtime.set_mocks(Mocks())
exported = {}
for name, text in programs.items():
    values = {}
    pulumi.export = lambda key, value: values.__setitem__(key, value)
    @pulumi.runtime.test
    def run():
        exec(compile(text, name, "exec"), {"__name__": "__main__"})
        return pulumi.Output.all(**values).apply(lambda known: exported.__setitem__(name, known))
    run()
print(json.dumps(exported))
`;

testWith(whyMissing(python), "Python: each runs under mocks, and exports values", async () => {
  if ("missing" in python) return;
  const emulator = await startEmulator({ seed: demoSeed });
  const provider = new Provider({ project: "demo-project" }, emulator.env);
  const answers = await Promise.all(
    examples.flatMap(({ definition, example }) => {
      if (definition.kind === "resource") return [];
      const token = tokenOf(definition);
      return [provider.invoke(token, example.values, { timeout: 30_000 }).then((answer) => [token, answer])];
    }),
  ).finally(() => emulator.stop());
  const texts = Object.fromEntries(programs("python").map(({ id, text }) => [id, text]));
  const printed = execFileSync(python.python, ["-c", PYTHON_RUN], {
    input: JSON.stringify([Object.fromEntries(answers), texts]),
    encoding: "utf8",
    env: { ...python.env, PATH: python.bin, PYTHONPATH: pythonSdk(python) },
  });
  const exported = JSON.parse(printed) as Record<string, Record<string, unknown>>;
  for (const { id, example } of examples) {
    expect([id, Object.keys(exported[id] ?? {})]).toEqual([id, Object.keys(example.outputs)]);
    expect([id, Object.values(exported[id] ?? {})]).not.toEqual([id, expect.arrayContaining([null])]);
  }
});

testWith(whyMissing(go), "Go: each passes vet, and is formatted as gofmt does it", () => {
  if ("missing" in go) return;
  const module = path.join(work, "go");
  for (const { id, text } of programs("go")) {
    fs.mkdirSync(path.join(module, id.toLowerCase()), { recursive: true });
    fs.writeFileSync(path.join(module, id.toLowerCase(), "main.go"), text);
  }
  const example = path.join(repositoryRoot, "examples/firewall-go");
  const settings = fs.readFileSync(path.join(example, "go.mod"), "utf8");
  fs.writeFileSync(
    path.join(module, "go.mod"),
    settings.replace(`../../${SDK_FOLDERS.go}`, path.join(repositoryRoot, SDK_FOLDERS.go)),
  );
  fs.copyFileSync(path.join(example, "go.sum"), path.join(module, "go.sum"));
  const run = (command: string, ...args: string[]) =>
    execFileSync(path.join(go.bin, command), args, {
      cwd: module,
      env: { PATH: `${go.bin}${path.delimiter}${process.env.PATH ?? ""}`, HOME: process.env.HOME ?? "", ...go.env },
      encoding: "utf8",
    });
  run("go", "vet", "./...");
  expect(run("gofmt", "-l", ".")).toBe("");
});
