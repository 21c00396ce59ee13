/** The console follows a `pulumi up` of the real engine while it runs. Skipped, with the reason, without a browser. */
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator } from "../../../emulator";
import { go, openPage, startBrowser, waitForText } from "../../console/browser";
import { findChromium } from "../../console/chromium";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const EXAMPLE = "firewall-yaml";
const chromium = findChromium();
const missing = missingHost("yaml") ?? ("reason" in chromium ? chromium.reason : undefined);

if (missing !== undefined || "reason" in chromium) {
  test.skip(`the console follows \`pulumi up\` [skipped: ${missing}]`, () => undefined);
} else {
  test("the console follows `pulumi up`: it shows the running operation, the resource and the grant", async () => {
    // The operation ends when this test says so.
    const emulator = await startEmulator({ seed: demoSeed, operationMs: 86_400_000 });
    const project = await EngineProject.create({
      program: path.join(repositoryRoot, "examples", EXAMPLE),
      config: { "perimeter:project": PROJECT },
      nodeModules: "none",
      path: [pluginFolder()],
      env: emulator.env,
    });
    const browser = await startBrowser(chromium.path);
    try {
      if (engine().source === "build") {
        const program = path.join(project.dir, "Pulumi.yaml");
        fs.writeFileSync(program, fs.readFileSync(program, "utf8").replace(/^config:$/m, "configuration:"));
      }
      const { page, complaints } = await openPage(browser, `${emulator.url}/`);
      page.setDefaultTimeout(ENGINE_TIMEOUT_MS);
      await go(page, "#/operations");
      const up = project.up();
      await waitForText(page, "1 running");
      await waitForText(page, "pulumi-perimeter/");
      emulator.advance(86_400_000);
      await waitForText(page, "succeeded");
      await up;
      await go(page, `#/access?name=${encodeURIComponent(FHIR_STORE)}`);
      await waitForText(page, "This write added 1 grant");
      await waitForText(page, "nurses@example.com");
      await go(page, "#/requests");
      await waitForText(page, "networksecurity.projects.locations.firewallEndpointAssociations.create");
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await project.dispose();
      await emulator.stop();
    }
  });
}
