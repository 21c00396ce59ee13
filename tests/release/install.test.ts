/**
 * Everything that a release publishes is installed into an empty project, and runs on the real engine. `make test` builds only
 * the plugin's archives, which the engine downloads for a program with the SDK. Of the rest, contents.test.ts checks the npm
 * package, tests/engine/sdk the SDKs, and tools/release/*.test.ts the archives; `make release` runs all of this file.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { dependencies, devDependencies } from "../../package.json";
import { packageSchema } from "../../tools/schema";
import { VERSION } from "../../provider/version";
import { COMMAND, hostPlatform, PLATFORMS, PLUGIN } from "../../tools/build-plugin-platforms";
import { filesBelow } from "../../tools/files";
import { committedSdk, SDK_FOLDERS } from "../../tools/generate/sdk";
import { archiveName } from "../../tools/release/plugins";
import { run } from "../../tools/run";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../support/engine";
import { buildAhead, goEnvironment } from "../support/go";
import { JAVASCRIPT, MIGRATION_JOB, PROJECT } from "../support/programs";
import { ensureVenv } from "../support/python";
import type { ScriptedServer } from "../support/scripted-server";
import {
  downloadGoModule,
  installFromNpm,
  installFromPyPi,
  installSdk,
  releaseFolder,
  servePlugins,
  theFile,
  whole,
} from "../support/release";
import { leftOut, testInAll } from "../support/test-all";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const go = goEnvironment();
const python = ensureVenv();

let work: string;
let release: string;
let emulator: Emulator;
let server: ScriptedServer;
/** Paths that were asked for since the last look. */
const asked = () => server.requests.splice(0).map(({ path: each }) => each);
let project: EngineProject;

beforeAll(async () => {
  work = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-release-test-")));
  release = await releaseFolder(work);
  emulator = await startEmulator({ seed: demoSeed });
  server = await servePlugins(release);
  project = await EngineProject.create({
    program: {},
    runtime: "yaml",
    nodeModules: "none",
    config: { "perimeter:project": PROJECT },
    env: {
      ...emulator.env,
      // The engine downloads plugins automatically, from this server instead of GitHub.
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false",
      // It would ask Pulumi's registry for the plugin's name: without a network, for seven seconds.
      PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
      PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^github://api[.]github[.]com/(?P<path>.+)=${server.url}/\${path}`,
    },
  });
  project.writeFiles({ "package.json": `{ "name": "sample", "private": true, "main": "index.js" }\n` });
});

afterAll(async () => {
  await project?.dispose();
  await emulator?.stop();
  await server?.stop();
  fs.rmSync(work, { recursive: true, force: true });
});

interface Bom {
  components: { purl: string }[];
}

const GRANT = { name: MIGRATION_JOB, role: "roles/datamigration.admin", member: "group:database@example.com" };
const outputs = { member: GRANT.member, scope: "READY" };

const javascript = (name: string) => `
const perimeter = require("${name}");
const grant = new perimeter.datamigration.v1beta1.MigrationJobIamMember("grant", ${JSON.stringify(GRANT)});
exports.member = grant.member;
exports.scope = perimeter.fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" }).state.code;
`;

const PYTHON = `
import pulumi
import pulumi_perimeter as perimeter
grant = perimeter.datamigration.v1beta1.MigrationJobIamMember("grant", **${JSON.stringify(GRANT)})
pulumi.export("member", grant.member)
pulumi.export("scope", perimeter.fleet.v1beta.get_scope_output(location="global", scope_id="team-a").state.code)
`;

const { importBasePath } = packageSchema().language.go as { importBasePath: string };
const GO = `package main

import (
	datamigration "${importBasePath}/datamigration/v1beta1"
	fleet "${importBasePath}/fleet/v1beta"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		grant, err := datamigration.NewMigrationJobIamMember(ctx, "grant", &datamigration.MigrationJobIamMemberArgs{
			Name:   pulumi.String("${GRANT.name}"),
			Role:   pulumi.String("${GRANT.role}"),
			Member: pulumi.String("${GRANT.member}"),
		})
		if err != nil {
			return err
		}
		ctx.Export("member", grant.Member)
		ctx.Export("scope", fleet.LookupScopeOutput(ctx, fleet.LookupScopeOutputArgs{
			Location: pulumi.String("global"),
			ScopeId:  pulumi.String("team-a"),
		}).State().Code())
		return nil
	})
}
`;

