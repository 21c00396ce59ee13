/**
 * Examples as their READMEs have a newcomer run them, in a clone: with packages that npm, pip and Go fetch, on the real engine.
 * Afterwards git sees nothing that was not there before. `make test` runs the first examples of YAML and Python; of TypeScript,
 * README's quick start (tests/docs/snippets/quick-start.test.ts); of Go, the program of the first example
 * (tests/engine/go). The READMEs of the others have the same set-up; examples.test.ts, unit-tests.test.ts, pages.test.ts,
 * tests/engine/sdk and tests/engine/moves run their programs.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { leftIn, makeClone, missingRegistry, newcomersShell } from "../../support/clone";
import { engine, ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import { COMMON_OUTPUTS, LISTED_OUTPUTS } from "../../support/firewall";
import { freePort } from "../../support/free-port";
import { goEnvironment } from "../../support/go";
import { ensureVenv } from "../../support/python";
import { extract } from "../../support/snippets";
import { onceInRun } from "../../support/once-in-run";
import { casesHere, leftOut } from "../../support/test-all";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const missingOf = (found: object): string | undefined => ("missing" in found ? String(found.missing) : undefined);

/** Why an example cannot be run here; undefined where it can. */
function missingFor(example: string): string | undefined {
  const has = (file: string) => fs.existsSync(path.join(repositoryRoot, "examples", example, file));
  const plugin = example.startsWith("unique-names") ? missingRandom() : undefined;
  if (plugin !== undefined) return plugin;
  if (has("requirements.txt")) return missingOf(ensureVenv());
  if (has("go.mod")) return missingOf(goEnvironment());
  if (has("package.json")) return missingHost("nodejs") ?? missingRegistry() ?? missingHost("yaml");
  return missingHost("yaml");
}

/** Why the engine cannot get the plugin of `@pulumi/random` here; undefined where it can. */
function missingRandom(): string | undefined {
  return onceInRun("reaching Pulumi's plugins", () => {
    const { status } = spawnSync("curl", ["-fsI", "--max-time", "10", "https://get.pulumi.com/"]);
    return status === 0 ? undefined : "the plugin of @pulumi/random cannot be downloaded here";
  });
}

