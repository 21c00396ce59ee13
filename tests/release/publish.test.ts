/** A release is published to servers on loopback, with failures in the middle, and again. */
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { VERSION } from "../../provider/version";
import { archive, sha256 } from "../../tools/release/archive";
import { npmPackages } from "../../tools/release/packages";
import { repositoryRoot } from "../support/engine";
import { NODE_LINES, nodeOf } from "../support/node-lines";
import { whole } from "../support/release";
import { missingRegistry, startRegistry, type Registry } from "./registry";
import { skipped } from "../support/skipped";
import { describeInAll, leftOut } from "../support/test-all";

jest.setTimeout(300_000);

const TAG = `v${VERSION}`;
const NAMES = [`pulumi-perimeter@${VERSION}`, `pulumi-perimeter-sdk@${VERSION}`];
const PUBLISH = path.join(repositoryRoot, "tools/release/publish.ts");

let work: string;
let release: string;

beforeAll(() => {
  work = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-publish-test-")));
  release = path.join(work, "release");
  if (whole) {
    fs.symlinkSync(path.resolve(repositoryRoot, process.env.PERIMETER_RELEASE as string), release);
    return;
  }
  if (leftOut === undefined) npmPackages(path.join(release, "npm"), path.join(work, "packing"));
  for (const file of ["plugins/linux.tar.gz", "plugins/windows.tar.gz", "sbom/plugin.json", "SHA256SUMS", "notes.md"]) {
    fs.mkdirSync(path.dirname(path.join(release, file)), { recursive: true });
    fs.writeFileSync(path.join(release, file), `content of ${file}\n`);
  }
});

afterAll(() => fs.rmSync(work, { recursive: true, force: true }));

interface Run {
  exitCode: number;
  output: string;
}

