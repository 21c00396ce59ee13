/** The npm package contains all files that it names, and no files that only this repository needs. */
import * as fs from "node:fs";
import * as path from "node:path";
import { packedPackage } from "../support/pack";

const { files, nodeModules } = packedPackage();
const text = (file: string) => fs.readFileSync(path.join(nodeModules, "pulumi-perimeter", file), "utf8");

test("the package contains every document that a message names", () => {
  const cited = files
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => [...text(file).matchAll(/(?<![\w/.-])docs\/[\w/.-]+\.(?:md|json|yaml)/g)].map(([name]) => name));
  expect(cited).toEqual(
    expect.arrayContaining(["docs/emulator.md", "docs/errors.md", "docs/review.md", "docs/access.md"]),
  );
  expect(cited.filter((name) => !files.includes(name))).toEqual([]);
});

test("the package contains only documents for users, without pictures", () => {
  const documents = files.filter((file) => file.startsWith("docs/"));
  expect(documents).toEqual(expect.arrayContaining(["docs/seed.schema.json", "docs/scenes/small-team.yaml"]));
  for (const file of documents) {
    expect(file).toMatch(/\.md$|^docs\/[\w-]+\.schema\.json$|^docs\/scenes\/[\w-]+\.yaml$/);
    expect(file).not.toMatch(/architecture|performance|releasing|coverage/);
  }
});

test("the package.json of the package has no scripts, whose files it lacks, and no development dependencies", () => {
  const manifest = JSON.parse(text("package.json")) as Record<string, unknown>;
  expect(Object.keys(manifest)).toEqual(
    expect.arrayContaining(["name", "version", "exports", "dependencies", "engines"]),
  );
  for (const key of ["scripts", "devDependencies", "overrides", "prettier"]) expect(manifest).not.toHaveProperty(key);
});
