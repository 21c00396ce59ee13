import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONFIG, configSchema } from "./base/config";
import { ROUTES } from "./control/routes";
import { FAULT_PARTS } from "./http/faults";

/** docs/emulator.md and its reference, without the padding of its tables. */
const docs = ["emulator.md", "emulator-reference.md"]
  .map((name) => readFileSync(join(__dirname, "..", "docs", name), "utf8"))
  .join("\n")
  .replace(/ +/g, " ");

/** Returns the cells of the table whose header begins with this cell. The rest of the document does not count. */
function rowsOf(head: string): string[][] {
  const lines = docs.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const below = lines.slice(at + 2);
  const rows = below.slice(
    0,
    below.findIndex((line) => !line.startsWith("|")),
  );
  return rows.map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim())).map(([, ...cells]) => cells);
}

/** Returns the texts between backticks. */
const codes = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

test("the documented switches and defaults are exactly the real ones", () => {
  const documented = [...rowsOf("Switch"), ...rowsOf("Variant")].map(([name, value]) => [
    ...codes(name),
    ...codes(value),
  ]);
  const switches = Object.keys(configSchema.shape).map((name) => [
    name,
    JSON.stringify(DEFAULT_CONFIG[name as keyof typeof DEFAULT_CONFIG]),
  ]);
  expect(documented.sort()).toEqual(switches.sort());
});

test("the documented properties of a fault are exactly the real ones", () => {
  const documented = rowsOf("Property").flatMap(([parts]) => codes(parts).map((code) => code.replace(/:.*/, "")));
  expect([...new Set(documented)].sort()).toEqual([...FAULT_PARTS].sort());
});

/** The event stream is not in the table of routes. */
const EVENTS = "GET events";

test("the documented control routes are exactly the real ones", () => {
  const documented = rowsOf("Route").flatMap(([cell = ""]) => {
    const name = /\/_emulator\/([\w.-]+)/.exec(cell)?.[1];
    return [...cell.matchAll(/\b(GET|PUT|POST|PATCH|DELETE)\b/g)].map(([method]) => `${method} ${name}`);
  });
  expect([...new Set(documented)].sort()).toEqual([...Object.keys(ROUTES), EVENTS].sort());
});