/** Runs publish.ts like the workflow, with a Node.js that runs TypeScript if one is available. */
async function publish(args: string[], env: NodeJS.ProcessEnv, cwd = work): Promise<Run> {
  const newest = nodeOf(NODE_LINES[1] as string);
  const node =
    "path" in newest ? [newest.path] : [process.execPath, "-r", path.join(repositoryRoot, "tools/register.cjs")];
  const child = spawn(node[0] as string, [...node.slice(1), PUBLISH, ...args], { cwd, env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const exitCode = await new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  return { exitCode, output };
}

const said = ({ output }: Run) => output.split("\n").filter((line) => line.startsWith("publish: "));

// Starts a registry. GitHub and the tag of the Go module, which `make test` runs too, continue after failures in the same way.
describeInAll("npm", () => {
  const missing = missingRegistry();
  if (missing !== undefined) {
    test.skip(`skipped: ${missing}`, () => undefined);
    return;
  }

  let registry: Registry;
  afterAll(() => registry.stop());

  test("a second run publishes the package that the first run could not, and skips the other", async () => {
    const folder = path.join(work, "registry");
    registry = await startRegistry(folder, { refused: "pulumi-perimeter-sdk" });
    const failed = await publish(["npm", release], registry.env);
    expect(said(failed).at(0)).toBe(`publish: ${NAMES[0]} is published`);
    expect(failed.exitCode).toBe(1);

    await registry.stop();
    registry = await startRegistry(folder);
    const again = await publish(["npm", release], registry.env);
    expect(said(again)).toEqual([`publish: ${NAMES[0]} was published before`, `publish: ${NAMES[1]} is published`]);
    expect(again.exitCode).toBe(0);

    const third = await publish(["npm", release], registry.env);
    expect(said(third)).toEqual(NAMES.map((name) => `publish: ${name} was published before`));
    expect(third.exitCode).toBe(0);
  });

  // The dependencies come from the network.
  const onlyInRelease = whole ? undefined : "only in make release";
  const testOfRelease = whole ? test : test.skip;
  testOfRelease(`the published package installs by its name, and its command runs${skipped(onlyInRelease)}`, () => {
    const { env } = registry;
    const folder = path.join(work, "installed");
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, "package.json"), "{}");
    // Pulumi's SDK, the peer, is large and not part of this project.
    const install = ["install", `pulumi-perimeter@${VERSION}`, "--legacy-peer-deps", "--no-audit", "--no-fund"];
    execFileSync("npm", install, { cwd: folder, env, stdio: "pipe" });
    const printed = execFileSync("npx", ["--no", "pulumi-perimeter", "version"], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect(printed).toContain(VERSION);
  });

  test("refuses a package with different content, because its version is taken", async () => {
    const changed = path.join(work, "changed");
    const unpacked = path.join(changed, "unpacked");
    fs.mkdirSync(path.join(unpacked, "package"), { recursive: true });
    fs.mkdirSync(path.join(changed, "npm"));
    fs.writeFileSync(
      path.join(unpacked, "package/package.json"),
      JSON.stringify({ name: "pulumi-perimeter", version: VERSION }),
    );
    await archive(unpacked, path.join(changed, "npm/other.tgz"), new Date(0));
    const refused = await publish(["npm", changed], registry.env);
    expect(said(refused)).toEqual([
      `publish: ${NAMES[0]} was published with different content. Release the next version`,
    ]);
    expect(refused.exitCode).toBe(1);
  });

  test("an unreachable registry is an error, not a missing package", async () => {
    await registry.stop();
    // npm returns cached responses.
    const cache = { NPM_CONFIG_CACHE: path.join(work, "empty-cache"), NPM_CONFIG_FETCH_RETRIES: "0" };
    const failed = await publish(["npm", release], { ...registry.env, ...cache });
    expect(said(failed).at(-1)).toContain(`publish: npm cannot read ${NAMES[0]}`);
    expect(failed.exitCode).toBe(1);
  });
});

interface Asset {
  id: number;
  name: string;
  sha256: string;
}

/** The calls of GitHub's releases that publish.ts makes, by https://docs.github.com/rest/releases. */
class ReleaseServer {
  tags = [TAG];
  release: { id: number; tag_name: string; draft: boolean; body: string; assets: Asset[] } | undefined;
  /** The upload of this file is interrupted once, and leaves its name behind, as GitHub's documentation warns. */
  breaks: string | undefined;
  #next = 1;

  readonly #server = createServer((request, response) => {
    void this.#answer(request).then((answer) => {
      if (answer === "broken") return request.socket.destroy();
      response.writeHead(answer.status).end(answer.body === undefined ? "" : JSON.stringify(answer.body));
    });
  });

  async start(): Promise<NodeJS.ProcessEnv> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return { ...process.env, GITHUB_API_URL: this.#url, GITHUB_REPOSITORY: "acme/perimeter", GH_TOKEN: "t0ken" };
  }

  stop(): void {
    this.#server.close();
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body?: unknown } | "broken"> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const url = new URL(request.url as string, this.#url);
    const call = `${request.method} ${url.pathname.replace("/repos/acme/perimeter/", "")}`;
    const { release } = this;
    const shown = release && { ...release, upload_url: `${this.#url}/upload/${release.id}/assets{?name,label}` };
    if (request.headers.authorization !== "Bearer t0ken") return { status: 401 };
    if (call === `GET releases/tags/${TAG}`) return release?.draft === false ? ok(shown) : { status: 404 };
    if (call === `GET git/ref/tags/${TAG}`) return this.tags.includes(TAG) ? ok({ ref: TAG }) : { status: 404 };
    if (call === "GET releases") return ok(shown ? [shown] : []);
    if (call === "POST releases") {
      this.release = { id: this.#next++, assets: [], ...(JSON.parse(bytes.toString()) as object) } as never;
      return this.#answer(Object.assign(request, { method: "GET", url: "/repos/acme/perimeter/releases" })).then(
        (list) => (list === "broken" ? list : ok((list.body as unknown[])[0])),
      );
    }
    const deleted = /^DELETE releases\/assets\/(\d+)$/.exec(call)?.[1];
    if (release && deleted) {
      release.assets = release.assets.filter(({ id }) => id !== Number(deleted));
      return { status: 204 };
    }
    if (release && call === `POST /upload/${release.id}/assets`) {
      const name = url.searchParams.get("name") as string;
      if (release.assets.some((asset) => asset.name === name)) return { status: 422, body: { code: "already_exists" } };
      const file = path.join(work, `uploaded-${name}`);
      fs.writeFileSync(file, bytes);
      release.assets.push({ id: this.#next++, name, sha256: sha256(file) });
      if (this.breaks !== name) return { status: 201, body: {} };
      this.breaks = undefined;
      return "broken";
    }
    if (release && call === `PATCH releases/${release.id}`)
      return ok(Object.assign(release, JSON.parse(bytes.toString())));
    return { status: 404, body: { message: `no such call: ${call}` } };
  }
}

const ok = (body: unknown) => ({ status: 200, body });

describe("GitHub's release", () => {
  const server = new ReleaseServer();
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => (env = await server.start()));
  afterAll(() => server.stop());

  const uploads = () =>
    ["plugins", "sbom"]
      .flatMap((folder) => fs.readdirSync(path.join(release, folder)).map((name) => path.join(release, folder, name)))
      .concat(path.join(release, "SHA256SUMS"));

  test("an interrupted upload leaves a draft, and the second run publishes all files", async () => {
    server.breaks = path.basename(uploads()[1] as string);
    expect((await publish(["github", release, TAG], env)).exitCode).toBe(1);
    expect(server.release).toMatchObject({ draft: true });

    const again = await publish(["github", release, TAG], env);
    expect(said(again).at(-1)).toBe(`publish: ${TAG} is published`);
    expect(again.exitCode).toBe(0);
    expect(server.release).toMatchObject({
      draft: false,
      body: fs.readFileSync(path.join(release, "notes.md"), "utf8"),
    });
    const files = uploads().map((file) => [path.basename(file), sha256(file)]);
    expect(server.release?.assets.map(({ name, sha256: sum }) => [name, sum])).toEqual(files);
  });

  test("a published release does not change", async () => {
    const before = JSON.stringify(server.release);
    const again = await publish(["github", release, TAG], env);
    expect(said(again)).toEqual([`publish: ${TAG} was published before`]);
    expect(again.exitCode).toBe(0);
    expect(JSON.stringify(server.release)).toBe(before);
  });

  test("a published release that lacks a file is an error that names the file", async () => {
    const lost = server.release?.assets.pop()?.name;
    const failed = await publish(["github", release, TAG], env);
    expect(said(failed)).toEqual([`publish: ${TAG} was published without ${lost}. Release the next version`]);
    expect(failed.exitCode).toBe(1);
  });

  test("a missing tag is an error, and no release is created for it", async () => {
    server.tags = [];
    server.release = undefined;
    const failed = await publish(["github", release, TAG], env);
    expect(said(failed)).toEqual([`publish: the repository has no tag ${TAG}`]);
    expect(server.release).toBeUndefined();
  });
});

