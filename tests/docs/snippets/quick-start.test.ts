/** README's quick start works as pasted, and prints what README shows, on the real engine. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import { QuickStart } from "../../support/quick-start";
import { textOfPicture } from "../../../tools/pictures/terminal-svg";
import { REPLACE_PREVIEW } from "../../../tools/pictures/scenes";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("nodejs");
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`README's quick start${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let start: QuickStart;
  let printed: string;
  beforeAll(async () => {
    start = await QuickStart.create();
    printed = await start.paste(`echo "exit code $?"\n${REPLACE_PREVIEW}`);
  });
  afterAll(() => start?.dispose());

  test("ends with the review of a destroy, which takes access from somebody", () => {
    expect(printed).toContain("exit code 2\n");
    expect(printed).not.toMatch(/\berror\b/i);
  });

  test("prints what README shows, in its order", () => {
    const shown = start.snippets.filter(({ kind }) => kind === "output");
    expect(shown.length).toBeGreaterThanOrEqual(3);
    let rest = printed.split("\n").map((line) => line.trim());
    for (const line of shown.flatMap(({ text }) => text.trim().split("\n"))) {
      const at = rest.indexOf(line.trim());
      expect({ line, printed: at >= 0 ? "yes" : rest.join("\n") }).toEqual({ line, printed: "yes" });
      rest = rest.slice(at + 1);
    }
  });

  test("the picture of a preview is what it prints in replace mode", () => {
    const picture = fs.readFileSync(path.join(repositoryRoot, "docs/images/terminal-preview.svg"), "utf8");
    const lines = textOfPicture(picture).split("\n");
    expect(lines.length).toBeGreaterThan(8);
    const flat = (text: string) => text.replace(/\s+/g, "");
    expect(flat(printed)).toContain(flat(lines.slice(1).join("")));
  });
});
