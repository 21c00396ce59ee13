import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { bundle } from "../../tools/build-plugin";

/** What the engine waits for at the start of each run: the packages that load. `bench/startup.ts` has the times. */

const DIST = join(__dirname, "../../dist/provider/plugin");

/** Starts the plugin, configures it, and prints the modules that were loaded when the port was known and after Configure. */
const PROGRAM = `
  const { startPlugin } = require(${JSON.stringify(join(DIST, "server.js"))});
  const loaded = () => Object.keys(require.cache);
  startPlugin({ environment: {} }).then(async (plugin) => {
    const port = loaded();
    const { credentials } = require("@grpc/grpc-js");
    const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
    const { ConfigureRequest } = require("@pulumi/pulumi/proto/provider_pb");
    const client = new ResourceProviderClient("127.0.0.1:" + plugin.port, credentials.createInsecure());
    client.configure(new ConfigureRequest(), (error) => {
      console.log(JSON.stringify({ port, configured: loaded() }));
      process.exit(error ? 1 : 0);
    });
  });
`;

function modulesLoaded(): { port: string[]; configured: string[] } {
  const output = execFileSync(process.execPath, ["-e", PROGRAM], { encoding: "utf8" });
  return JSON.parse(output) as { port: string[]; configured: string[] };
}

const packagesOf = (files: readonly string[]) =>
  [
    ...new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? [])),
  ].sort();

const FOR_LATER = ["google-auth-library", "undici", "yaml", "zod"];

test("the plugin loads few modules before it prints its port, and neither services nor HTTP clients before Configure", () => {
  const { port, configured } = modulesLoaded();
  expect(packagesOf(port).filter((each) => FOR_LATER.includes(each))).toEqual([]);
  expect(packagesOf(configured).filter((each) => FOR_LATER.includes(each))).toEqual(["zod"]);
  expect([...port, ...configured].filter((file) => /provider\/(services|schema)\//.test(file))).toEqual([]);
});

test("the bundle is small", async () => {
  expect((await bundle()).length).toBeLessThan(1_700_000);
}, 60_000);
