import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as errors from "../../provider/core/errors";
import * as perimeter from "../../provider/dynamic";

const text = readFileSync(join(__dirname, "../../docs/errors.md"), "utf8");
const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section]),
);

type ErrorClass = new (...given: never[]) => Error;
const isClass = (value: unknown, base: ErrorClass): value is ErrorClass =>
  typeof value === "function" && value.prototype instanceof base;
/** Classes that the provider throws, without the base class. */
const classes = Object.entries(errors).filter(([, value]) => isClass(value, errors.PerimeterError as never));

test("has exactly one section for each code, in the order of the codes", () => {
  expect([...sections.keys()]).toEqual([...errors.ERROR_CODES]);
});

test.each([...errors.ERROR_CODES])("%s has a meaning, an example and a remedy", (code) => {
  const section = sections.get(code) ?? "";
  expect(section.length).toBeGreaterThan(100);
  expect(section).toContain("```text\n");
  if (code !== "API") expect(section).toContain("**What to do.**");
});

test("names exactly the classes that are thrown", () => {
  const named = new Set([...text.matchAll(/`(\w+Error)`/g)].map(([, name]) => name));
  named.delete("PerimeterError");
  expect([...named].sort()).toEqual(classes.map(([name]) => name).sort());
});

test("gives each status its own class", () => {
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` +\| `(\w+)` +\|/gm)].map(([, status, name]) => [status, name]);
  const expected = Object.keys(errors.RPC_STATUSES).map((status) => [
    status,
    errors.apiError({ doing: "", resource: "", request: "", message: "", status: status as errors.RpcStatus })
      .constructor.name,
  ]);
  expect(rows.sort()).toEqual(expected.sort());
});

test("links only to sections that exist", () => {
  const anchors = [...text.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor);
  const known = [...sections.keys()].map((code) => code.toLowerCase());
  expect(anchors).not.toEqual([]);
  for (const anchor of anchors) expect(known).toContain(anchor);
});

test("the npm package exports each class, for instanceof", () => {
  const exported: Record<string, unknown> = { ...perimeter };
  expect(classes.filter(([name, each]) => exported[name] !== each).map(([name]) => name)).toEqual([]);
  expect(exported.PerimeterError).toBe(errors.PerimeterError);
});
