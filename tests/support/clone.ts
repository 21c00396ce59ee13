/** A clone of the repository, and a shell without the caller's environment, for tests that follow a document as a new user. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { engine, repositoryRoot } from "./engine";
import { onceInRun } from "./once-in-run";

/** Made by `make build`, which would take a minute in the clone. */
const BUILT = ["dist", "bin/pulumi-resource-perimeter", ".cache/build.stamp", ".cache/plugin.stamp"];

/** Makes a folder a git repository with the files of this one as they are, and with what `make build` made of them. */
export function makeClone(folder: string): void {
  const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
  const listed = git(repositoryRoot, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0");
  const files = listed.filter((file) => file !== "" && fs.existsSync(path.join(repositoryRoot, file)));
  for (const each of [...files, ...BUILT]) {
    // make compares times.
    const options = { recursive: true, preserveTimestamps: true };
    fs.cpSync(path.join(repositoryRoot, each), path.join(folder, each), options);
  }
  fs.symlinkSync(path.join(repositoryRoot, "node_modules"), path.join(folder, "node_modules"));
  git(folder, "init", "--quiet");
  // The pattern of .gitignore is for a folder, not for a link.
  fs.appendFileSync(path.join(folder, ".git/info/exclude"), "/node_modules\n");
  git(folder, "add", "--all");
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  git(folder, ...author, "commit", "--quiet", "--message", "The tree");
}

/** What git sees in the clone that was not there. */
export function leftIn(clone: string): string[] {
  const status = ["status", "--porcelain"];
  return execFileSync("git", status, { cwd: clone, encoding: "utf8" }).split("\n").filter(Boolean);
}

/** The environment of a user's shell. npm and pip take from the caller where they get packages and where they keep them. */
export function newcomersShell(home: string): Record<string, string> {
  const system = ["/usr/local/bin", "/usr/bin", "/bin"];
  // Of a new process, because jest changes this one's (runtime-authorities.cjs).
  const callers = execFileSync(process.execPath, ["--print", "JSON.stringify(process.env)"], { encoding: "utf8" });
  const settings = Object.entries(JSON.parse(callers) as Record<string, string>).filter(([name]) =>
    /^(npm_config_(registry|userconfig|cache)|PIP_\w+|HTTPS?_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS)$/i.test(name),
  );
  return {
    ...npmFolders(),
    // What npm fetched once is taken from its cache.
    npm_config_prefer_offline: "true",
    npm_config_update_notifier: "false",
    ...Object.fromEntries(settings),
    PATH: [engine().bin, path.dirname(process.execPath), ...system].join(path.delimiter),
    HOME: home,
    LANG: "C.UTF-8",
    PULUMI_SKIP_UPDATE_CHECK: "1",
  };
}

let folders: Record<string, string> | undefined;

/** The folders in which the caller's npm keeps its packages and its settings, as environment variables. */
function npmFolders(): Record<string, string> {
  if (folders === undefined) {
    const get = ["config", "get", "cache", "userconfig"];
    const lines = execFileSync("npm", get, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    // npm prints one line for each setting, such as `cache=/home/ada/.npm`.
    const settings = [...lines.matchAll(/^(\w+) ?= ?(.*)$/gm)];
    folders = Object.fromEntries(settings.map(([, key, value = ""]) => [`npm_config_${key}`, value]));
  }
  return folders;
}

/** Why npm cannot install what a program needs; undefined where it can. */
export function missingRegistry(): string | undefined {
  const view = ["view", "--prefer-offline", "@pulumi/pulumi@^3.142.0", "version"];
  return onceInRun("npm view", () => {
    try {
      execFileSync("npm", view, { stdio: ["ignore", "ignore", "pipe"], timeout: 60_000 });
      return undefined;
    } catch (error) {
      return `npm's registry cannot be reached: ${(error as Error).message.split("\n")[0] ?? ""}`;
    }
  });
}
