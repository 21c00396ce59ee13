/** The steps of the release workflow that publish, with failures in the middle, and again: npm and git themselves, and a stand-in of gh. */
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { parse } from "yaml";
import { VERSION } from "../../provider/version";
import { archive } from "../../tools/release/archive";
import { repositoryRoot } from "../support/engine";
import { ScriptedServer, type Answered, type ServedRequest } from "../support/scripted-server";

jest.setTimeout(120_000);

const TAG = `v${VERSION}`;

let work: string;

beforeAll(() => (work = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-publish-test-")))));
afterAll(() => fs.rmSync(work, { recursive: true, force: true }));

interface Run {
  exitCode: number;
  output: string;
}

const { jobs } = parse(fs.readFileSync(path.join(repositoryRoot, ".github/workflows/release.yml"), "utf8")) as {
  jobs: Record<string, { needs?: string; steps: { name?: string; run?: string }[] }>;
};

/** Runs the step of a job that publishes, as GitHub's runners do: https://docs.github.com/actions/reference/workflows-and-actions */
async function publish(job: string, env: NodeJS.ProcessEnv, cwd = work): Promise<Run> {
  const script = jobs[job]?.steps.find(({ name }) => name?.startsWith("Publish"))?.run as string;
  const child = spawn("bash", ["-e", "-c", script], { cwd, env: { ...env, GITHUB_REF_NAME: TAG } });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const exitCode = await new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  return { exitCode, output };
}

test("each job publishes only after all tests and a rehearsal, and after the plugin that its SDK makes the engine download", () => {
  expect(jobs.build?.steps.flatMap(({ run }) => run ?? [])).toEqual([
    "make test-all",
    'make release tag="$GITHUB_REF_NAME"',
  ]);
  expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
    ["build", undefined],
    ["plugin", "build"],
    ["npm", "plugin"],
    ["pypi", "plugin"],
    ["go", "plugin"],
  ]);
});

/** The two calls of a package registry that publish: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md */
class PackageRegistry {
  readonly packages = new Map<string, { versions: Record<string, object> }>();
  refused: string | undefined;

  readonly script = ({ method, path: asked, json }: ServedRequest): Answered => {
    const name = asked.slice(1);
    const known = this.packages.get(name);
    if (method === "GET") return known ? { body: known } : { status: 404, body: { error: "not found" } };
    if (this.refused === name) return { status: 403, body: { error: "forbidden" } };
    const { versions, "dist-tags": tags } = json() as Record<string, Record<string, object>>;
    this.packages.set(
      name,
      Object.assign({ name, "dist-tags": tags }, { versions: { ...known?.versions, ...versions } }),
    );
    return { status: 201, body: { ok: true } };
  };
}

describe("the packages for npm", () => {
  const NAMES = ["pulumi-perimeter", "pulumi-perimeter-sdk"];
  const registry = new PackageRegistry();
  let server: ScriptedServer;
  let env: NodeJS.ProcessEnv;

  /** Writes an npm package with this content into the release. */
  async function pack(name: string, content: string): Promise<void> {
    const folder = path.join(work, "unpacked");
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(path.join(folder, "package"), { recursive: true });
    fs.writeFileSync(path.join(folder, "package/package.json"), JSON.stringify({ name, version: VERSION }));
    fs.writeFileSync(path.join(folder, "package/index.js"), content);
    fs.mkdirSync(path.join(work, "release/npm"), { recursive: true });
    await archive(folder, path.join(work, `release/npm/${name}-${VERSION}.tgz`), new Date(0));
  }

  beforeAll(async () => {
    server = await ScriptedServer.start(registry.script);
    // The version before, which a maintainer publishes by hand (docs/releasing.md).
    for (const name of NAMES) {
      registry.packages.set(name, { versions: { "0.0.1": { name, version: "0.0.1" } } });
      await pack(name, "one");
    }
    const userconfig = path.join(work, "npmrc");
    fs.writeFileSync(userconfig, `registry=${server.url}/\n//${server.host}/:_authToken=t0ken\n`);
    const { NPM_CONFIG_REGISTRY: _a, npm_config_registry: _b, ...environment } = process.env;
    env = {
      ...environment,
      NPM_CONFIG_USERCONFIG: userconfig,
      NPM_CONFIG_CACHE: path.join(work, "cache"),
      NPM_CONFIG_FETCH_RETRIES: "0",
    };
  });
  afterAll(() => server.stop());

  const published = () => NAMES.filter((name) => VERSION in (registry.packages.get(name)?.versions ?? {}));

  test("a second run publishes the package that the first run could not, and skips the other", async () => {
    registry.refused = NAMES[1];
    expect((await publish("npm", env)).exitCode).not.toBe(0);
    expect(published()).toEqual([NAMES[0]]);

    registry.refused = undefined;
    const again = await publish("npm", env);
    expect(again.output).toContain(`${NAMES[0]}@${VERSION} was published before`);
    expect(again.exitCode).toBe(0);
    expect(published()).toEqual(NAMES);
  });

  test("a package with different content is refused, because its version is taken", async () => {
    const before = JSON.stringify([...registry.packages]);
    await pack(NAMES[0] as string, "two");
    const refused = await publish("npm", env);
    expect(refused.output).toContain(`${NAMES[0]}@${VERSION} was published with different content`);
    expect(refused.exitCode).toBe(1);
    expect(JSON.stringify([...registry.packages])).toBe(before);
  });

  test("an unreachable registry is an error, and nothing counts as missing", async () => {
    await server.stop();
    const failed = await publish("npm", { ...env, NPM_CONFIG_CACHE: path.join(work, "empty-cache") });
    expect(failed.output).toContain("npm cannot read it: ECONNREFUSED");
    expect(failed.exitCode).not.toBe(0);
  });
});

