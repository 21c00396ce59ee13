import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port";
import { missingPackages } from "../support/npm-folder";

const folder = join(__dirname, "registry");
const program = join(folder, "node_modules/verdaccio/bin/verdaccio");

/** Installs Verdaccio, a package registry. @returns why it cannot be installed here; undefined where it is installed */
export function missingRegistry(): string | undefined {
  return missingPackages(folder, "a package registry (about 60 MB)");
}

export interface Registry {
  /** npm's environment: this registry, and an account that may publish. */
  env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/**
 * Starts a registry on loopback. It serves packages of others from the registry that npm is configured for.
 *
 * @param work keeps the registry's packages and accounts: a registry that is started again has them
 * @param options.refused a package that nobody may publish
 */
export async function startRegistry(work: string, options: { refused?: string } = {}): Promise<Registry> {
  mkdirSync(work, { recursive: true });
  const upstream = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).stdout.trim();
  const config = {
    storage: join(work, "storage"),
    auth: { htpasswd: { file: join(work, "htpasswd") } },
    uplinks: { upstream: { url: upstream } },
    packages: {
      ...(options.refused ? { [options.refused]: { access: "$all", publish: "nobody" } } : {}),
      "pulumi-perimeter*": { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "upstream" },
    },
    web: { enable: false },
    log: { type: "stdout", format: "json", level: "warn" },
  };
  writeFileSync(join(work, "config.yaml"), JSON.stringify(config));
  const port = await freePort();
  const registry = spawn(process.execPath, [program, "--config", "config.yaml", "--listen", `127.0.0.1:${port}`], {
    cwd: work,
  });
  const log = createWriteStream(join(work, "log"));
  registry.stdout.pipe(log);
  registry.stderr.pipe(log, { end: false });
  const url = `http://127.0.0.1:${port}/`;
  await answers(`${url}-/ping`, registry);
  const userconfig = join(work, "npmrc");
  if (!existsSync(userconfig)) await createAccount(url, join(work, "token"));
  const token = readFileSync(join(work, "token"), "utf8");
  writeFileSync(userconfig, `registry=${url}\n//127.0.0.1:${port}/:_authToken=${token}\n`);
  const { NPM_CONFIG_REGISTRY: _a, npm_config_registry: _b, ...environment } = process.env;
  return {
    env: { ...environment, NPM_CONFIG_USERCONFIG: userconfig, NPM_CONFIG_CACHE: join(work, "cache") },
    stop: () =>
      new Promise((resolve) => {
        if (registry.exitCode !== null || registry.signalCode !== null) return resolve();
        registry.once("exit", () => resolve()).kill();
      }),
  };
}

/** What `npm adduser` sends, which asks on a terminal. */
async function createAccount(url: string, file: string): Promise<void> {
  const response = await fetch(`${url}-/user/org.couchdb.user:maintainer`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "maintainer", password: "rehearsal" }),
  });
  const { token } = (await response.json()) as { token: string };
  writeFileSync(file, token, { mode: 0o600 });
}

async function answers(url: string, registry: ChildProcess): Promise<void> {
  while (registry.exitCode === null) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the registry ended with exit code ${registry.exitCode}`);
}
