/**
 * tools/engine/install.sh, with stand-ins for what it finds or runs: which way it takes, and what it says where it can
 * take none.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { repositoryRoot } from "../../support/engine";
import { ScriptedServer } from "../../support/scripted-server";

jest.setTimeout(60_000);

const script = path.join(repositoryRoot, "tools/engine/install.sh");
const VERSION = /^PULUMI_VERSION=(.*)$/m.exec(
  fs.readFileSync(path.join(repositoryRoot, "tools/engine/lib.sh"), "utf8"),
)?.[1];
let root: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-install-"));
  fs.mkdirSync(path.join(root, "bin"));
  // Only the system's own tools: no Go, curl or pulumi but the stand-ins.
  for (const name of tools) {
    const real = ["/usr/bin", "/bin"].map((dir) => path.join(dir, name)).find((file) => fs.existsSync(file));
    if (real) fs.symlinkSync(real, path.join(root, "bin", name));
  }
});

afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const tools =
  "bash sh env cat cp cut cksum dirname basename find grep gzip head install ln ls mkdir mktemp mv readlink rm sed sha256sum shasum sleep sort tail tar touch tr uname wc chmod".split(
    " ",
  );

function standIn(name: string, text: string): void {
  const file = path.join(root, "bin", name);
  // Not through the link to the system's own tool.
  fs.rmSync(file, { force: true });
  fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

interface Answer {
  code: number | null;
  stdout: string;
  stderr: string;
}

function install(args: string[] = [], env: Record<string, string> = {}, from = script): Promise<Answer> {
  const child = spawn(path.join(root, "bin/bash"), [from, ...args], {
    env: {
      PATH: path.join(root, "bin"),
      HOME: path.join(root, "home"),
      PERIMETER_CACHE: path.join(root, "cache"),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text) => (stdout += text));
  child.stderr.on("data", (text) => (stderr += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

const noSite = 'echo "curl: (6) no such host" >&2; exit 6';

/** A `go` that "builds" by writing the programs, and counts how often it does. */
const goodGo = (extra = "") => `
case "$1" in
  env) case "$2" in GOVERSION) echo go1.26.0 ;; *) echo auto ;; esac ;;
  list) case "$2" in -m) echo "${path.join(root, "sdk")}" ;; *) echo some/package ;; esac ;;
  build)
    ${extra}
    echo "\${PWD##*/}" >>"${path.join(root, "builds")}"
    all="$*"
    while [ "$1" != -o ]; do shift; done
    case "\${PWD##*/} $all" in
      *programgen*) names="programgen programgen-yaml" ;;
      cli*) names="pulumi" ;;
      hosts*)
        names="pulumi-language-nodejs"
        case "$all" in *" tool") names="$names pulumi-language-python pulumi-language-go" ;; esac ;;
      yaml*) names="pulumi-language-yaml" ;;
    esac
    for name in $names; do echo "#!/bin/sh" >"$2/$name"; chmod +x "$2/$name"; done ;;
esac`;

/** A build that other callers find under way. */
const LONG_ENOUGH = "sleep 0.3";

function writeSdk(): void {
  fs.mkdirSync(path.join(root, "sdk/python/cmd"), { recursive: true });
  fs.writeFileSync(path.join(root, "sdk/python/cmd/pulumi-language-python-exec"), "");
}

test("a new enough CLI on PATH is used, with the available hosts", async () => {
  standIn("pulumi", "echo v3.142.0");
  standIn("pulumi-language-nodejs", "");
  const answer = JSON.parse((await install(["--json"])).stdout);
  expect(answer).toMatchObject({ source: "path", version: "3.142.0" });
  expect(fs.realpathSync(path.join(answer.bin, "pulumi"))).toBe(fs.realpathSync(path.join(root, "bin/pulumi")));
  expect(answer.hosts.nodejs.path).toBe(path.join(answer.bin, "pulumi-language-nodejs"));
  expect(answer.hosts.go.missing).toMatch(/pulumi-language-go is neither next to .*pulumi nor on PATH/);
  expect(fs.existsSync(path.join(answer.bin, "pulumi-resource-pulumi-nodejs"))).toBe(true);
  // Pulumi's programs only: the folder is first on PATH, and must not bring in another Node.js.
  expect(fs.readdirSync(answer.bin).filter((name) => !name.startsWith("pulumi"))).toEqual([]);
});