describe("GitHub's release", () => {
  // gh talks to https://api.github.com alone, so this stands in its place: each call, whether the release is a draft, its files.
  const GH = `#!/usr/bin/env bash
echo "$1 $2 $3" >>calls
case "$2" in
  list) cat draft 2>/dev/null || true ;;
  create) echo true >draft ;;
  upload) [ ! -e broken ] || { rm broken; exit 1; }; for file in "\${@:5}"; do basename "$file"; done >assets ;;
  edit) echo false >draft ;;
  view) cat assets ;;
esac
`;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const at = (name: string) => path.join(folder, name);
  const calls = () => {
    const made = fs.readFileSync(at("calls"), "utf8").trim().split("\n");
    fs.rmSync(at("calls"));
    return made.map((line) => line.split(" ")[1]);
  };

  beforeAll(() => {
    folder = path.join(work, "github");
    for (const file of ["release/plugins/linux.tar.gz", "release/sbom/plugin.json", "release/SHA256SUMS", "bin/gh"]) {
      fs.mkdirSync(path.dirname(at(file)), { recursive: true });
      fs.writeFileSync(at(file), GH, { mode: 0o755 });
    }
    env = { ...process.env, PATH: `${at("bin")}:${process.env.PATH}` };
  });

  test("is a draft until all files are uploaded, and a second run uploads them to the same draft", async () => {
    fs.writeFileSync(at("broken"), "");
    expect((await publish("plugin", env, folder)).exitCode).toBe(1);
    expect(calls()).toEqual(["list", "create", "upload"]);

    expect((await publish("plugin", env, folder)).exitCode).toBe(0);
    expect(calls()).toEqual(["list", "upload", "edit", "view"]);
  });

  test("does not change once it is published", async () => {
    expect((await publish("plugin", env, folder)).exitCode).toBe(0);
    expect(calls()).toEqual(["list", "view"]);
  });

  test("that was published without a file is an error that names the file", async () => {
    fs.writeFileSync(at("assets"), "linux.tar.gz\nSHA256SUMS\n");
    const failed = await publish("plugin", env, folder);
    expect(failed.output).toContain(`${TAG} was published without plugin.json`);
    expect(failed.exitCode).toBe(1);
    expect(calls()).toEqual(["list", "view"]);
  });
});

describe("the tag of the Go module", () => {
  const NAME = `refs/tags/sdk/go/perimeter/${TAG}`;
  const clone = () => path.join(work, "clone");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: clone(), encoding: "utf8" }).trim();
  const commit = () => git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x");

  beforeAll(() => {
    execFileSync("git", ["init", "--quiet", "--bare", path.join(work, "origin")]);
    execFileSync("git", ["clone", "--quiet", path.join(work, "origin"), clone()], { stdio: "pipe" });
    commit();
  });

  test("is pushed once, and a second run changes nothing", async () => {
    expect((await publish("go", process.env, clone())).exitCode).toBe(0);
    expect((await publish("go", process.env, clone())).exitCode).toBe(0);
    expect(git("ls-remote", "origin", NAME)).toContain(git("rev-parse", "HEAD"));
  });

  test("never moves to another commit", async () => {
    const published = git("ls-remote", "origin", NAME);
    commit();
    const refused = await publish("go", process.env, clone());
    expect(refused.output).toContain("already exists");
    expect(refused.exitCode).toBe(1);
    expect(git("ls-remote", "origin", NAME)).toBe(published);
  });
});
