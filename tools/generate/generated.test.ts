import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { GENERATED_FOLDERS, generatedFiles } from "./main";

const ROOT = join(__dirname, "..", "..");

describe("generated files", () => {
  const files = generatedFiles();

  test.each([...files.keys()])("%s is what `make generate` writes", (path) => {
    expect(readFileSync(join(ROOT, path), "utf8")).toBe(files.get(path));
  });

  test.each(GENERATED_FOLDERS)("nothing is left over in %s", (generated) => {
    const folder = join(ROOT, generated);
    const found = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
    expect(found.sort()).toEqual([...files.keys()].filter((path) => path.startsWith(`${generated}/`)).sort());
  });
});
