import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "puppeteer-core";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { htmlPage } from "../../access/formats/html";
import { findChromium } from "../../tests/console/chromium";
import { go, openPage, startBrowser, waitForText } from "../../tests/console/browser";
import { answerWith } from "../../tests/support/answers";
import { busyResult } from "../../tests/support/review-results";
import { runTool } from "../run";

/** Takes the pictures of the console and of a review in docs/images/, from small scenes. `make screenshots` runs it. */

const IMAGES = join(__dirname, "..", "..", "docs", "images");
const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
const GATEWAY = "projects/demo-project/locations/us-central1/gateways/edge";
const ZONE = "projects/demo-project/locations/us-central1-a";

async function main(): Promise<void> {
  const chromium = findChromium();
  if ("reason" in chromium) {
    throw new Error(`no screenshots: ${chromium.reason}`);
  }
  mkdirSync(IMAGES, { recursive: true });
  const emulator = await startEmulator({ seed: demoSeed, operationMs: 0 });
  const browser = await startBrowser(chromium.path);
  try {
    await scene(emulator);
    const { page } = await openPage(browser, `${emulator.url}/`);
    await page.setViewport({ width: 1280, height: 800 });
    const access = `#/access?name=${encodeURIComponent(STORE)}`;
    await picture(page, "light", access, "Conditions", "access-light");
    await picture(page, "dark", access, "Conditions", "access-dark");
    await picture(page, "light", "#/resources", "fhirStores", "resources");
    await picture(page, "light", "#/operations", "running", "operations");
    await picture(page, "dark", "#/requests", "Terraform", "requests");
    await picture(page, "light", "#/faults", "Operations take", "faults");
    await reviewPictures(page);
  } finally {
    await browser.close();
    await emulator.stop();
  }
}

async function picture(page: Page, theme: string, hash: string, text: string, name: string): Promise<void> {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  await go(page, hash);
  await waitForText(page, text);
  await page.evaluate("scrollTo(0, 0); document.activeElement?.blur()");
  // Colors change over a moment.
  await page.waitForFunction("document.getAnimations().length === 0");
  await page.screenshot({ path: join(IMAGES, `console-${name}.png`) });
  console.log(`docs/images/console-${name}.png`);
}

/** The top of the page about a review, with its first resource. */
async function reviewPictures(page: Page): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "review-picture-"));
  try {
    const file = join(folder, "review.html");
    writeFileSync(file, htmlPage(answerWith(busyResult)));
    for (const [theme, name] of Object.entries({ light: "review", dark: "review-dark" })) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
      await page.goto(pathToFileURL(file).href);
      const picture = await (await page.$(".access"))?.boundingBox();
      const height = picture ? Math.ceil(picture.y + picture.height) + 8 : 800;
      const clip = { x: 0, y: 0, width: 1280, height };
      await page.screenshot({ path: join(IMAGES, `${name}.png`), clip, captureBeyondViewport: true });
      console.log(`docs/images/${name}.png`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Simulates several clients: grants in steps, a long create, a conflict. */
async function scene(emulator: Emulator): Promise<void> {
  const client = (userAgent: string) => caller(emulator.url, userAgent);
  const pulumi = client("pulumi-perimeter/0.1.0 (node 20.19.0)");
  const terraform = client("Terraform/1.13.4 terraform-provider-google/7.9.0");
  const gcloud = client("google-cloud-sdk gcloud/528.0.0 command/gcloud.healthcare.fhir-stores");
  const viewers = { role: "roles/healthcare.fhirStoreViewer", members: ["user:grace@example.com"] };
  const readers = {
    role: "roles/healthcare.fhirResourceReader",
    members: ["user:ada@example.com", "group:clinicians@example.com", "user:grace@example.com"],
  };
  const migration = {
    role: "roles/healthcare.fhirResourceEditor",
    members: ["serviceAccount:import@demo-project.iam.gserviceaccount.com"],
    condition: { title: "until the migration is over", expression: 'request.time < timestamp("2027-01-01T00:00:00Z")' },
  };
  await gcloud("GET", `/v1/${STORE}:getIamPolicy?options.requestedPolicyVersion=3`);
  const set = (bindings: object[], from: typeof pulumi) =>
    from("POST", `/v1beta1/${STORE}:setIamPolicy`, { policy: { version: 3, bindings } });
  await set([readers, viewers, migration], pulumi);
  await set([readers, { ...viewers, members: [...viewers.members, "domain:example.org"] }, migration], gcloud);
  const fewer = { ...readers, members: readers.members.slice(0, 2) };
  const admins = { role: "roles/healthcare.fhirStoreAdmin", members: ["group:platform@example.com"] };
  await set([fewer, { ...viewers, members: [...viewers.members, "allUsers"] }, migration, admins], pulumi);
  await terraform("GET", `/v1/${GATEWAY}`);
  await terraform("GET", `/v1/${GATEWAY}:getIamPolicy?options.requestedPolicyVersion=3`);
  await terraform("GET", "/v1/projects/demo-project/locations/us-central1/gateways/missing");
  emulator.setFaults([
    { match: { id: "eventarc.*.setIamPolicy" }, times: 2, fault: { status: "ABORTED" } },
    {
      match: { method: "GET", path: "/v1beta1/**/operations/*" },
      skip: 2,
      times: 3,
      fault: { status: 503, retryAfter: 1 },
    },
  ]);
  await pulumi("POST", "/v1/projects/demo-project/locations/us-central1/triggers/orders:setIamPolicy", { policy: {} });
  const association = (id: string, ms: number) => {
    emulator.configure({ operationMs: ms });
    return pulumi("POST", `/v1beta1/${ZONE}/firewallEndpointAssociations?firewallEndpointAssociationId=${id}`, {
      network: `projects/demo-project/global/networks/${id}`,
      firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/inspection",
      labels: { env: "prod" },
    });
  };
  await association("prod-a", 0);
  await association("prod-b", 60_000);
  const [operation] = emulator.operations().filter(({ state }) => state === "running");
  for (let poll = 0; poll < 12; poll += 1) {
    await pulumi("GET", `/v1beta1/${operation?.name ?? ""}`);
  }
  await association("prod-c", 240_000);
  emulator.configure({ operationMs: 0 });
}

function caller(url: string, userAgent: string) {
  return async (method: string, path: string, body?: object): Promise<void> => {
    const headers = { "user-agent": userAgent, authorization: "Bearer a-token", "content-type": "application/json" };
    await (await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })).text();
  };
}

runTool("screenshots", main);
