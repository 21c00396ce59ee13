/** The SDKs in sdk/: fresh, installable, named as the interface says, and free of what should not be in them. */
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as dynamic from "../../../provider/dynamic";
import { resources } from "../../../provider/services";
import { committedSdk, generatedSdk, SDK_FOLDERS, SDK_LANGUAGES } from "../../../tools/generate/sdk";
import { cacheFolder } from "../../support/cache";
import { ENGINE_TIMEOUT_MS, engine, EngineProject, repositoryRoot } from "../../support/engine";
import { goEnvironment } from "../../support/go";
import { linkPackage } from "../../support/node-modules";
import { nodeSdk, pluginFolder, pythonSdk } from "../../support/plugin";
import { ensureVenv } from "../../support/python";
import { testInAll } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const go = goEnvironment();
const python = ensureVenv();

const { version: packageVersion } = JSON.parse(
  fs.readFileSync(path.join(repositoryRoot, "package.json"), "utf8"),
) as { version: string };

/** A test that is skipped, with the reason in its name, where something cannot be had on this machine. */
function testWith(needed: object, name: string, run: () => void): void {
  if ("missing" in needed) test.skip(`${name} [skipped: ${String(needed.missing)}]`, run);
  else test(name, run);
}

describe.each(SDK_LANGUAGES)("%s", (language) => {
  testWith(go, "is what `make generate` writes", () => {
    const [wanted, found] = [generatedSdk(language), committedSdk(language)];
    expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [file, text] of wanted) expect({ file, text: found.get(file) }).toEqual({ file, text });
  });

  test("does not copy the program's environment into a provider's inputs", () => {
    const [, provider] = [...committedSdk(language)].find(([file]) => /(^|\/)provider\.(ts|py|go)$/.test(file)) ?? [];
    expect(provider).toMatch(/accessToken|access_token/i);
    expect(provider?.match(/\b(utilities\.getEnv\w*|get_env\w*|GetEnv\w*|os\.\w+|process\.env)/)?.[0]).toBeUndefined();
  });

  test("contains no helper files of the generation", () => {
    for (const [file, text] of committedSdk(language)) {
      if (file !== "LICENSE") expect({ file, reserved: /\breserved\b/i.test(text) }).toEqual({ file, reserved: false });
    }
  });
});

describe("the npm package", () => {
  const load = () => jest.requireActual<Record<string, unknown>>(nodeSdk());

  test("has the modules and names of the dynamic front", () => {
    const names = (module: object): Record<string, string[]> =>
      Object.fromEntries(
        Object.entries(module)
          .filter(([service]) => !["config", "types", "Provider", "ProviderArgs"].includes(service))
          .flatMap(([service, versions]) =>
            Object.entries(versions as object).map(([version, members]) => [
              `${service}.${version}`,
              Object.keys(members as object).sort(),
            ]),
          ),
      );
    const both = names(dynamic);
    expect(both).toMatchObject({ "fleet.v1beta": ["getScope", "getScopeOutput"] });
    expect(names(load())).toEqual(both);
  });

  // Pulumi checks the types of this example in tests/engine/plugin-typescript, by the same settings.
  testInAll("type-checks strictly, and so does the example that uses it", () => {
    const sdk = nodeSdk();
    const work = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-check-"));
    try {
      fs.cpSync(path.join(repositoryRoot, "examples/firewall-plugin-typescript"), work, { recursive: true });
      const packages = path.join(work, "node_modules");
      for (const scope of ["@pulumi", "@types"]) {
        linkPackage(packages, scope, path.join(repositoryRoot, "node_modules", scope));
      }
      linkPackage(packages, "pulumi-perimeter-sdk", sdk);
      const tsc = path.join(repositoryRoot, "node_modules/.bin/tsc");
      const checked = spawnSync(tsc, ["-p", work, "--noEmit", "--types", "node"], { encoding: "utf8" });
      expect({ output: checked.stdout, status: checked.status }).toEqual({ output: "", status: 0 });
    } finally {
      fs.rmSync(work, { recursive: true, force: true });
    }
  });

  test("names its repository, its version, and the plugin that it needs", () => {
    const root = nodeSdk();
    const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as Record<string, string>;
    expect(manifest).toMatchObject({
      name: "pulumi-perimeter-sdk",
      version: packageVersion,
      pulumi: { resource: true, name: "perimeter", version: packageVersion },
    });
    for (const key of ["main", "types"]) expect(fs.existsSync(path.join(root, manifest[key] as string))).toBe(true);
  });
});

const PYTHON_CHECK = `
import compileall, inspect, sys
import pulumi_perimeter as perimeter
assert compileall.compile_dir(sys.argv[1] + "/pulumi_perimeter", quiet=1, legacy=False), "does not compile"
assert hasattr(perimeter, "Provider")
lookups = {
    perimeter.fleet.v1beta: ["get_scope"],
    perimeter.eventing.v1: ["get_trigger", "get_trigger_iam_policy"],
    perimeter.apigateway.v1beta: ["get_gateway_iam_policy"],
}
for module, names in lookups.items():
    for name in names:
        for form in (name, name + "_output"):
            print(form, *inspect.signature(getattr(module, form)).parameters)
print("association", *inspect.signature(perimeter.networksecurity.v1beta1.FirewallEndpointAssociationArgs).parameters)
print("grants", perimeter.datamigration.v1beta1.MigrationJobIamMember.__name__, perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember.__name__)
`;

