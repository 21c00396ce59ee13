import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONFIG, configSchema } from "./control/config";
import { ROUTES } from "./control/control";
import { FAULT_PARTS } from "./control/faults";

/** docs/emulator.md, without the padding of its tables. */
const docs = readFileSync(join(__dirname, "..", "docs", "emulator.md"), "utf8").replace(/ +/g, " ");

test.each(Object.keys(configSchema.shape))("the switch %s has a default and is documented with it", (name) => {
  const value = DEFAULT_CONFIG[name as keyof typeof DEFAULT_CONFIG];
  expect(value).toBeDefined();
  expect(docs).toContain(`| \`${name}\` | \`${JSON.stringify(value)}\` |`);
});

test.each(FAULT_PARTS)("the part %s of a fault is documented", (name) => {
  expect(docs).toMatch(new RegExp(`^\\| [^|]*\`${name}[:\`]`, "m"));
});

test.each(Object.keys(ROUTES))("the control route %s is documented", (route) => {
  const [method, name] = route.split(" ");
  expect(docs).toMatch(new RegExp(`^\\| [^|]*\`${method}\`?[^|]*/_emulator/${name}\\b`, "m"));
});
