/** Programs that esbuild has made one file of: what works, and what is said where it cannot. */
import { buildSync } from "esbuild";
import * as fs from "node:fs";
import * as path from "node:path";
import { ENGINE_TIMEOUT_MS, repositoryRoot } from "../../support/engine";
import { linkPackage } from "../../support/node-modules";
import { nodeSdk, pluginFolder } from "../../support/plugin";
import { FHIR_STORE } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const program = (packageName: string) => `
import * as perimeter from "${packageName}";
export const scope = perimeter.fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" }).state.code;
new perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember("records", {
  name: "${FHIR_STORE}", role: "roles/healthcare.fhirResourceReader", member: "group:nurses@example.com",
});
`;

let stack: PackedStack;
afterEach(() => stack?.dispose());

/** One file with all packages but Pulumi's, which Pulumi's language host itself needs beside the program. */
function bundled(packageName: string): Record<string, string> {
  const { outputFiles } = buildSync({
    stdin: { contents: program(packageName), resolveDir: stack.project.dir },
    bundle: true,
    platform: "node",
    external: ["@pulumi/pulumi"],
    write: false,
    logLevel: "error",
  });
  return { "index.js": outputFiles[0]!.text };
}

/** Leaves the program Pulumi's package only. */
function removeOtherPackages(): void {
  const folder = path.join(stack.project.dir, "node_modules");
  fs.rmSync(folder, { recursive: true, force: true });
  linkPackage(folder, "@pulumi/pulumi", path.join(repositoryRoot, "node_modules/@pulumi/pulumi"));
}

test("a bundle without its packages fails with a clear error; a bundle with the plugin's SDK runs", async () => {
  stack = await PackedStack.create({ path: [pluginFolder()], packages: { "pulumi-perimeter-sdk": nodeSdk() } });
  const bundles = { npm: bundled("pulumi-perimeter"), sdk: bundled("pulumi-perimeter-sdk") };

  removeOtherPackages();
  stack.project.writeFiles(bundles.npm);
  const refused = await stack.project.preview({ fail: "yes" });
  expect(refused.messages("error")).toEqual([
    expect.stringMatching(
      /^The package pulumi-perimeter is not installed where this program runs.*--packages=external/,
    ),
  ]);
  expect(stack.heardChanges()).toEqual([]);

  stack.project.writeFiles(bundles.sdk);
  const planned = await stack.project.preview();
  expect(planned.step("records").type).toBe("perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember");
});