test("callers at the same time make the folder of links for a CLI on PATH once", async () => {
  standIn("pulumi", "echo v3.142.0");
  // The callers start together and each finds no folder; the first one works long enough for the others to wait.
  standIn("readlink", "sleep 1");
  standIn("ln", `echo made >>"${path.join(root, "links")}"; exec ${fs.realpathSync("/usr/bin/ln")} "$@"`);
  const answers = await Promise.all([install(["--json"]), install(["--json"]), install(["--json"])]);
  const [first] = answers.map(({ stdout }) => stdout);
  expect(answers).toEqual(answers.map(() => expect.objectContaining({ code: 0, stdout: first })));
  expect(fs.readFileSync(path.join(root, "links"), "utf8")).toBe("made\n");
});

test.each([["v3.141.9"], ["v2.25.0"], ["v4.0.0"], [""]])("a CLI of version %p is not used", async (version) => {
  standIn("pulumi", `echo ${version}`);
  const answer = await install([], { PERIMETER_ENGINE: "path" });
  expect(answer.code).toBe(1);
  expect(answer.stderr).toContain("3.142.0 or newer is needed");
});

/** A release as Pulumi publishes it, on a server of this machine; the real curl fetches it. */
class Release {
  private readonly files = new Map<string, Buffer | string>();

  private constructor(private server?: ScriptedServer) {}