describe("the tag of the Go module", () => {
  const NAME = `refs/tags/sdk/go/perimeter/${TAG}`;
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: path.join(work, "clone"), encoding: "utf8" }).trim();
  const commit = () => git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x");

  beforeAll(() => {
    execFileSync("git", ["init", "--quiet", "--bare", path.join(work, "origin")]);
    execFileSync("git", ["clone", "--quiet", path.join(work, "origin"), path.join(work, "clone")], { stdio: "pipe" });
    commit();
  });

  test("is pushed once, and a second run skips it", async () => {
    const first = await publish(["go", TAG], process.env, path.join(work, "clone"));
    expect(said(first)).toEqual([`publish: ${NAME} is published`]);
    const second = await publish(["go", TAG], process.env, path.join(work, "clone"));
    expect(said(second)).toEqual([`publish: ${NAME} was published before`]);
    expect(git("ls-remote", "origin", NAME)).toContain(git("rev-parse", "HEAD"));
  });

  test("never moves to another commit", async () => {
    const published = git("ls-remote", "origin", NAME);
    commit();
    const refused = await publish(["go", TAG], process.env, path.join(work, "clone"));
    expect(refused.exitCode).toBe(1);
    expect(said(refused)[0]).toContain(`${NAME} was published for`);
    expect(git("ls-remote", "origin", NAME)).toBe(published);
  });
});
