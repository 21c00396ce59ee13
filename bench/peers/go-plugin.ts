import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../tests/support/cache";

/** The folder to put on PATH, or the reason why there is none. */
export type GoPeer = { folder: string; missing?: undefined } | { folder?: undefined; missing: string };

export const GO_PEER_TYPE = "benchpeer:index:Association";
export const GO_PEER_COMMAND = "pulumi-resource-benchpeer";
/** The peer of the command: a program in the same module, which parses a plan. */
export const GO_PLAN_COMMAND = "benchpeer-plan";

const SOURCE = join(__dirname, "go-plugin");
let found: GoPeer | undefined;

/**
 * The peers in Go, a plugin and a program. They are built from the Go module proxy the first time (two minutes on two cores) and kept in the cache
 * folder of tools/engine by their sources and the version of Go.
 */
export function goPeer(): GoPeer {
  found ??= look();
  return found;
}

function look(): GoPeer {
  const version = spawnSync("go", ["env", "GOVERSION"], { cwd: SOURCE, encoding: "utf8" });
  if (version.error ?? version.status !== 0) return { missing: "Go is not on PATH" };
  const digest = createHash("sha256").update(`${version.stdout}${process.platform}${process.arch}`);
  for (const file of ["main.go", "plan/main.go", "go.mod", "go.sum"]) digest.update(readFileSync(join(SOURCE, file)));
  const all = cacheFolder("bench");
  const folder = join(all, `go-plugin-${digest.digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return { folder };
  console.error("bench: building the peer in Go (about two minutes the first time)…");
  const draft = mkdtempSync(join(all, "draft-"));
  try {
    const programs = { [GO_PEER_COMMAND]: ".", [GO_PLAN_COMMAND]: "./plan" };
    for (const [name, source] of Object.entries(programs)) {
      execFileSync("go", ["build", "-o", join(draft, name), source], {
        cwd: SOURCE,
        // The user's flags are for the user's modules.
        env: { ...process.env, GOFLAGS: "-mod=readonly -buildvcs=false", GOWORK: "off" },
        encoding: "utf8",
        stdio: ["ignore", "ignore", "pipe"],
      });
    }
    renameSync(draft, folder);
    return { folder };
  } catch (error) {
    // Another run may have built it in the meantime.
    if (existsSync(folder)) return { folder };
    const lines = String((error as { stderr?: unknown }).stderr ?? error)
      .trim()
      .split("\n");
    return { missing: `it could not be built here: ${lines[lines.length - 1]}` };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The note of a result that lacks this peer. */
export function goPeerNotes(): string[] {
  const { missing } = goPeer();
  return missing === undefined ? [] : [`The Go plugin was not measured: ${missing}.`];
}
