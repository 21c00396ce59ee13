import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { NODE_LINES, nodeOf } from "../../support/node-lines";

/** The package says Node 20.19 and newer: the lines that have long-term support run what `make build` made. */
describe.each(NODE_LINES)("Node %s", (version) => {
  const node = nodeOf(version);
  if ("missing" in node) {
    test.skip(`skipped: ${node.missing}`, () => {});
    return;
  }

  test("runs the provider, the emulator and the plugin", () => {
    const output = execFileSync(node.path, [join(__dirname, "smoke.cjs")], { encoding: "utf8", timeout: 60_000 });
    expect(JSON.parse(output.trim().split("\n").at(-1) as string)).toEqual({
      id: "projects/demo-project/locations/us-central1-a/firewallEndpointAssociations/smoke",
      state: "ACTIVE",
      scope: "READY",
      pluginPort: expect.any(Number),
    });
  }, 90_000);
});
