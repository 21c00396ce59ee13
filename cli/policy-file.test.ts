import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { readRules } from "./policy-file";

let root: string;
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "perimeter-policy-")));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

/** Files by their path below the root; a path that ends with a slash is a folder. */
function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    fs.mkdirSync(name.endsWith("/") ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith("/")) fs.writeFileSync(file, text);
  }
}

const OPTIONS = { allowLoss: ["user:ada@example.com"], allowGain: [], newAccess: true };
const FROM_OPTIONS = { allowLoss: OPTIONS.allowLoss, allowGain: [], noNewAccess: false };
const rulesIn = (folder: string, policy?: string) =>
  readRules({ ...OPTIONS, ...(policy === undefined ? {} : { policy }) }, ".", path.join(root, folder));
const STRICT = "version: 1\nmayGain: []";
const STRICT_POLICY = { version: 1, mayGain: [] };

test.each([".perimeter-review.yaml", ".perimeter-review.yml"])("reads %s in the folder", (name) => {
  write({ [`shop/${name}`]: STRICT });
  expect(rulesIn("shop")).toEqual({ ...FROM_OPTIONS, files: [{ file: name, policy: STRICT_POLICY }] });
});

test("reads JSON, too", () => {
  write({ "shop/.perimeter-review.json": JSON.stringify({ version: 1, mayGain: [] }) });
  expect(rulesIn("shop").files).toEqual([{ file: ".perimeter-review.json", policy: STRICT_POLICY }]);
});

test.each<[string, Record<string, string>]>([
  ["the Pulumi project", { "shop/Pulumi.yaml": "", "shop/.perimeter-review.yaml": STRICT, "shop/src/deep/": "" }],
  [
    "the Pulumi project in JSON",
    { "shop/Pulumi.json": "", "shop/.perimeter-review.yaml": STRICT, "shop/src/deep/": "" },
  ],
  [
    "the repository, above the project",
    { "shop/.git": "", "shop/.perimeter-review.yaml": STRICT, "shop/src/deep/Pulumi.yaml": "" },
  ],
])("a subfolder uses the rules of the root of %s", (_what, files) => {
  write(files);
  expect(rulesIn("shop/src/deep")).toMatchObject({
    files: [{ policy: STRICT_POLICY, file: "../../.perimeter-review.yaml" }],
  });
});

test.each<[string, Record<string, string>]>([
  ["a repository", { ".perimeter-review.yaml": STRICT, "shop/.git/": "", "shop/src/": "" }],
  ["a project outside of a repository", { ".perimeter-review.yaml": STRICT, "shop/Pulumi.yml": "", "shop/src/": "" }],
  ["a folder that is in neither", { ".perimeter-review.yaml": STRICT, "shop/src/": "" }],
])("ignores a file above the root of %s", (_what, files) => {
  write(files);
  expect(rulesIn("shop/src")).toEqual({ ...FROM_OPTIONS, files: [] });
});

test("uses the files of all folders from the root of the repository to the program, that of the root first", () => {
  write({
    ".perimeter-review.yaml": STRICT,
    "shop/.git": "",
    "shop/.perimeter-review.yaml": STRICT,
    "shop/src/.perimeter-review.yml": "version: 1",
    "shop/src/deep/Pulumi.yaml": "",
    "shop/other/.perimeter-review.yaml": STRICT,
  });
  expect(rulesIn("shop/src/deep").files).toEqual([
    { file: "../../.perimeter-review.yaml", policy: STRICT_POLICY },
    { file: "../.perimeter-review.yml", policy: { version: 1 } },
  ]);
});

test("the search begins in the program's folder, and the path is relative to the current one", () => {
  write({ "shop/Pulumi.yaml": "", "shop/.perimeter-review.yaml": STRICT, "here/.perimeter-review.yaml": "version: 1" });
  for (const program of ["../shop", path.join(root, "shop")]) {
    const rules = readRules(OPTIONS, program, path.join(root, "here"));
    expect(rules).toMatchObject({
      files: [{ policy: STRICT_POLICY, file: "../shop/.perimeter-review.yaml" }],
    });
  }
});

test("a file that the option names is used in place of those of the folders", () => {
  write({ "shop/.perimeter-review.yaml": "version: 1", "shop/strict.yaml": STRICT });
  expect(rulesIn("shop", "strict.yaml").files).toEqual([{ policy: STRICT_POLICY, file: "strict.yaml" }]);
});

test("refuses two policy files in one folder", () => {
  write({ "shop/.perimeter-review.yaml": STRICT, "shop/.perimeter-review.yml": "version: 1" });
  expect(() => rulesIn("shop")).toThrow(
    /shop has \.perimeter-review\.yaml and \.perimeter-review\.yml: keep one of them$/,
  );
});

test("refuses a broken link instead of ignoring it", () => {
  write({ "shop/": "" });
  fs.symlinkSync("nowhere.yaml", path.join(root, "shop/.perimeter-review.yaml"));
  expect(() => rulesIn("shop")).toThrow(/\.perimeter-review\.yaml cannot be read: ENOENT/);
});
