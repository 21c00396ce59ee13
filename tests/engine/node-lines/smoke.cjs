"use strict";

/* Run by each Node line: the built provider against the built emulator, and the built plugin's start. */
const { spawn } = require("node:child_process");
const { join } = require("node:path");
const root = join(__dirname, "..", "..", "..");
const { demoSeed, startEmulator } = require(join(root, "dist/emulator"));
const { Provider } = require(join(root, "dist/provider/runtime/provider.js"));

async function main() {
  const perimeter = require(join(root, "dist/provider/dynamic"));
  if (typeof perimeter.fleet.v1beta.getScope !== "function") throw new Error("the dynamic front has no getScope");
  const emulator = await startEmulator({ seed: demoSeed });
  const provider = new Provider({ project: "demo-project" }, emulator.env);
  const options = { timeout: 30_000 };
  const type = "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation";
  const { inputs, problems } = await provider.check(type, {
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    network: "projects/demo-project/global/networks/n",
    location: "us-central1-a",
    firewallEndpointAssociationId: "smoke",
  });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const { id, state } = await provider.create(type, inputs, options);
  const scope = await provider.invoke(
    "perimeter:fleet/v1beta:getScope",
    { location: "global", scopeId: "team-a" },
    options,
  );
  await provider.delete(type, { id, state }, options);
  await emulator.stop();
  console.log(JSON.stringify({ id, state: state.state, scope: scope.state.code, pluginPort: await pluginPort() }));
  process.exit(0);
}

/** What the plugin prints when it is ready, started by this very Node. */
function pluginPort() {
  return new Promise((resolve, reject) => {
    const plugin = spawn(process.execPath, [join(root, "bin/pulumi-resource-perimeter")], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    let errors = "";
    plugin.stderr.on("data", (chunk) => (errors += chunk));
    plugin.stdout.once("data", (chunk) => {
      plugin.kill("SIGKILL");
      resolve(Number(String(chunk).trim()));
    });
    plugin.once("exit", (code) => reject(new Error(`the plugin ended with ${code}: ${errors}`)));
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