const YAML = {
  resources: { grant: { type: "perimeter:datamigration/v1beta1:MigrationJobIamMember", properties: GRANT } },
  outputs: { member: "${grant.member}" },
};

/** Replaces the stack's program, and uninstalls the plugin. */
function become(runtime: unknown, files: Record<string, string>, more: Record<string, unknown> = {}): void {
  fs.rmSync(path.join(project.env.PULUMI_HOME as string, "plugins"), { recursive: true, force: true });
  project.writeFiles({ "Pulumi.yaml": JSON.stringify({ name: "sample", runtime, ...more }), ...files });
  asked();
}

/** The address that the engine derives from an SDK's pluginDownloadURL and version. */
const fetched = () =>
  `/${(/github[.]com\/(.+)$/.exec(packageSchema().pluginDownloadURL) ?? [])[1]}/${archiveName(hostPlatform())}`;

testInAll("SHA256SUMS lists each download, in the form of sha256sum", () => {
  const listed = fs.readFileSync(path.join(release, "SHA256SUMS"), "utf8").trimEnd().split("\n");
  const lines = ["npm", "python", "plugins", "sbom"].flatMap((folder) =>
    fs.readdirSync(path.join(release, folder)).map((name) => {
      const bytes = fs.readFileSync(path.join(release, folder, name));
      return `${createHash("sha256").update(bytes).digest("hex")}  ${name}`;
    }),
  );
  expect(listed.sort()).toEqual(lines.sort());
});

test("an archive contains the executable as plugin or as command, its license and the licenses of its parts", () => {
  const archives = fs.readdirSync(path.join(release, "plugins"));
  const platforms = whole ? PLATFORMS : [hostPlatform()];
  const names = [
    ...platforms.map((each) => archiveName(each, COMMAND)),
    ...[...platforms, "node" as const].map((each) => archiveName(each)),
  ];
  expect(archives.sort()).toEqual(names.sort());
  for (const archive of archives) {
    const held = run("tar", ["-tzf", path.join(release, "plugins", archive)])
      .trim()
      .split("\n");
    const program = archive.startsWith(COMMAND) ? COMMAND : PLUGIN;
    expect(held).toEqual(["LICENSE", "THIRD-PARTY-LICENSES", `${program}${archive.includes("windows") ? ".exe" : ""}`]);
  }
});

testInAll("the command, unpacked from its archive, is the same executable as the plugin", () => {
  const [command, plugin] = [COMMAND, PLUGIN].map((name) => {
    const folder = fs.mkdtempSync(path.join(work, "unpacked-"));
    run("tar", ["-xzf", path.join(release, "plugins", archiveName(hostPlatform(), name)), "-C", folder]);
    return path.join(folder, name);
  }) as [string, string];
  expect(fs.readFileSync(command).equals(fs.readFileSync(plugin))).toBe(true);
  expect(run(command, ["--help"])).toMatch(/^Usage: perimeter /);
  expect(run(plugin, ["--help"])).toMatch(/^usage: pulumi-resource-perimeter /);
});

testInAll("bills of materials name each dependency with its version", () => {
  const components = (file: RegExp) => {
    const bom = JSON.parse(fs.readFileSync(theFile(path.join(release, "sbom"), file), "utf8")) as Bom;
    return bom.components.map(({ purl }) => decodeURIComponent(purl));
  };
  const purls = Object.entries(dependencies).map(([name, version]) => `pkg:npm/${name}@${version}`);
  expect(components(/^pulumi-perimeter-/)).toEqual(expect.arrayContaining(purls));
  const plugin = components(/^pulumi-resource-perimeter-/);
  expect(plugin).toEqual(
    expect.arrayContaining([`pkg:npm/bun@${devDependencies.bun}`, `pkg:npm/zod@${dependencies.zod}`]),
  );
  // Of the command, which is in the executables.
  expect(plugin).toContain(`pkg:npm/commander@${dependencies.commander}`);
});

