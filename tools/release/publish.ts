import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * Publishes one part of a release that `make release` built:
 *
 *   publish.ts npm FOLDER            the packages in FOLDER/npm, to the registry that npm is configured for
 *   publish.ts github FOLDER TAG     the plugins, bills of materials and checksums, as the repository's release
 *   publish.ts go TAG                the tag of the Go module, in the repository of the current folder
 *
 * After a failure, publish a part again: it adds only what is missing. It never changes a published file, and fails if one
 * differs.
 *
 * The jobs that run this may publish, so it uses only Node.js: no third-party code runs with access to a publishing token.
 */
async function main([part, ...args]: string[]): Promise<void> {
  if (part === "npm" && args.length === 1) return publishToNpm(args[0] as string);
  if (part === "github" && args.length === 2) return publishToGitHub(args[0] as string, args[1] as string);
  if (part === "go" && args.length === 1) return publishToGo(args[0] as string);
  throw new Error("usage: publish.ts npm FOLDER | github FOLDER TAG | go TAG");
}

function publishToNpm(folder: string): void {
  const packages = filesIn(join(folder, "npm")).filter((file) => file.endsWith(".tgz"));
  if (packages.length === 0) throw new Error(`${join(folder, "npm")} has no packages`);
  for (const file of packages) {
    const id = packageId(file);
    const published = publishedIntegrity(id);
    const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    if (published === undefined) {
      execFileSync("npm", ["publish", file, "--access", "public"], { stdio: "inherit" });
      say(`${id} is published`);
    } else if (published === integrity) {
      say(`${id} was published before`);
    } else {
      throw new Error(`${id} was published with different content. Release the next version`);
    }
  }
}

/** `name@version` of a packed package. */
function packageId(file: string): string {
  const manifest = execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" });
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  return `${name}@${version}`;
}

/**
 * The checksum of a package in the registry; undefined if the registry does not have the package or version.
 *
 * @throws Error when the registry cannot be reached
 */
function publishedIntegrity(id: string): string | undefined {
  const { stdout, stderr, status, error } = spawnSync(
    "npm",
    ["view", id, "dist.integrity", "--json", "--prefer-online"],
    {
      encoding: "utf8",
    },
  );
  if (error) throw error;
  const printed = JSON.parse(stdout || "null") as string | { error: { code: string } } | null;
  if (typeof printed === "string") return printed;
  if (status === 0 || printed?.error.code === "E404") return undefined;
  throw new Error(`npm cannot read ${id}: ${stderr}`);
}

/** The parts of https://docs.github.com/rest/releases that are used here. */
interface GitHubRelease {
  id: number;
  tag_name: string;
  draft: boolean;
  upload_url: string;
  assets: { id: number; name: string }[];
}

/** Keeps the release a draft, which only maintainers see, until all files are uploaded. */
async function publishToGitHub(folder: string, tag: string): Promise<void> {
  const files = [
    ...filesIn(join(folder, "plugins")),
    ...filesIn(join(folder, "sbom")),
    join(folder, "SHA256SUMS"),
  ] as const;
  const published = await gitHub<GitHubRelease | undefined>("GET", `releases/tags/${tag}`, undefined, 404);
  if (published) {
    const held = published.assets.map(({ name }) => name);
    const missing = files.map((file) => basename(file)).filter((name) => !held.includes(name));
    if (missing.length > 0)
      throw new Error(`${tag} was published without ${missing.join(", ")}. Release the next version`);
    return say(`${tag} was published before`);
  }
  if (!(await gitHub("GET", `git/ref/tags/${tag}`, undefined, 404)))
    throw new Error(`the repository has no tag ${tag}`);
  const releases = await gitHub<GitHubRelease[]>("GET", "releases?per_page=100");
  const body = readFileSync(join(folder, "notes.md"), "utf8");
  const draft =
    releases.find((each) => each.draft && each.tag_name === tag) ??
    (await gitHub<GitHubRelease>("POST", "releases", { tag_name: tag, name: tag, body, draft: true }));
  for (const file of files) {
    const before = draft.assets.find(({ name }) => name === basename(file));
    // An interrupted upload leaves its name behind.
    if (before) await gitHub("DELETE", `releases/assets/${before.id}`);
    const upload = `${draft.upload_url.replace(/\{.*$/, "")}?name=${encodeURIComponent(basename(file))}`;
    await gitHub("POST", upload, readFileSync(file));
    say(`${basename(file)} is uploaded`);
  }
  await gitHub("PATCH", `releases/${draft.id}`, { draft: false, body });
  say(`${tag} is published`);
}

/**
 * Sends a request to GitHub's API.
 *
 * @param place below the repository, or a whole address
 * @param absent status for which the result is undefined
 * @throws Error for every other status that is not a success
 */
async function gitHub<T>(method: string, place: string, body?: object | Buffer, absent?: number): Promise<T> {
  const { GITHUB_API_URL = "https://api.github.com", GITHUB_REPOSITORY = "", GH_TOKEN = "" } = process.env;
  const address = /^https?:/.test(place) ? place : `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/${place}`;
  const response = await fetch(address, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${GH_TOKEN}`,
      "content-type": Buffer.isBuffer(body) ? "application/octet-stream" : "application/json",
      "x-github-api-version": "2022-11-28",
    },
    ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status === absent) return undefined as T;
  if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${method} ${address}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** Go module proxies read the repository: a tag that begins with the module's folder is a version. */
function publishToGo(tag: string): void {
  const name = `refs/tags/sdk/go/perimeter/${tag}`;
  const commit = git("rev-parse", "HEAD");
  const [published] = git("ls-remote", "origin", name).split(/\s/, 1);
  if (!published) {
    git("push", "--quiet", "origin", `${commit}:${name}`);
    return say(`${name} is published`);
  }
  if (published !== commit) throw new Error(`${name} was published for ${published}, and this is ${commit}`);
  say(`${name} was published before`);
}

function git(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}

function say(line: string): void {
  console.log(`publish: ${line}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`publish: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