let root: string;
let clone: string;
const running: ChildProcess[] = [];
beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-examples-")));
  clone = path.join(root, "clone");
  makeClone(clone);
});
afterEach(() => {
  for (const { pid } of running.splice(0)) {
    try {
      // A group of its own: what the shell started ends with it.
      process.kill(-(pid as number), "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

const examples = fs.readdirSync(path.join(repositoryRoot, "examples"));

/** One for each language. */
const FIRST = ["firewall-yaml", "firewall-typescript", "firewall-python", "firewall-go"];
const HERE = ["firewall-yaml", "firewall-python"];
/** Those with the outputs of support/firewall.ts. */
const LISTED = ["firewall-typescript", "firewall-python", "firewall-go"];

/** Commands that set up an example, which all READMEs share. tests/docs/snippets/shell.test.ts checks that all commands exist. */
const SETS_UP = /^(make|export|npm install|python3|pip|go|node .* emulator|npx .* emulator|pulumi (stack|plugin)) /;
/** Set-up that is not in the README of a first example. */
const MORE = ["make -C ../.. build package", "pip install 'pulumi>=3.142.0,<4.0.0' pytest ../../sdk/python"];

/** The commands that set up an example, without comments. */
const setUpOf = (example: string) =>
  scriptsOf(path.join(repositoryRoot, "examples", example), 8790)
    .join("")
    .split("\n")
    .map((line) => line.replace(/ +#.*/, "").trim())
    .filter((line) => SETS_UP.test(`${line} `));

test.each(examples.filter((example) => !FIRST.includes(example)))(
  "the README of examples/%s sets up the example as the first example of its language",
  (example) => {
    const known = [...FIRST.flatMap(setUpOf), ...MORE];
    expect(setUpOf(example).filter((command) => !known.includes(command))).toEqual([]);
    expect(setUpOf(example)).not.toEqual([]);
  },
);

const [here, elsewhere] = [true, false].map((can) =>
  examples.filter((each) => (missingFor(each) === undefined) === can),
);
const nameOf = (name: string) => `examples/${name} works as its README says, and leaves no file that git would add`;
const run = casesHere(here ?? [], (name) => HERE.includes(name), nameOf);

for (const name of elsewhere ?? []) test.skip(`examples/${name} [skipped: ${missingFor(name)}]`, () => {});

test.each(run.map((name) => [nameOf(name), name] as const))("%s", async (_title, name) => {
  const port = await freePort();
  const folder = path.join(clone, "examples", name);
  const go = goEnvironment();
  const env: Record<string, string> = {
    ...newcomersShell(root),
    ...("missing" in go ? {} : go.env),
    TMPDIR: root,
    // `pulumi up` asks a person.
    PULUMI_SKIP_CONFIRMATIONS: "true",
    // `make lint` checks the types; Pulumi would check them at each run.
    TS_NODE_TRANSPILE_ONLY: "true",
    GOGC: "800",
    // Python compiles a module when a program imports it, and a program imports few modules of the SDK.
    PIP_NO_COMPILE: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    // An isolated build of the SDK first installs setuptools. `make test` takes setuptools from the environment: with the value
    // "0", pip builds without isolation.
    ...(leftOut === undefined ? {} : { PIP_NO_BUILD_ISOLATION: "0" }),
    // tests/engine/yaml/firewall.test.ts has the previews.
    ...(leftOut === undefined ? {} : { PULUMI_OPTION_SKIP_PREVIEW: "true" }),
  };
  if (!("missing" in go)) env.PATH += path.delimiter + go.bin;
  suitThisEngine(path.join(folder, "Pulumi.yaml"));
  shareModules(folder);
  shareVenv(folder);
  const [first = "", ...others] = scriptsOf(folder, port);
  const isServer = /\bemulator --port/.test(first);
  const outputs = path.join(root, `${name}.json`);
  // Behind the snippet that updates the stack. The next one destroys it.
  const rest = others.join(LISTED.includes(name) ? `pulumi stack output --json > '${outputs}'\n` : "");
  const terminals = isServer ? [first, rest] : [[first, ...others].join("")];
  if (isServer) await start(first, folder, env, /Emulator listening/);
  const { code, printed } = await start(terminals.at(-1) as string, folder, env);
  // The whole text: a comparison would leave out most of its lines.
  if (code !== (name === "review-in-ci" ? 2 : 0)) throw new Error(`The exit code is ${code}. It printed:\n${printed}`);
  expect(printed).not.toMatch(/^error:|\(node:\d+\)/m);
  if (LISTED.includes(name)) {
    expect(JSON.parse(fs.readFileSync(outputs, "utf8"))).toEqual({ ...COMMON_OUTPUTS, ...LISTED_OUTPUTS });
  }
  const seen = leftIn(clone).filter((line) => !line.endsWith("Pulumi.yaml"));
  expect(seen).toEqual([]);
});

/**
 * Gives an example the packages of one that ran before. Its own `npm install` then adds and removes what differs, in a tenth of
 * the time.
 */
function shareModules(folder: string): void {
  const modules = (example: string) => path.join(clone, "examples", example, "node_modules");
  const installed = examples.map(modules).find((each) => fs.existsSync(each));
  if (installed === undefined || !fs.existsSync(path.join(folder, "package.json"))) return;
  fs.cpSync(installed, path.join(folder, "node_modules"), { recursive: true, verbatimSymlinks: true });
}

/**
 * Gives an example the Python packages of the other tests. Its own `python3 -m venv` finds that pip is there, and `pip install`
 * adds the SDK and what is missing.
 */
function shareVenv(folder: string): void {
  const venv = ensureVenv();
  if ("missing" in venv || !fs.existsSync(path.join(folder, "requirements.txt"))) return;
  const [from, to] = [venv.env.VIRTUAL_ENV as string, path.join(folder, "venv")];
  fs.mkdirSync(path.join(to, "bin"), { recursive: true });
  // cp takes half of the time of Node.js, and keeps the times of files: Python compares them to use its compiled modules.
  execFileSync("cp", ["-Rp", path.join(from, "lib"), to]);
  // The first line of the script has the place of its Python.
  const pip = fs.readFileSync(path.join(from, "bin/pip"), "utf8").replaceAll(from, to);
  fs.writeFileSync(path.join(to, "bin/pip"), pip, { mode: 0o755 });
}

/** The shell snippets of an example's README, with a port that is free here. */
function scriptsOf(folder: string, port: number): string[] {
  const { snippets } = extract("README.md", fs.readFileSync(path.join(folder, "README.md"), "utf8"));
  return snippets.filter(({ kind }) => kind === "shell").map(({ text }) => text.replaceAll("8790", String(port)));
}

/** The YAML host that can be built here is older than the engine, and knows the block `config:` under its former name. */
function suitThisEngine(manifest: string): void {
  if (engine().source !== "build" || !fs.existsSync(manifest)) return;
  const text = fs.readFileSync(manifest, "utf8");
  if (/^runtime: yaml$/m.test(text)) fs.writeFileSync(manifest, text.replace(/^config:$/m, "configuration:"));
}

/** Runs a script in a shell, until a command fails, it ends or it has printed something. */
async function start(script: string, cwd: string, env: Record<string, string>, until?: RegExp) {
  const child = spawn("bash", ["-e", "-c", script], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  let printed = "";
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (until?.test(printed)) resolve();
      });
    }
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  const code = await Promise.race([ended, ...(until ? [ready] : [])]);
  return { code: code ?? undefined, printed };
}
