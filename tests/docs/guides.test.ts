/** Documents must not become stale: their messages, links, files and the emulator's port match the repository. */
import * as fs from "node:fs";
import * as path from "node:path";
import { filesBelow } from "../../tools/files";
import { documents } from "../support/snippets";
import { brokenLinks } from "./links";

const root = path.resolve(__dirname, "../..");
const guidesFolder = path.join(root, "docs/guides");
const examplesFolder = path.join(root, "examples");
const read = (file: string) => fs.readFileSync(file, "utf8");

const examples = fs.readdirSync(examplesFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const pages = [...documents(root), "CHANGELOG.md"].map((name): [string, string] => [name, path.join(root, name)]);
/** Pages with longer lines: those that a program writes, and those for people who work on the provider. */
const LONG_LINES = /^docs\/resources\/|^CHANGELOG|^CONTRIBUTING|^docs\/(architecture|performance)\.md$/;

/** The text of all messages: the sources, with multi-line strings joined. */
function sources(): string {
  const files = ["access", "provider", "cli"].flatMap((folder) =>
    filesBelow(path.join(root, folder))
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => path.join(root, folder, name)),
  );
  return [...files, ...["action.yml", "ci/access-review.yml", "ci/install.sh"].map((name) => path.join(root, name))]
    .map(read)
    .join("\n")
    .replace(/["`]\s*\+\s*["`]/g, "");
}

describe("troubleshooting.md", () => {
  const text = read(path.join(guidesFolder, "troubleshooting.md"));
  const own = text.slice(0, text.indexOf("## From Pulumi and npm"));
  const messages = [...own.matchAll(/^### `(.+)`$/gm)].map(([, message = ""]) => message);
  const source = sources();

  test("has more than ten messages", () => expect(messages.length).toBeGreaterThan(10));

  test.each(messages)("%s is a message of the provider or the command", (message) => {
    const parts = message.split("…").map((part) => part.trim());
    expect(parts.filter((part) => !source.includes(part))).toEqual([]);
  });
});

describe.each(pages)("%s", (name, file) => {
  const text = read(file);

  test("links to files and headings that exist", () => {
    expect(brokenLinks(file, text)).toEqual([]);
  });

  test("uses the same port of the emulator as all documents", () => {
    for (const [line] of text.matchAll(/.*(?:perimeter emulator --port|PERIMETER_EMULATOR_HOST=)\S*\d.*/g)) {
      expect(line).toMatch(/8790/);
    }
  });

  if (!LONG_LINES.test(name)) {
    test("has lines of at most 120 characters", () => {
      // A link alone may be longer.
      expect(proseOf(text).filter((line) => [...line].length > 120 && line.trim().includes(" "))).toEqual([]);
    });
  }
});

/** The lines that a person writes and wraps: without snippets, tables, headings, front matter and generated lists. */
function proseOf(text: string): string[] {
  return text
    .replace(/^---\n.*?^---\n/ms, "")
    .replace(/^<!-- prettier-ignore-start -->.*?^<!-- prettier-ignore-end -->/gms, "")
    .replace(/^<!-- prettier-ignore -->\n(?:\|.*\n)+/gm, "")
    .replace(/^( *)(`{3,})[^]*?^\1\2$/gm, "")
    .split("\n")
    .filter((line) => !/^\||^#|^ *<|^!\[/.test(line));
}

test.each(examples.map(({ name }) => name))("examples/%s has a README that begins with its name", (name) => {
  expect(read(path.join(examplesFolder, name, "README.md"))).toMatch(new RegExp(`^# ${name}\n`));
});
