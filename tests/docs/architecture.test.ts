import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(__dirname, "../..");
const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner]) => inner as string);
const files = [...new Set(quoted.filter((each) => /^[\w./-]+\.(ts|cjs)$/.test(each) && each !== "api.ts"))];

test("names files, and each of them is there", () => {
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((each) => !existsSync(join(root, each)))).toEqual([]);
});

test("a file that is named by its place beside another is there, too", () => {
  const [, lifecycle = ""] = /`([^`]+)` decides what to do, `api\.ts` beside it/.exec(text) ?? [];
  expect(existsSync(join(root, dirname(lifecycle), "api.ts"))).toBe(true);
});

test("every layer of the provider is in the picture", () => {
  const [, picture = ""] = /```text\n([\s\S]*?)```/.exec(text) ?? [];
  for (const layer of ["core", "http", "operations", "iam", "services", "runtime", "dynamic", "plugin", "schema"]) {
    expect(picture).toMatch(new RegExp(`\\b${layer}\\b`));
  }
});
