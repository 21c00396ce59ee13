/** Go for programs that the engine runs: it has the user's toolchain and caches, and none of the user's other settings. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { committedSdk, SDK_FOLDERS } from "../../tools/generate/sdk";
import { cacheFolder, removeOld } from "./cache";
import { missingHost, repositoryRoot, type EngineProject } from "./engine";

export interface GoEnvironment {
  /** Goes on the program's PATH. */
  bin: string;
  env: Record<string, string>;
  version: string;
}

const kept = ["GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE"] as const;

let found: GoEnvironment | { missing: string } | undefined;

/** What a Go program needs to be built and run, or why it cannot be here. */
export function goEnvironment(): GoEnvironment | { missing: string } {
  const host = missingHost("go");
  found ??= host === undefined ? look() : { missing: host };
  return found;
}

function look(): GoEnvironment | { missing: string } {
  const asked = spawnSync("go", ["env", "-json", "GOROOT", "GOVERSION", ...kept], { encoding: "utf8" });
  if (asked.error || asked.status !== 0) return { missing: "Go is not on PATH" };
  const values = JSON.parse(asked.stdout) as Record<(typeof kept)[number] | "GOROOT" | "GOVERSION", string>;
  // Without symbols and what debuggers read, a program is linked in two thirds of the time.
  const flags = "-mod=readonly -buildvcs=false '-ldflags=-s -w'";
  const env: Record<string, string> = { GOFLAGS: flags, GOWORK: "off" };
  for (const name of kept) if (values[name]) env[name] = values[name];
  // Nothing is asked of the network where they are in the module cache.
  const modules = spawnSync("go", ["mod", "download"], {
    cwd: path.join(repositoryRoot, SDK_FOLDERS.go),
    encoding: "utf8",
  });
  if (modules.status !== 0)
    return { missing: `the Go modules of the SDK cannot be had: ${modules.stderr.split("\n")[0]}` };
  return { bin: path.join(values.GOROOT, "bin"), env, version: values.GOVERSION };
}

/** The whole environment of a Go command. */
export function goProcessEnv(go: GoEnvironment): Record<string, string> {
  return { PATH: `${go.bin}${path.delimiter}${process.env.PATH ?? ""}`, HOME: process.env.HOME ?? "", ...go.env };
}

/**
 * Builds the program of a project ahead, since the engine would build it at each run. A language host that is older than its
 * CLI does not understand the setting `binary`: it asks Go for the program's modules and builds it. So a `go` comes first on
 * the program's PATH, which answers a build with what was built and hands everything else to the real one.
 *
 * To link a program takes some seconds, so what was built is kept between runs by the content of the program and of the SDK.
 */
export function buildAhead(go: GoEnvironment, project: EngineProject): void {
  const real = path.join(go.bin, "go");
  const binary = path.join(cacheFolder("go"), digestOf(go, project.dir));
  if (!fs.existsSync(binary)) {
    removeOld(cacheFolder("go"));
    const draft = `${binary}.${process.pid}`;
    execFileSync(real, ["build", "-o", draft, "."], {
      cwd: project.dir,
      env: goProcessEnv(go),
      stdio: ["ignore", "ignore", "inherit"],
    });
    fs.renameSync(draft, binary);
  }
  project.useBinary(binary);
  const folder = path.join(path.dirname(project.dir), "go");
  fs.mkdirSync(folder);
  fs.writeFileSync(
    path.join(folder, "go"),
    `#!/bin/sh\nif [ "$1 $2" = "build -o" ]; then exec ln -sf '${binary}' "$3"; fi\nexec '${real}' "$@"\n`,
    { mode: 0o755 },
  );
  project.env.PATH = [folder, project.env.PATH].join(path.delimiter);
}

function digestOf({ version, env }: GoEnvironment, folder: string): string {
  const own = fs.readdirSync(folder).filter((name) => /[.]go$|^go[.](mod|sum)$/.test(name));
  const files = own.map((name) => [name, fs.readFileSync(path.join(folder, name), "utf8")]);
  return createHash("sha256")
    .update(JSON.stringify([repositoryRoot, version, env, files, ...committedSdk("go")]))
    .digest("hex")
    .slice(0, 16);
}
