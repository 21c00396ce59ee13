import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../tests/support/engine";
import { QuickStart } from "../../tests/support/quick-start";
import { DocumentedStack } from "../../tests/support/documented-stack";
import { runTool } from "../run";
import { REPLACE_PREVIEW, REVIEW } from "./scenes";
import { terminalSvg } from "./terminal-svg";

/** Makes the pictures of terminals in docs/images/, on the real engine. `make screenshots` runs it. */

const IMAGES = join(repositoryRoot, "docs", "images");
/** The width of the terminal in the pictures. */
const COLUMNS = 100;

async function main(): Promise<void> {
  mkdirSync(IMAGES, { recursive: true });
  write("terminal-review", REVIEW, await review());
  write("terminal-preview", "pulumi preview", await preview());
}

function write(name: string, command: string, output: string): void {
  writeFileSync(join(IMAGES, `${name}.svg`), terminalSvg(command, output, COLUMNS));
  console.log(`docs/images/${name}.svg`);
}

/** The review in docs/review.md. */
async function review(): Promise<string> {
  const scene = await DocumentedStack.create();
  try {
    const { stdout } = await scene.shell(`export FORCE_COLOR=1; ${REVIEW}`);
    return stdout.replaceAll(scene.emulator.url, "http://127.0.0.1:8790");
  } finally {
    await scene.dispose();
  }
}

async function preview(): Promise<string> {
  const start = new QuickStart();
  try {
    const printed = await start.paste(`COLOR=always\n${REPLACE_PREVIEW}`);
    return printed.slice(printed.indexOf("--- preview\n") + "--- preview\n".length);
  } finally {
    start.dispose();
  }
}

runTool("screenshots", main);
