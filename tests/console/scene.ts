import type { Browser, Page } from "puppeteer-core";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { skip } from "../wire/on-path";
import { openPage, startBrowser } from "./browser";
import { findChromium } from "./chromium";

/** Starting a browser and drawing pages takes long where many tests share a machine. */
export const TEST_MS = 300_000;
export const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
const ZONE = "projects/demo-project/locations/us-central1-a";

/** Every page of the console, and a text that is in it after the requests of a test. */
export const PAGES: ReadonlyArray<readonly [hash: string, text: string]> = [
  ["#/resources", "orders-to-sql"],
  [`#/resource?name=${encodeURIComponent(STORE)}`, "notificationConfigs"],
  [`#/resource?name=${encodeURIComponent(STORE)}&tab=policy`, "kim@example.com"],
  [`#/resource?name=${encodeURIComponent(STORE)}&tab=history`, "Created"],
  ["#/access", "Choose a resource"],
  [`#/access?name=${encodeURIComponent(STORE)}`, "Version 3 of 3"],
  ["#/access?member=user%3Agrace%40example.com", "Every role"],
  ["#/operations", "1 running"],
  ["#/requests", "a-client/1"],
  ["#/permissions", "healthcare.fhirStores.setIamPolicy"],
  ["#/resource?name=x", "unknown"],
  ["#/faults", "Remove all"],
];

/** An emulator with the demo project, a page with its console, and a client. */
export class ConsoleScene {
  browser!: Browser;
  emulator!: Emulator;
  page!: Page;
  /** What went wrong in the page. A test takes out what it expects. */
  complaints: string[] = [];

  async send(method: string, path: string, body?: object, userAgent = "a-client/1"): Promise<number> {
    const response = await fetch(this.emulator.url + path, {
      method,
      headers: { "user-agent": userAgent, authorization: "Bearer secret-token", "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    await response.text();
    return response.status;
  }

  create(id: string, userAgent?: string): Promise<number> {
    return this.send(
      "POST",
      `/v1beta1/${ZONE}/firewallEndpointAssociations?firewallEndpointAssociationId=${id}`,
      {
        network: `projects/demo-project/global/networks/${id}`,
        firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
      },
      userAgent,
    );
  }

  setPolicy(bindings: object[]): Promise<number> {
    return this.send("POST", `/v1beta1/${STORE}:setIamPolicy`, { policy: { version: 3, bindings } });
  }
}

/** Tests of the console, each with its own emulator and page. Skipped, with the reason, where no Chromium can be had. */
export function describeConsole(name: string, tests: (scene: ConsoleScene) => void): void {
  const chromium = findChromium();
  if ("reason" in chromium) {
    skip(chromium.reason);
    return;
  }
  describe(name, () => {
    const scene = new ConsoleScene();
    beforeAll(async () => {
      scene.browser = await startBrowser(chromium.path);
    }, TEST_MS);
    afterAll(() => scene.browser.close(), TEST_MS);
    beforeEach(async () => {
      scene.emulator = await startEmulator({ seed: demoSeed });
      const { page, complaints } = await openPage(scene.browser, `${scene.emulator.url}/`);
      Object.assign(scene, { page, complaints });
    }, TEST_MS);
    afterEach(async () => {
      const found = scene.complaints.splice(0);
      await scene.page.close();
      await scene.emulator.stop();
      expect(found).toEqual([]);
    }, TEST_MS);
    tests(scene);
  });
}
