/** README's quick start works as pasted, and prints what README shows, on the real engine. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ENGINE_TIMEOUT_MS, missingHost, repositoryRoot } from "../../support/engine";
import { missingRegistry } from "../../support/clone";
import { QuickStart } from "../../support/quick-start";
import { textOfPicture } from "../../../tools/pictures/terminal-svg";
import { REPLACE_PREVIEW } from "../../../tools/pictures/scenes";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const missing = missingHost("nodejs") ?? missingRegistry();
const readme = fs.readFileSync(path.join(repositoryRoot, "README.md"), "utf8");
/** README's commands to stop the emulator, and to clear the quick start's settings. */
const [, stop = "none"] = /`([^`]+)` stops the emulator/.exec(readme) ?? [];
const [undo = "none"] = /^unset .*$/m.exec(readme.slice(readme.indexOf("## On the real cloud"))) ?? [];
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`README's quick start${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  let start: QuickStart;
  let printed: string;
  beforeAll(async () => {
    start = new QuickStart();
    printed = await start.paste(`echo "exit code $?"\n${REPLACE_PREVIEW}\n${stop}\n${undo}\necho "settings: $(env)"`);
  });
  afterAll(() => start?.dispose());

  test("ends with the review of a destroy that takes access from somebody", () => {
    expect(printed).toContain("exit code 2\n");
    expect(printed).not.toMatch(/\berror\b/i);
  });

  test("prints the output in README, in the same order", () => {
    const shown = start.snippets.filter(({ kind }) => kind === "output");
    expect(shown.length).toBeGreaterThanOrEqual(3);
    let rest = printed.split("\n").map((line) => line.trim());
    for (const line of shown.flatMap(({ text }) => text.trim().split("\n"))) {
      const at = rest.indexOf(line.trim());
      expect({ line, printed: at >= 0 ? "yes" : rest.join("\n") }).toEqual({ line, printed: "yes" });
      rest = rest.slice(at + 1);
    }
  });

  test("stops the emulator by README's command, in a shell without job control", async () => {
    expect(await start.logOfStoppedEmulator()).toMatch(/^Emulator listening on [\s\S]*\nStopped\.\n$/);
  });

  test("clears its settings with the first line of README's section on the real cloud", () => {
    const shell = start.snippets.filter(({ kind }) => kind === "shell").map(({ text }) => text);
    const exported = [...shell.join("").matchAll(/^export (.*)$/gm)].flatMap(([, all = ""]) =>
      [...all.matchAll(/(?:^| )(\w+)=/g)].map(([, name]) => name),
    );
    expect(exported).toEqual(["PERIMETER_EMULATOR_HOST", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"]);
    const settings = printed.slice(printed.indexOf("settings: "));
    expect(settings).toContain("HOME=");
    for (const name of exported) expect(settings).not.toContain(`${name}=`);
  });

  test("the picture of a preview matches its output in replace mode", () => {
    const picture = fs.readFileSync(path.join(repositoryRoot, "docs/images/terminal-preview.svg"), "utf8");
    const lines = textOfPicture(picture).split("\n");
    expect(lines.length).toBeGreaterThan(8);
    const flat = (text: string) => text.replace(/\s+/g, "");
    expect(flat(printed)).toContain(flat(lines.slice(1).join("")));
  });
});