  static async start(): Promise<Release> {
    const release = new Release();
    release.server = await ScriptedServer.start(({ path: asked }) => {
      const body = release.files.get(path.basename(asked));
      return body === undefined ? { status: 404 } : { body };
    });
    fs.symlinkSync("/usr/bin/curl", path.join(root, "bin/curl"));
    const folder = path.join(root, "archive/pulumi");
    fs.mkdirSync(folder, { recursive: true });
    for (const name of ["pulumi", "pulumi-language-nodejs", "pulumi-language-yaml"]) {
      fs.writeFileSync(path.join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
    }
    const archive = execFileSync("tar", ["-czf", "-", "-C", path.dirname(folder), "pulumi"]);
    release.files.set(release.archive, archive);
    release.publish(createHash("sha256").update(archive).digest("hex"));
    return release;
  }

  /** The list of digests as the release has it. */
  publish(digest: string, name = this.archive): void {
    this.files.set(this.list, `${"0".repeat(64)}  pulumi-v${VERSION}-windows-x64.zip\n${digest}  ${name}\n`);
  }

  readonly list = `pulumi-${VERSION}-checksums.txt`;
  readonly archive = `pulumi-v${VERSION}-${process.platform}-${process.arch}.tar.gz`;

  get env(): Record<string, string> {
    return { PERIMETER_ENGINE_SITE: this.server?.url ?? "", NO_PROXY: "127.0.0.1" };
  }

  get requests(): string[] {
    return this.server?.requests.map(({ url }) => url) ?? [];
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }
}

describe("a release", () => {
  let release: Release;
  // A server for each: what it was asked for counts.
  beforeEach(async () => {
    release = await Release.start();
  });
  afterEach(() => release.stop());
  const download = (env: Record<string, string> = {}, from?: string) =>
    install(["--json"], { PERIMETER_ENGINE: "download", ...release.env, ...env }, from);

  test("is downloaded as the archive of one version, checked and unpacked, once", async () => {
    const first = await download({ PERIMETER_ENGINE: "auto" });
    expect(release.requests).toEqual([`/v${VERSION}/${release.list}`, `/v${VERSION}/${release.archive}`]);
    const answer = JSON.parse(first.stdout);
    expect(answer).toMatchObject({ source: "download", version: VERSION });
    expect(fs.readdirSync(answer.bin)).toEqual(expect.arrayContaining(["pulumi", "pulumi-resource-pulumi-nodejs"]));
    expect(answer.hosts.python.missing).toMatch(/not part of the official CLI/);
    expect(fs.existsSync(path.join(root, "home"))).toBe(false);
    // The archive is not kept, and the second time nothing is fetched.
    expect(fs.readdirSync(path.dirname(answer.bin)).sort()).toEqual(["bin", "missing", "version"]);
    expect(JSON.parse((await download()).stdout)).toEqual(answer);
    expect(release.requests).toHaveLength(2);
  });

  test.each<[string, () => void, RegExp]>([
    [
      "another archive than the published one",
      () => release.publish("f".repeat(64)),
      /is not what the release published/,
    ],
    [
      "a list without the archive",
      () => release.publish("f".repeat(64), "other.tar.gz"),
      /list of digests does not have/,
    ],
  ])("is not used: %s", async (_what, arrange, message) => {
    arrange();
    const { code, stderr } = await download();
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(fs.readdirSync(path.join(root, "cache/engine"))).toEqual([]);
  });

  test("a digest in the repository overrides the site's digest", async () => {
    const copy = path.join(root, "engine");
    fs.cpSync(path.dirname(script), copy, { recursive: true });
    fs.writeFileSync(path.join(copy, release.list), `${"a".repeat(64)}  ${release.archive}\n`);
    const { code, stderr } = await download({}, path.join(copy, "install.sh"));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${"a".repeat(64)} was expected`)]);
    expect(release.requests).toEqual([`/v${VERSION}/${release.archive}`]);
  });
});

test("a download is given up when no data arrives, not because it is slow", async () => {
  standIn("curl", `echo "$*" >"${path.join(root, "asked")}"; exit 28`);
  await install([], { PERIMETER_ENGINE: "download" });
  const asked = fs.readFileSync(path.join(root, "asked"), "utf8");
  expect(asked).toMatch(/--speed-limit 1 --speed-time \d\d /);
  expect(asked).not.toContain("--max-time");
});

test("without the site, the engine is built once for concurrent callers, and then reused", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo(LONG_ENOUGH));
  writeSdk();
  const answers = await Promise.all([install(["--json"]), install(["--json"]), install(["--json"])]);
  for (const answer of answers) expect(JSON.parse(answer.stdout)).toMatchObject({ source: "build" });
  expect(fs.readFileSync(path.join(root, "builds"), "utf8")).toBe("cli\nhosts\nyaml\n");
  expect(answers.map((answer) => answer.stderr).join()).toMatch(/\[1\/3\] Pulumi CLI/);

  fs.rmSync(path.join(root, "bin/go"));
  const again = await install();
  expect(again.code).toBe(0);
  expect(again.stderr).not.toContain("[1/3]");
  expect(again.stdout.trim()).toBe(JSON.parse(answers[0].stdout).bin);
  // No partial download and no lock is left.
  expect(fs.readdirSync(path.join(root, "cache/engine"))).toHaveLength(1);
});

test("when a host does not build, only its language is missing, and the reason is kept", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo('if [ "${PWD##*/}" = yaml ]; then echo "no space \\"left\\"" >&2; exit 1; fi'));
  writeSdk();
  const answer = JSON.parse((await install(["--json"])).stdout);
  expect(answer.hosts.yaml.missing).toBe("pulumi-language-yaml could not be built here: no space left");
  expect(answer.hosts.go.missing).toBeUndefined();
});

test("a failed build shows its output and leaves no files", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo('echo "cannot find module" >&2; exit 1'));
  const answer = await install();
  expect(answer.code).not.toBe(0);
  expect(answer.stderr).toMatch(/failed after[^]*cannot find module[^]*could not be built/);
  expect(fs.readdirSync(path.join(root, "cache/engine"))).toEqual([]);
});

test("an interruption ends the build and leaves no files", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo(`echo $$ >"${path.join(root, "pid")}"; exec sleep 50`));
  const running = spawn(path.join(root, "bin/bash"), [script], {
    env: { PATH: path.join(root, "bin"), PERIMETER_CACHE: path.join(root, "cache") },
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => running.on("close", resolve));
  const pidFile = path.join(root, "pid");
  while (!fs.existsSync(pidFile) || !fs.readFileSync(pidFile, "utf8")) await sleep(50);
  running.kill("SIGTERM");
  expect(await ended).toBe(143);
  expect(() => process.kill(Number(fs.readFileSync(pidFile, "utf8")), 0)).toThrow("ESRCH");
  expect(fs.readdirSync(path.join(root, "cache/engine"))).toEqual([]);
});

test("for Node.js programs only their host is built; other hosts are built later, without building the CLI again", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo());
  writeSdk();
  const nodejs = JSON.parse((await install(["--json"], { PERIMETER_ENGINE_HOSTS: "nodejs" })).stdout);
  expect(nodejs.hosts.nodejs.path).toBe(path.join(nodejs.bin, "pulumi-language-nodejs"));
  expect(nodejs.hosts.python.missing).toContain("was not requested");
  const all = JSON.parse((await install(["--json"])).stdout);
  expect([all.hosts.python.missing, all.hosts.yaml.missing]).toEqual([undefined, undefined]);
  expect(fs.existsSync(path.join(all.bin, "pulumi"))).toBe(true);
  expect(fs.readFileSync(path.join(root, "builds"), "utf8")).toBe("cli\nhosts\nhosts\nyaml\n");
  // What has all hosts serves Node.js programs too.
  expect(JSON.parse((await install(["--json"], { PERIMETER_ENGINE_HOSTS: "nodejs" })).stdout).bin).toBe(all.bin);
});

test("the hosts that generate programs are built on demand, once", async () => {
  standIn("go", goodGo(LONG_ENOUGH));
  const answers = await Promise.all([install(["--programgen"]), install(["--programgen"])]);
  const bin = answers[0].stdout.trim();
  expect(answers.map(({ code, stdout }) => [code, stdout.trim()])).toEqual(answers.map(() => [0, bin]));
  expect(fs.readFileSync(path.join(root, "builds"), "utf8")).toBe("cli\nyaml\n");
  for (const name of ["nodejs", "python", "go", "yaml"]) fs.accessSync(path.join(bin, `pulumi-language-${name}`));
});

test("only folders that were not used recently are removed when a new one is added", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo());
  writeSdk();
  const engines = path.join(root, "cache/engine");
  const day = 24 * 60 * 60;
  for (const [name, days] of Object.entries({
    "v3.1.0-old": 15,
    "v3.2.0-other-checkout": 3,
    "sdkgen.part.Killed": 20,
  })) {
    fs.mkdirSync(path.join(engines, name), { recursive: true, mode: 0o700 });
    fs.chmodSync(path.join(root, "cache"), 0o700);
    const used = Date.now() / 1000 - days * day;
    fs.utimesSync(path.join(engines, name), used, used);
  }
  const { bin } = JSON.parse((await install(["--json"])).stdout);
  const made = path.basename(path.dirname(bin));
  expect(fs.readdirSync(engines).sort()).toEqual([made, "v3.2.0-other-checkout"].sort());
  // A use counts as much as the making.
  const before = Date.now() / 1000 - 15 * day;
  fs.utimesSync(path.dirname(bin), before, before);
  await install(["--json"]);
  expect(fs.statSync(path.dirname(bin)).mtimeMs).toBeGreaterThan(Date.now() - day * 1000);
});

test("the lock of a dead process is taken over, also when another process has its id now", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo());
  writeSdk();
  const first = JSON.parse((await install(["--json"])).stdout);
  const target = path.dirname(first.bin);
  for (const owner of ["999999999 1", `${process.pid} 1`]) {
    fs.rmSync(target, { recursive: true });
    fs.mkdirSync(`${target}.lock`);
    fs.writeFileSync(`${target}.lock/owner`, owner);
    expect(JSON.parse((await install(["--json"])).stdout)).toEqual(first);
  }
});

describe("a lock that cannot be created ends the script with one error", () => {
  const real = (name: string) => fs.realpathSync(path.join("/usr/bin", name));
  beforeEach(() => standIn("pulumi", "echo v3.142.0"));

  test.each<[string, () => void, RegExp]>([
    [
      "its folder is a file",
      () => {
        fs.mkdirSync(path.join(root, "cache"), { mode: 0o700 });
        fs.writeFileSync(path.join(root, "cache/engine"), "");
      },
      /^mkdir: .*cache\/engine.*: (File exists|Not a directory)\n$/,
    ],
    [
      "the disk is full",
      () =>
        standIn(
          "mkdir",
          `case "$*" in *.lock) echo "mkdir: $*: No space left on device" >&2; exit 1 ;; esac; exec ${real("mkdir")} "$@"`,
        ),
      /^engine: the lock .*[.]lock cannot be created: mkdir: .*: No space left on device\n$/,
    ],
    [
      "the lock of an ended process cannot be removed",
      () => {
        standIn("mkdir", `${real("mkdir")} "$@" && case "$*" in *.lock) echo 999999999 1 >"$1/owner"; exit 1 ;; esac`);
        standIn("mv", 'echo "mv: Read-only file system" >&2; exit 1');
      },
      /^engine: the lock .*[.]lock cannot be created: mv: Read-only file system\n$/,
    ],
  ])("%s", async (_why, arrange, message) => {
    arrange();
    const { code, stdout, stderr } = await install(["--json"]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
  });
});

test.each<[string, string | undefined, string | RegExp]>([
  ["no Go", undefined, "Go is not on PATH"],
  ["an old Go", "echo go1.20.3", "Go 1.20.3 is older than 1.21"],
  [
    "a Go that may not fetch the one that is needed",
    'case "$2" in GOVERSION) [ "$GOTOOLCHAIN" = local ] && echo go1.22.1 ;; *) echo local ;; esac',
    /Go 1\.22\.1 is older than 1\.2\d[.\d]*, and GOTOOLCHAIN=local keeps it from downloading that/,
  ],
])("%s: the message has a remedy", async (_name, go, message) => {
  standIn("curl", noSite);
  if (go) standIn("go", go);
  const answer = await install();
  expect(answer.code).toBe(1);
  expect(answer.stderr).toMatch(message);
  expect(answer.stderr).toMatch(/install the Pulumi CLI[^]*install Go/);
});

test("an unknown option or way is refused", async () => {
  expect((await install(["--nonsense"])).stderr).toContain("unknown option --nonsense");
  expect((await install([], { PERIMETER_ENGINE: "guess" })).stderr).toContain('"guess"');
  expect((await install([], { PERIMETER_ENGINE_VERSION: "3.1" })).stderr).toContain('"3.1"; it can be earlier');
});

test("all files name the same versions of Pulumi, and each Python package has its digests", () => {
  const text = (name: string) => fs.readFileSync(path.join(path.dirname(script), name), "utf8");
  const [, sdk] = /^SDK_VERSION=(.*)$/m.exec(text("lib.sh")) ?? [];
  expect(text("newest/cli/go.mod")).toContain(`github.com/pulumi/pulumi/pkg/v3 v${VERSION}`);
  expect(text("cli/go.mod")).toContain(`github.com/pulumi/pulumi/pkg/v3 v${sdk}`);
  expect(text("python.in")).toContain(`\npulumi==${sdk}\n`);
  const packages = text("python.txt").split(/\n(?=\w)/);
  expect(packages.map((each) => each.split(" ")[0])).toContain(`pulumi==${sdk}`);
  for (const each of packages.slice(1)) {
    expect(each).toMatch(/^[\w.-]+==[\w.]+ (; .* )?\\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n?)+$/);
  }
});
