/** The examples of unit tests, run by jest, vitest and pytest as a user runs them. vitest and pytest are fetched once. */
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { cacheFolder } from "../../support/cache";
import { ENGINE_TIMEOUT_MS, repositoryRoot } from "../../support/engine";
import { linkPackages } from "../../support/node-modules";
import { packedPackage } from "../../support/pack";
import { pythonSdk } from "../../support/plugin";
import { ensureVenv, type PythonEnvironment } from "../../support/python";
import { skipped } from "../../support/skipped";
import { leftOut } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const TYPESCRIPT = path.join(repositoryRoot, "examples/unit-tests-typescript");
const PYTHON = path.join(repositoryRoot, "examples/unit-tests-python");
const { HOME = "", PATH = "" } = process.env;

const PIP_INSTALL = ["-m", "pip", "install", "--disable-pip-version-check", "--quiet"];

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-unit-tests-")));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The example beside its packages: each as a link, because `node_modules` is of several folders. */
function copyOfExample(more: Record<string, string>): string {
  const copy = path.join(folder, "example");
  fs.cpSync(TYPESCRIPT, copy, { recursive: true });
  const { nodeModules } = packedPackage();
  linkPackages(path.join(copy, "node_modules"), nodeModules, more);
  return copy;
}

function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}): SpawnSyncReturns<string> {
  return spawnSync(command, args, { cwd, encoding: "utf8", env: { HOME, PATH, NO_COLOR: "1", ...env } });
}

/** With the caller's settings of registries and proxies, and not for ever where there is no network. */
function fetch(command: string, args: string[]): SpawnSyncReturns<string> {
  return spawnSync(command, args, { encoding: "utf8", timeout: 90_000 });
}

test("jest", () => {
  const modules = path.join(repositoryRoot, "node_modules");
  const cwd = copyOfExample({ jest: path.join(modules, "jest"), "@swc": path.join(modules, "@swc") });
  const ran = run(process.execPath, ["node_modules/jest/bin/jest.js", "--ci"], cwd);
  expect(ran.stderr).toMatch(/Tests: +6 passed, 6 total/);
});

// jest runs the same tests through the same module of the package.
const vitest =
  leftOut !== undefined
    ? { folder: "", missing: leftOut }
    : installed("vitest", () => {
        const { devDependencies } = JSON.parse(fs.readFileSync(path.join(TYPESCRIPT, "package.json"), "utf8")) as {
          devDependencies: { vitest: string };
        };
        return {
          wanted: `vitest-${devDependencies.vitest}`,
          install: (target) => {
            const args = ["install", "--prefix", target, "--no-audit", "--no-fund", "--loglevel=error"];
            return fetch("npm", [...args, `vitest@${devDependencies.vitest}`]);
          },
        };
      });

(vitest.missing === undefined ? test : test.skip)(`vitest${skipped(vitest.missing)}`, () => {
  const modules = path.join(vitest.folder, "node_modules");
  const cwd = copyOfExample({ vitest: path.join(modules, "vitest") });
  const ran = run(process.execPath, [path.join(modules, "vitest/vitest.mjs"), "run", "--globals"], cwd);
  expect(ran.stdout).toMatch(/Tests +6 passed \(6\)/);
});

const python = ensureVenv();
const pytest =
  "missing" in python
    ? { folder: "", missing: python.missing }
    : installed("pytest", () => ({
        wanted: "pytest-8.4.2",
        install: (target) => fetch(python.python, [...PIP_INSTALL, "--target", target, "pytest==8.4.2"]),
      }));

(pytest.missing === undefined ? test : test.skip)(`pytest${skipped(pytest.missing)}`, () => {
  const environment = python as PythonEnvironment;
  const packages = [pythonSdk(environment), pytest.folder].join(path.delimiter);
  const ran = run(environment.python, ["-m", "pytest", "-p", "no:cacheprovider"], PYTHON, {
    ...environment.env,
    PYTHONPATH: packages,
  });
  expect(ran.stdout).toMatch(/2 passed/);
});

interface Tool {
  /** Its name with its version. */
  wanted: string;
  install(target: string): SpawnSyncReturns<string>;
}

/** A tool in the cache folder, fetched at the first need; without the network, the reason why it is not there. */
function installed(name: string, tool: () => Tool): { folder: string; missing?: string } {
  const { wanted, install } = tool();
  const target = path.join(cacheFolder("unit-tests"), wanted);
  const stamp = path.join(target, ".complete");
  if (fs.existsSync(stamp)) return { folder: target };
  fs.mkdirSync(target, { recursive: true });
  const { status, stderr } = install(target);
  if (status !== 0) return { folder: target, missing: `${name} cannot be had: ${stderr.trim().split("\n").at(-1)}` };
  fs.writeFileSync(stamp, "");
  return { folder: target };
}
