/** The cache folder: `make test` runs what it holds, so nothing in it may be another user's. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { cacheFolder, requirePrivate } from "../../support/cache";
import { repositoryRoot } from "../../support/engine";
import { skipped } from "../../support/skipped";

let root: string;
let cache: string;
const before = process.env.PERIMETER_CACHE;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-cache-"));
  cache = path.join(root, "cache");
  process.env.PERIMETER_CACHE = cache;
});
afterEach(() => {
  if (before === undefined) delete process.env.PERIMETER_CACHE;
  else process.env.PERIMETER_CACHE = before;
  fs.rmSync(root, { recursive: true, force: true });
});

/** The scripts of tools/engine, asked where their cache is. */
function scripts(umask = "022") {
  const lib = path.join(repositoryRoot, "tools/engine/lib.sh");
  return spawnSync(
    "bash",
    ["-c", 'umask "$1"; . "$2"; echo "$cache_dir"; mkdir "$cache_dir/made"', "bash", umask, lib],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, PERIMETER_CACHE: cache },
    },
  );
}

const OTHER_USER = 54_321;
/** Only root can make a folder another user's. */
const notRoot = process.getuid?.() === 0 ? undefined : "only root can make files of another user";
const asRoot = notRoot === undefined ? test : test.skip;

function plant(how: () => void): void {
  how();
  expect(() => cacheFolder("pack")).toThrow(/the cache folder .*(belongs to another|not a directory|written to by)/);
  const { status, stderr } = scripts();
  expect([status, stderr]).toEqual([1, expect.stringMatching(/the cache folder .*set PERIMETER_CACHE/s)]);
}

test("is created for this user only, and reused", () => {
  const folder = cacheFolder("pack");
  expect(folder).toBe(path.join(cache, "pack"));
  for (const each of [cache, folder]) expect(fs.statSync(each).mode & 0o777).toBe(0o700);
  fs.writeFileSync(path.join(folder, "kept"), "");
  expect(fs.readdirSync(cacheFolder("pack"))).toEqual(["kept"]);
  expect(scripts()).toMatchObject({ status: 0, stdout: `${cache}\n` });
});

test("of the scripts is for this user only, with any umask", () => {
  expect(scripts("000").status).toBe(0);
  expect(fs.statSync(cache).mode & 0o777).toBe(0o700);
  expect(() => requirePrivate(path.join(cache, "made"))).not.toThrow();
});

asRoot(`of another user is refused${skipped(notRoot)}`, () => {
  plant(() => {
    fs.mkdirSync(cache);
    fs.chownSync(cache, OTHER_USER, OTHER_USER);
  });
});

asRoot(`with a folder of another user's in it is refused${skipped(notRoot)}`, () => {
  fs.mkdirSync(path.join(cache, "pack"), { recursive: true });
  fs.chownSync(path.join(cache, "pack"), OTHER_USER, OTHER_USER);
  expect(() => cacheFolder("pack")).toThrow(/pack belongs to another user/);
});

test.each([0o777, 0o775])("is refused if others can write to it (%i)", (mode) => {
  plant(() => {
    fs.mkdirSync(cache);
    fs.chmodSync(cache, mode);
  });
});

test("is refused if it is a link, also to a folder of this user", () => {
  plant(() => {
    fs.mkdirSync(path.join(root, "elsewhere"));
    fs.symlinkSync(path.join(root, "elsewhere"), cache);
  });
});

/** Another user can create a name in the temporary folder that can be guessed; a random one of `mkdtemp` is ours. */
test("has all cached files: none has a fixed name in the temporary folder", () => {
  const folders = ["tests", "tools", "bench"].map((each) => path.join(repositoryRoot, each));
  const sources = folders.flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && /\.(ts|cjs|sh)$/.test(each.name) && !each.parentPath.includes("node_modules"))
      .map((each) => path.join(each.parentPath, each.name)),
  );
  const found = sources.flatMap((file) =>
    fs
      .readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => /\btmpdir\(\)/.test(line) && !line.includes("mkdtemp"))
      .map((line) => `${path.relative(repositoryRoot, file)}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