// tests/engine/dynamic/packed.test.ts runs programs with the package.
testInAll("npm: a program with pulumi-perimeter needs no other install", async () => {
  installFromNpm(release, "pulumi-perimeter", project.dir);
  become(JAVASCRIPT, { "index.js": javascript("pulumi-perimeter") });
  // The grant and the stack.
  expect((await project.up()).changes).toEqual({ create: 2 });
  expect(await project.outputs()).toEqual(outputs);
  expect(asked()).toEqual([]);
});

test("npm: a program with pulumi-perimeter-sdk downloads the plugin of its version automatically", async () => {
  installSdk(release, project.dir);
  become(JAVASCRIPT, { "index.js": javascript("pulumi-perimeter-sdk") });
  // After the test above, the plugin adopts the npm package's resource.
  expect((await project.up()).changes).toEqual(leftOut === undefined ? {} : { create: 2 });
  expect(await project.outputs()).toEqual(outputs);
  expect(asked()).toEqual([fetched()]);
});

/** A test that is skipped, with the reason in its name, if this machine lacks something. */
function testWith(missing: string | undefined, name: string, run: () => Promise<void>): void {
  if (missing === undefined) test(name, run);
  else test.skip(`${name} [skipped: ${missing}]`, run);
}

const missingOf = (found: object): string | undefined => ("missing" in found ? String(found.missing) : undefined);

testWith(
  leftOut ?? missingOf(python),
  "PyPI: a program finds the plugin by itself; wheel and sdist hold the same",
  async () => {
    if ("missing" in python) return;
    const folder = path.join(release, "python");
    const wheel = installFromPyPi(python, theFile(folder, /[.]whl$/), path.join(work, "wheel"));
    const sdist = installFromPyPi(python, theFile(folder, /[.]tar[.]gz$/), path.join(work, "sdist"));
    expect(contents(path.join(sdist, "pulumi_perimeter"))).toEqual(contents(path.join(wheel, "pulumi_perimeter")));

    become("python", { "__main__.py": PYTHON });
    const paths = [python.bin, project.env.PATH].join(path.delimiter);
    const env = { ...python.env, PATH: paths, PYTHONPATH: wheel };
    expect((await project.up({ env })).changes).toEqual({});
    expect(await project.outputs()).toEqual(outputs);
    expect(asked()).toEqual([fetched()]);
  },
);

testWith(
  leftOut ?? missingOf(go),
  "Go: a program finds the plugin by itself; the module is the SDK of the repository",
  async () => {
    if ("missing" in go) return;
    const module = downloadGoModule(go, release, work, `${importBasePath}@v${VERSION}`);
    const manifest = fs.readFileSync(path.join(module, "go.mod"), "utf8").replace(/^module .*$/m, "module sample");
    const sdk = path.join(repositoryRoot, SDK_FOLDERS.go);
    expect(contents(module)).toEqual(Object.fromEntries(committedSdk("go")));
    become("go", {
      "main.go": GO,
      // Go caches compiled code by folder: other tests have filled the cache for this folder.
      "go.mod": `${manifest}\nrequire ${importBasePath} v${VERSION}\nreplace ${importBasePath} => ${sdk}\n`,
      "go.sum": fs.readFileSync(path.join(module, "go.sum"), "utf8"),
    });
    buildAhead(go, project);
    expect((await project.up({ env: go.env })).changes).toEqual({});
    expect(await project.outputs()).toEqual(outputs);
    expect(asked()).toEqual([fetched()]);
  },
);

describe("the plugin, installed by hand for a YAML program", () => {
  const install = (...from: string[]) => project.run(["plugin", "install", "resource", "perimeter", VERSION, ...from]);

  testWith(leftOut ?? missingHost("yaml"), "from a server of archives", async () => {
    become("yaml", {}, YAML);
    await install("--server", server.url);
    expect(asked()).toEqual([`/${archiveName(hostPlatform())}`]);
    expect((await project.preview()).changes).toEqual({});
  });

  testWith(leftOut ?? missingHost("yaml"), "from the archive for Node.js", async () => {
    become("yaml", {}, YAML);
    await install("--file", path.join(release, "plugins", archiveName("node")));
    expect((await project.preview()).changes).toEqual({});
    expect(asked()).toEqual([]);
  });
});

/** Text of the files below a folder by their path. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(filesBelow(folder).map((file) => [file, fs.readFileSync(path.join(folder, file), "utf8")]));
}
