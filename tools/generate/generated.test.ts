import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "../files";
import { ROOT } from "../run";
import { GENERATED_FOLDERS, generatedFiles } from "./main";

describe("generated files", () => {
  const files = generatedFiles();

  test.each([...files.keys()])("%s equals the output of `make generate`", (path) => {
    expect(readFileSync(join(ROOT, path), "utf8")).toBe(files.get(path));
  });

  test.each(GENERATED_FOLDERS)("%s has no stale files", (generated) => {
    const found = filesBelow(join(ROOT, generated)).map((path) => `${generated}/${path}`);
    expect(found).toEqual([...files.keys()].filter((path) => path.startsWith(`${generated}/`)).sort());
  });
});
