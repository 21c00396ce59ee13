/**
 * tools/engine/install.sh, with stand-ins for what it finds or runs: which way it takes, and what it says where it can
 * take none. That the real ways lead to a working engine is what engine.test.ts is about.
 */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { repositoryRoot } from "../../support/engine";

jest.setTimeout(60_000);

const script = path.join(repositoryRoot, "tools/engine/install.sh");
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
  "bash sh env cat cp cut cksum dirname basename grep head install ln ls mkdir mktemp mv readlink rm sed sha256sum shasum sleep sort tail timeout touch tr uname wc chmod".split(
    " ",
  );

function standIn(name: string, text: string): void {
  fs.writeFileSync(path.join(root, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

interface Answer {
  code: number | null;
  stdout: string;
  stderr: string;
}

function install(args: string[] = [], env: Record<string, string> = {}): Promise<Answer> {
  const child = spawn(path.join(root, "bin/bash"), [script, ...args], {
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
  env) echo go1.25.0 ;;
  list) case "$2" in -m) echo "${path.join(root, "sdk")}" ;; *) echo some/package ;; esac ;;
  build)
    ${extra}
    echo "\${PWD##*/}" >>"${path.join(root, "builds")}"
    while [ "$1" != -o ]; do shift; done
    case "\${PWD##*/}" in
      cli) names="pulumi" ;;
      hosts) names="pulumi-language-nodejs pulumi-language-python pulumi-language-go" ;;
      yaml) names="pulumi-language-yaml" ;;
    esac
    sleep 0.3
    for name in $names; do echo "#!/bin/sh" >"$2/$name"; chmod +x "$2/$name"; done ;;
esac`;

function writeSdk(): void {
  fs.mkdirSync(path.join(root, "sdk/python/cmd"), { recursive: true });
  fs.writeFileSync(path.join(root, "sdk/python/cmd/pulumi-language-python-exec"), "");
}

test("a new enough CLI on PATH is used, with the hosts that are there", async () => {
  standIn("pulumi", "echo v3.142.0");
  standIn("pulumi-language-nodejs", "");
  const answer = JSON.parse((await install(["--json"])).stdout);
  expect(answer).toMatchObject({ source: "path", version: "3.142.0" });
  expect(fs.realpathSync(path.join(answer.bin, "pulumi"))).toBe(fs.realpathSync(path.join(root, "bin/pulumi")));
  expect(answer.hosts.nodejs.path).toBe(path.join(answer.bin, "pulumi-language-nodejs"));
  expect(answer.hosts.go.missing).toMatch(/pulumi-language-go is neither beside .*pulumi nor on PATH/);
  expect(fs.existsSync(path.join(answer.bin, "pulumi-resource-pulumi-nodejs"))).toBe(true);
  // Pulumi's programs only: the folder is first on PATH, and must not bring in another Node.js.
  expect(fs.readdirSync(answer.bin).filter((name) => !name.startsWith("pulumi"))).toEqual([]);
});

test.each([["v3.141.9"], ["v2.25.0"], ["v4.0.0"], [""]])("a CLI of version %p is not used", async (version) => {
  standIn("pulumi", `echo ${version}`);
  const answer = await install([], { PERIMETER_ENGINE: "path" });
  expect(answer.code).toBe(1);
  expect(answer.stderr).toContain("3.142.0 or newer is needed");
});

test("the official installer is used where its site can be reached, and leaves the user's home alone", async () => {
  standIn("curl", `while [ "$1" != -o ]; do shift; done; cp "${path.join(root, "installer")}" "$2"`);
  fs.writeFileSync(
    path.join(root, "installer"),
    `while [ $# -gt 0 ]; do case "$1" in --install-root) where=$2 ;; esac; shift; done
mkdir -p "$where/bin" "$HOME/.pulumi"
for name in pulumi pulumi-language-nodejs pulumi-language-yaml; do echo "#!/bin/sh" >"$where/bin/$name"; chmod +x "$where/bin/$name"; done`,
  );
  const answer = JSON.parse((await install(["--json"])).stdout);
  expect(answer.source).toBe("download");
  expect(answer.hosts.python.missing).toMatch(/not part of the official CLI/);
  expect(fs.existsSync(path.join(root, "home"))).toBe(false);
  // The second time nothing is fetched.
  standIn("curl", noSite);
  expect(JSON.parse((await install(["--json"])).stdout)).toEqual(answer);
});

test("without the site it is built, once for callers at the same time, and then reused", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo());
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

test("a host that does not build costs its language only, and its reason is kept", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo('if [ "${PWD##*/}" = yaml ]; then echo "no space \\"left\\"" >&2; exit 1; fi'));
  writeSdk();
  const answer = JSON.parse((await install(["--json"])).stdout);
  expect(answer.hosts.yaml.missing).toBe("pulumi-language-yaml could not be built here: no space left");
  expect(answer.hosts.go.missing).toBeUndefined();
});

test("a failed build shows its output and leaves nothing behind", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo('echo "cannot find module" >&2; exit 1'));
  const answer = await install();
  expect(answer.code).not.toBe(0);
  expect(answer.stderr).toMatch(/failed after[^]*cannot find module[^]*could not be built/);
  expect(fs.readdirSync(path.join(root, "cache/engine"))).toEqual([]);
});

test("interrupted, it ends the build and leaves nothing behind", async () => {
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

test("the lock of a process that has died is taken over", async () => {
  standIn("curl", noSite);
  standIn("go", goodGo());
  writeSdk();
  const first = JSON.parse((await install(["--json"])).stdout);
  const target = path.dirname(first.bin);
  fs.rmSync(target, { recursive: true });
  fs.mkdirSync(`${target}.lock`);
  fs.writeFileSync(`${target}.lock/pid`, "999999999");
  expect(JSON.parse((await install(["--json"])).stdout)).toEqual(first);
});

test.each([
  ["no Go", undefined, "Go is not on PATH"],
  ["an old Go", "echo go1.20.3", "Go 1.20.3 is older than 1.21"],
])("%s: the message says what can be done", async (_name, go, message) => {
  standIn("curl", noSite);
  if (go) standIn("go", go);
  const answer = await install();
  expect(answer.code).toBe(1);
  expect(answer.stderr).toContain(message);
  expect(answer.stderr).toMatch(/install the Pulumi CLI[^]*install Go/);
});

test("an unknown option or way is refused", async () => {
  expect((await install(["--nonsense"])).stderr).toContain("unknown option --nonsense");
  expect((await install([], { PERIMETER_ENGINE: "guess" })).stderr).toContain('"guess"');
});
