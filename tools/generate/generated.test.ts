import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "../files";
import { ROOT } from "../run";
import { GENERATED_FOLDERS, generatedFiles } from "./main";

describe("generated files", () => {
  const files = generatedFiles();

  test.each([...files.keys()])("%s is what `make generate` writes", (path) => {
    expect(readFileSync(join(ROOT, path), "utf8")).toBe(files.get(path));
  });

  test.each(GENERATED_FOLDERS)("nothing is left over in %s", (generated) => {
    const found = filesBelow(join(ROOT, generated)).map((path) => `${generated}/${path}`);
    expect(found).toEqual([...files.keys()].filter((path) => path.startsWith(`${generated}/`)).sort());
  });
});
