import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type * as emulators from "../../emulator";

test("a bundle of the emulator in one file has the console, too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "console-bundle-"));
  try {
    const { outputFiles } = await build({
      entryPoints: [join(__dirname, "..", "..", "emulator", "index.ts")],
      bundle: true,
      write: false,
      platform: "node",
      target: "node20",
      format: "cjs",
      logLevel: "error",
    });
    const file = join(folder, "emulator.cjs");
    writeFileSync(file, outputFiles[0]?.text ?? "");
    const { startEmulator } = createRequire(file)(file) as typeof emulators;
    const emulator = await startEmulator();
    const script = await fetch(`${emulator.url}/_emulator/console/console.js`);
    expect(script.headers.get("content-type")).toContain("text/javascript");
    expect(await script.text()).toContain("Preact (MIT License");
    await emulator.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
