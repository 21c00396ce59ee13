/**
 * The package as users get it: what `npm pack` puts into the tarball, unpacked outside the repository, so that nothing
 * but the tarball's own files and the dependencies that it declares can be found by it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { filesBelow } from "../../tools/files";
import { packNpmPackage } from "../../tools/release/npm-package";
import { cacheFolder, removeOld } from "./cache";
import { repositoryRoot } from "./engine";
import { linkPackage, PROGRAM_PACKAGES } from "./node-modules";

export interface PackedPackage {
  tarball: string;
  /** The tarball's files by their path in the package, sorted. */
  files: string[];
  /** A node_modules folder with the unpacked tarball, its dependencies, the Pulumi SDK and the TypeScript tools. */
  nodeModules: string;
}

interface Manifest {
  version: string;
  files: string[];
  dependencies: Record<string, string>;
  bin: Record<string, string>;
}

/** What makes the tarball. */
const PACKING = "tools/release/npm-package.ts";

let packed: PackedPackage | undefined;

/**
 * Packs dist/ as it is; kept between runs by the content of what goes into the tarball.
 *
 * @throws Error when dist/ is missing or older than its sources: a test must not pass or fail for what was built earlier.
 */
export function packedPackage(): PackedPackage {
  packed ??= pack();
  return packed;
}

function pack(): PackedPackage {
  refuseStaleBuild();
  const manifest = manifestOf(repositoryRoot);
  const all = cacheFolder("pack");
  const root = path.join(all, digestOf([...manifest.files, "docs", "package.json", "README.md", "LICENSE", PACKING]));
  if (!fs.existsSync(root)) {
    removeOld(all);
    unpackInto(root, manifest);
  }
  const nodeModules = path.join(root, "node_modules");
  return {
    tarball: path.join(root, `pulumi-perimeter-${manifest.version}.tgz`),
    files: filesBelow(path.join(nodeModules, "pulumi-perimeter")),
    nodeModules,
  };
}

/** `make build` leaves a stamp; `make --question` would not do, as some of the Makefile's targets are never up to date. */
function refuseStaleBuild(): void {
  const stamp = path.join(repositoryRoot, ".cache", "build.stamp");
  const built = fs.existsSync(stamp) ? fs.statSync(stamp).mtimeMs : 0;
  const sources = ["access", "provider", "emulator", "cli"].flatMap((folder) =>
    filesBelow(path.join(repositoryRoot, folder))
      .filter((file) => !file.endsWith(".test.ts"))
      .map((file) => path.join(folder, file)),
  );
  const newer = [...sources, "require-node.cjs", "tsconfig.json", "tools/tsconfig.build.json"].find(
    (file) => fs.statSync(path.join(repositoryRoot, file)).mtimeMs > built,
  );
  if (newer === undefined && fs.existsSync(path.join(repositoryRoot, "dist"))) return;
  throw new Error(
    `dist/ is missing or older than ${newer ?? "its sources"}: run \`make build\` (\`make test\` does) and try again`,
  );
}

/** Several test files may do this at once: each works in a folder of its own, and the first to finish wins. */
function unpackInto(root: string, manifest: Manifest): void {
  const draft = `${root}.${process.pid}`;
  const nodeModules = path.join(draft, "node_modules");
  const target = path.join(nodeModules, "pulumi-perimeter");
  fs.mkdirSync(target, { recursive: true });
  packNpmPackage(draft, path.join(draft, "package"));
  fs.rmSync(path.join(draft, "package"), { recursive: true });
  const tarball = path.join(draft, `pulumi-perimeter-${manifest.version}.tgz`);
  execFileSync("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  for (const name of [...Object.keys(manifest.dependencies), ...PROGRAM_PACKAGES]) {
    linkPackage(nodeModules, name, path.join(repositoryRoot, "node_modules", name));
  }
  linkCommands(target, nodeModules);
  try {
    fs.renameSync(draft, root);
  } catch (error) {
    if (!fs.existsSync(root)) throw error;
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** As npm does it for an installed package. */
function linkCommands(packageFolder: string, nodeModules: string): void {
  for (const [name, file] of Object.entries(manifestOf(packageFolder).bin)) {
    const command = path.join(packageFolder, file);
    if (!fs.existsSync(command)) continue;
    fs.chmodSync(command, 0o755);
    const place = path.join(nodeModules, ".bin", name);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.symlinkSync(path.relative(path.dirname(place), command), place);
  }
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
}

function digestOf(entries: readonly string[]): string {
  // Another clone's package links to that clone's dependencies, which may be gone.
  const digest = createHash("sha256").update(repositoryRoot);
  for (const entry of entries) {
    const place = path.join(repositoryRoot, entry);
    if (!fs.existsSync(place)) continue;
    const files = fs.statSync(place).isDirectory() ? filesBelow(place) : [""];
    for (const file of files) {
      digest
        .update(`${entry}/${file}\0`)
        .update(fs.readFileSync(path.join(place, file)))
        .update("\0");
    }
  }
  return digest.digest("hex").slice(0, 16);
}
