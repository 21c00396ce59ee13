import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readsConditions } from "./gcp-conditions";

const PACKAGE = dirname(require.resolve("@pulumi/gcp/package.json"));

test("the types that see conditions are those whose input condition the package documents", () => {
  const modules = readdirSync(PACKAGE, { withFileTypes: true }).filter((each) => each.isDirectory());
  const files = modules.flatMap(({ name }) => readdirSync(join(PACKAGE, name)).map((file) => join(name, file)));
  const grants = files.filter((file) => /IamMember\.d\.ts$/i.test(file));
  expect(grants.length).toBeGreaterThan(100);
  for (const file of grants) {
    const isDocumented = /\*\/\s*readonly condition:/.test(readFileSync(join(PACKAGE, file), "utf8"));
    const type = `gcp:${file.replace(".d.ts", "")}:Member`;
    expect([type, readsConditions(type)]).toEqual([type, isDocumented]);
  }
});
