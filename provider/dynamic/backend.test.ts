/** The part of the npm front that shares Pulumi's dynamic-provider process with the dynamic providers of other packages. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { EngineLogServer } from "../../tests/support/engine-log-server";

const root = resolve(__dirname, "../..");

/** A server like Pulumi's, and work of another package's provider, which takes two seconds. */
const PROCESS = `
const { createServer } = require("node:net");
const before = console.error;
createServer().listen(0, "127.0.0.1", () => {
  require(${JSON.stringify(join(root, "provider/dynamic/backend"))});
  console.log(console.error === before ? "untouched" : "patched");
  setTimeout(() => console.log("done"), 2000);
});
`;

test("when the engine is gone, the dynamic-provider process ends after other providers have finished", async () => {
  const engine = await EngineLogServer.start();
  const args = ["-r", join(root, "tools/register.cjs"), "-e", PROCESS, "--", engine.address];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const begun = new Promise<void>((begin) => {
    child.stdout.on("data", (data) => {
      said += String(data);
      begin();
    });
  });
  const ended = once(child, "exit");
  await begun;
  engine.stop();
  expect([await ended, said]).toEqual([[0, null], "untouched\ndone\n"]);
}, 60_000);
