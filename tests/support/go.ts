/** Go for programs that the engine runs: it has the user's toolchain and caches, and none of the user's other settings. */
import { execFileSync, spawnSync } from "node:child_process";
import * as path from "node:path";
import { SDK_FOLDERS } from "../../tools/generate/sdk";
import { missingHost, repositoryRoot } from "./engine";

export interface GoEnvironment {
  /** Goes on the program's PATH. */
  bin: string;
  env: Record<string, string>;
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
  const asked = spawnSync("go", ["env", "-json", "GOROOT", ...kept], { encoding: "utf8" });
  if (asked.error || asked.status !== 0) return { missing: "Go is not on PATH" };
  const values = JSON.parse(asked.stdout) as Record<(typeof kept)[number] | "GOROOT", string>;
  const env: Record<string, string> = { GOFLAGS: "-mod=readonly -buildvcs=false", GOWORK: "off" };
  for (const name of kept) if (values[name]) env[name] = values[name];
  // Nothing is asked of the network where they are in the module cache.
  const modules = spawnSync("go", ["mod", "download"], {
    cwd: path.join(repositoryRoot, SDK_FOLDERS.go),
    encoding: "utf8",
  });
  if (modules.status !== 0)
    return { missing: `the Go modules of the SDK cannot be had: ${modules.stderr.split("\n")[0]}` };
  return { bin: path.join(values.GOROOT, "bin"), env };
}

/** The whole environment of a Go command. */
export function goProcessEnv(go: GoEnvironment): Record<string, string> {
  return { PATH: `${go.bin}${path.delimiter}${process.env.PATH ?? ""}`, HOME: process.env.HOME ?? "", ...go.env };
}

/**
 * Builds a program ahead of a run, so that the engine does not build it anew each time; name the result in Pulumi.yaml
 * as `runtime: {name: go, options: {binary: ...}}`. `args` follow `go build`.
 */
export function goBuild(go: GoEnvironment, dir: string, out: string, args: string[] = ["."]): void {
  execFileSync(path.join(go.bin, "go"), ["build", "-o", out, ...args], {
    cwd: dir,
    env: goProcessEnv(go),
    stdio: ["ignore", "ignore", "inherit"],
  });
}