testWith(python, "the Python package installs, compiles, and has its names in snake_case", () => {
  if ("missing" in python) return;
  const sdk = pythonSdk(python);
  const said = execFileSync(python.python, ["-c", PYTHON_CHECK, sdk], {
    encoding: "utf8",
    env: { ...python.env, PATH: python.bin, PYTHONPATH: sdk, PYTHONPYCACHEPREFIX: cacheFolder("pycache") },
  });
  expect(said.trim().split("\n")).toEqual([
    "get_scope location project scope_id opts",
    "get_scope_output location project scope_id opts",
    "get_trigger location project trigger_id opts",
    "get_trigger_output location project trigger_id opts",
    "get_trigger_iam_policy location options_requested_policy_version project trigger_id opts",
    "get_trigger_iam_policy_output location options_requested_policy_version project trigger_id opts",
    "get_gateway_iam_policy gateway_id location options_requested_policy_version project opts",
    "get_gateway_iam_policy_output gateway_id location options_requested_policy_version project opts",
    "association firewall_endpoint network firewall_endpoint_association_id labels location project request_id tls_inspection_policy",
    "grants MigrationJobIamMember DatasetFhirStoreIamMember",
  ]);
});

testWith(go, "the Go module builds, passes vet, and has its lookups named Lookup", () => {
  if ("missing" in go) return;
  const run = (...args: string[]) =>
    execFileSync(path.join(go.bin, "go"), args, {
      cwd: path.join(repositoryRoot, SDK_FOLDERS.go),
      env: { PATH: `${go.bin}${path.delimiter}${process.env.PATH ?? ""}`, HOME: process.env.HOME ?? "", ...go.env },
      encoding: "utf8",
    });
  // `go vet` checks the types of all packages, and compiles those that others import.
  run("vet", "./...");
  const functions = ["fleet/v1beta", "eventing/v1", "apigateway/v1beta"].flatMap((folder) =>
    [...run("doc", "-short", `./${folder}`).matchAll(/^\s*func (\w+)\(/gm)].map(([, name]) => name),
  );
  // `Get` and a resource's name reads that resource.
  const ofResources = resources.map(({ definition }) => `Get${definition.name}`);
  const rest = functions.filter((name = "") => /^(Get|Lookup)/.test(name) && !ofResources.includes(name));
  expect(rest.sort()).toEqual([
    "LookupGatewayIamPolicy",
    "LookupGatewayIamPolicyOutput",
    "LookupScope",
    "LookupScopeOutput",
    "LookupTrigger",
    "LookupTriggerIamPolicy",
    "LookupTriggerIamPolicyOutput",
    "LookupTriggerOutput",
  ]);
});

describe("the schema", () => {
  let project: EngineProject;
  beforeAll(async () => {
    project = await EngineProject.create({ program: {}, runtime: "yaml", nodeModules: "none", path: [pluginFolder()] });
  });
  afterAll(() => project?.dispose());

  test("passes `pulumi schema check`", async () => {
    const checked = await project.run(["schema", "check", path.join(repositoryRoot, "sdk/schema.json")]);
    expect(checked.stdout + checked.stderr).not.toMatch(/warning|error/i);
  });

  test("equals the result of `pulumi package get-schema` on the built binary", async () => {
    const asked = await project.run(["package", "get-schema", path.join(pluginFolder(), "pulumi-resource-perimeter")]);
    const committed = JSON.parse(fs.readFileSync(path.join(repositoryRoot, "sdk/schema.json"), "utf8")) as object;
    // The engine says it again in its own order, without empty parts.
    expect(JSON.parse(asked.stdout)).toMatchObject({ ...committed, version: packageVersion });
    expect(tokens(JSON.parse(asked.stdout) as object)).toEqual(tokens(committed));
  });

  test("`pulumi package info` finds the resources in the binary", async () => {
    const said = await project.run(["package", "info", path.join(pluginFolder(), "pulumi-resource-perimeter")]);
    const shown = stripVTControlCharacters(said.stdout);
    expect(shown).toMatch(/^Name: perimeter$/m);
    expect(shown.split("\n")).toContain(`Version: ${packageVersion}`);
    expect(said.stdout).toMatch(new RegExp(`Total resources\\S* ${resources.length}\n`));
  });

  test(`\`pulumi package add\` of the binary gets as far as the language host (${engine().source})`, async () => {
    const add = ["package", "add", path.join(pluginFolder(), "pulumi-resource-perimeter")];
    const added = await project.run(add, { fail: "maybe" });
    // Hosts that can be built here are older than this command; those of a current CLI know it.
    if (engine().source === "build") expect(added.stdout + added.stderr).toMatch(/not implemented|Unimplemented/);
    else expect(added.code).toBe(0);
  });
});

function tokens(schema: object): Record<string, string[]> {
  const parts = schema as Record<string, object | undefined>;
  return Object.fromEntries(
    ["resources", "functions", "types"].map((part) => [part, Object.keys(parts[part] ?? {}).sort()]),
  );
}
