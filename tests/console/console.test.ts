/**
 * The console in a real browser: what it shows of what clients do, while they do it, and what can be done from it.
 * Skipped, with the reason, where no Chromium can be had.
 */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "puppeteer-core";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { skip } from "../wire/on-path";
import { axeViolations, go, mainText, openPage, press, startBrowser, waitForText } from "./browser";
import { findChromium } from "./chromium";

const chromium = findChromium();
/** Starting a browser and drawing pages takes long where many tests share a machine. */
const TEST_MS = 300_000;

const STORE = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
const ZONE = "projects/demo-project/locations/us-central1-a";
const HOSTILE = `<img src=x onerror="window.attacked=1">'"><script>window.attacked=1</script>&amp;`;

if ("reason" in chromium) {
  skip(chromium.reason);
} else {
  describe("the console", () => {
    let browser: Browser;
    let emulator: Emulator;
    let page: Page;
    let complaints: string[];

    beforeAll(async () => {
      browser = await startBrowser(chromium.path);
    }, TEST_MS);
    afterAll(() => browser.close(), TEST_MS);
    beforeEach(async () => {
      emulator = await startEmulator({ seed: demoSeed });
      ({ page, complaints } = await openPage(browser, `${emulator.url}/`));
    }, TEST_MS);
    afterEach(async () => {
      const found = complaints.splice(0);
      await page.close();
      await emulator.stop();
      expect(found).toEqual([]);
    }, TEST_MS);

    const send = async (method: string, path: string, body?: object, userAgent = "a-client/1"): Promise<number> => {
      const response = await fetch(emulator.url + path, {
        method,
        headers: { "user-agent": userAgent, authorization: "Bearer secret-token", "content-type": "application/json" },
        body: body && JSON.stringify(body),
      });
      await response.text();
      return response.status;
    };
    const create = (id: string, userAgent?: string): Promise<number> =>
      send(
        "POST",
        `/v1beta1/${ZONE}/firewallEndpointAssociations?firewallEndpointAssociationId=${id}`,
        {
          network: `projects/demo-project/global/networks/${id}`,
          firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
        },
        userAgent,
      );
    const setPolicy = (bindings: object[]): Promise<number> =>
      send("POST", `/v1beta1/${STORE}:setIamPolicy`, { policy: { version: 3, bindings } });

    test(
      "shows resources by project and service, and finds them by name, state and label",
      async () => {
        await waitForText(page, "orders-to-sql");
        expect(await mainText(page)).toMatch(/demo-project[\s\S]*API Gateway[\s\S]*edge[\s\S]*ACTIVE[\s\S]*env=prod/);
        await page.type("input[type=search]", "env=prod");
        await page.waitForFunction("document.querySelectorAll('tbody th[scope=row]').length === 1");
        expect(await mainText(page)).toContain("1 of 8");
      },
      TEST_MS,
    );

    test(
      "follows resources, operations and requests live",
      async () => {
        await waitForText(page, "orders-to-sql");
        emulator.configure({ operationMs: 3_600_000 });
        expect(await create("live-one", "pulumi-perimeter/0.1.0 (node)")).toBe(200);
        await waitForText(page, "live-one");
        await waitForText(page, "CREATING");
        await go(page, "#/operations");
        await waitForText(page, "1 running");
        expect(await page.$("progress")).not.toBeNull();
        await press(page, "Finish now");
        await waitForText(page, "succeeded");
        await go(page, "#/resources");
        await page.waitForFunction("!document.querySelector('main').innerText.includes('CREATING')");
        await go(page, "#/requests");
        await waitForText(page, "pulumi-perimeter/0.1.0");
        await waitForText(page, "networksecurity.projects.locations.firewallEndpointAssociations.create");
        await page.click(".request-line");
        await waitForText(page, "the token is not kept");
        await page.waitForSelector(".request-details summary");
        await page.click(".request-details summary");
        await waitForText(page, "projects/demo-project/global/networks/live-one");
        expect(await page.content()).not.toContain("secret-token");
      },
      TEST_MS,
    );

    test(
      "ends an operation that is due although no client asks",
      async () => {
        emulator.configure({ operationMs: 1 });
        await create("due");
        await go(page, "#/operations");
        await waitForText(page, "succeeded");
        expect(emulator.requests()).toHaveLength(1);
      },
      TEST_MS,
    );

    test(
      "draws who has access after grants, marks the change, and steps back in time",
      async () => {
        await go(page, `#/access?name=${encodeURIComponent(STORE)}`);
        await waitForText(page, "ada@example.com");
        await setPolicy([
          { role: "roles/healthcare.fhirStoreViewer", members: ["user:grace@example.com", "user:new@example.com"] },
          {
            role: "roles/healthcare.fhirResourceReader",
            members: ["user:ada@example.com"],
            condition: { title: "for a while", expression: "request.time < timestamp('2027-01-01T00:00:00Z')" },
          },
        ]);
        await waitForText(page, "new@example.com");
        await waitForText(page, "Version 2 of 2");
        expect(await mainText(page)).toContain("This write added 2 grants and removed 3 grants.");
        expect(await mainText(page)).toContain("for a while");
        const cells = async (member: string): Promise<string[]> =>
          (await page.evaluate(
            `[...[...document.querySelectorAll('.access-matrix tbody tr')]
              .find((row) => row.querySelector('th').textContent.startsWith(${JSON.stringify(member)}))
              .querySelectorAll('td')].map((cell) => cell.querySelector('.access-hidden')?.textContent ?? '')`,
          )) as string[];
        expect(await cells("new@example.com")).toEqual(["", "added"]);
        expect(await cells("grace@example.com")).toEqual(["removed", "granted"]);
        await page.keyboard.press("[");
        await waitForText(page, "Version 1 of 2");
        expect(await page.$eval(".picture", (its) => its.textContent)).not.toContain("new@example.com");
        // Whoever looks at the past is not torn away by what happens meanwhile.
        await setPolicy([{ role: "roles/viewer", members: ["user:third@example.com"] }]);
        await waitForText(page, "Version 1 of 3");
        await press(page, "Later →");
        await waitForText(page, "Version 2 of 3");
      },
      TEST_MS,
    );

    test(
      "finds what a principal has everywhere",
      async () => {
        await go(page, "#/access?find=grace");
        await page.waitForSelector("a[href*='member=user%3Agrace']");
        await page.click("a[href*='member=user%3Agrace']");
        await waitForText(page, "Every role that this principal has");
        const rows = await page.$$eval(".access-matrix tbody th a", (links) =>
          links.map(({ textContent }) => textContent),
        );
        expect(rows).toEqual(["clinic / records", "edge", "orders"]);
      },
      TEST_MS,
    );

    test(
      "keeps the history of a resource, also after it is gone",
      async () => {
        emulator.mutate(STORE, { patch: { labels: { ward: "south" } } });
        emulator.remove(STORE);
        await go(page, `#/resource?name=${encodeURIComponent(STORE)}&tab=history`);
        await waitForText(page, "Removed");
        expect(await mainText(page)).toMatch(
          /Removed[\s\S]*Changed body[\s\S]*labels\.ward\s+north\s+south[\s\S]*Created/,
        );
      },
      TEST_MS,
    );

    test(
      "fails the next request, and takes a rule out",
      async () => {
        await go(page, "#/faults");
        await waitForText(page, "No fault is armed");
        await press(page, "Fail the next request");
        await waitForText(page, "0 of 1");
        expect(await send("GET", `/v1/${STORE}`)).toBe(503);
        await waitForText(page, "1 of 1");
        expect(await send("GET", `/v1/${STORE}`)).toBe(200);
        await press(page, "Take out rule 1");
        await waitForText(page, "No fault is armed");
        expect(emulator.faults()).toEqual([]);
      },
      TEST_MS,
    );

    test(
      "advances the clock, seeds, and resets only after a confirmation",
      async () => {
        await go(page, "#/faults");
        await waitForText(page, "Operations take");
        const before = emulator.now();
        await press(page, "Advance the clock by 1 day");
        await waitForText(page, new Date(before + 86_400_000).toISOString().slice(0, 10));
        await page.type(
          "textarea[aria-label='Seed in YAML or JSON']",
          "- { service: gkehub, name: projects/p/locations/global/scopes/from-page }",
        );
        await press(page, "Seed …");
        await press(page, "Seed");
        await page.waitForFunction("document.querySelector('nav .count').textContent === '9'");
        expect(emulator.resource("projects/p/locations/global/scopes/from-page")).toBeDefined();
        await press(page, "Reset to nothing …");
        await page.waitForSelector("dialog[open]");
        await page.keyboard.press("Escape");
        await page.waitForFunction("document.querySelector('dialog') === null");
        expect(emulator.resources()).toHaveLength(9);
        await press(page, "Reset to nothing …");
        await press(page, "Empty it");
        await page.waitForFunction("document.querySelector('nav .count').textContent === '0'");
        expect(emulator.resources()).toEqual([]);
        await go(page, "#/resources");
        await waitForText(page, "PERIMETER_EMULATOR_HOST=");
      },
      TEST_MS,
    );

    test(
      "goes on by itself after the emulator was away",
      async () => {
        await waitForText(page, "orders-to-sql");
        const { port } = emulator;
        await emulator.stop();
        await waitForText(page, "The emulator does not answer");
        emulator = await startEmulator({
          port,
          seed: [{ service: "gkehub", name: "projects/p/locations/global/scopes/after-restart" }],
        });
        await waitForText(page, "after-restart");
        expect(await mainText(page)).not.toContain("does not answer");
        // The browser reports the requests that met nobody.
        complaints = complaints.filter((text) => !text.includes("net::ERR"));
      },
      TEST_MS,
    );

    test(
      "shows names, members and bodies as text, whatever they hold",
      async () => {
        emulator.mutate(STORE, {
          patch: { labels: { ward: HOSTILE } },
          policy: {
            version: 3,
            bindings: [
              {
                role: `roles/${HOSTILE}`,
                members: [`user:${HOSTILE}`],
                condition: { title: HOSTILE, description: HOSTILE, expression: HOSTILE },
              },
            ],
          },
        });
        await send("GET", `/v1/${encodeURIComponent(HOSTILE)}?q=${encodeURIComponent(HOSTILE)}`, undefined, HOSTILE);
        const name = encodeURIComponent(STORE);
        const member = encodeURIComponent(`user:${HOSTILE}`);
        for (const [hash, shown] of [
          ["#/resources", "clinic / records"],
          [`#/resource?name=${name}`, "<script>"],
          [`#/resource?name=${name}&tab=history`, "<script>"],
          [`#/access?name=${name}`, "<script>"],
          [`#/access?member=${member}`, "<script>"],
          ["#/requests", "%3Cscript%3E"],
          [`#/resource?name=${member}`, "<script>"],
        ] as const) {
          await go(page, hash);
          await waitForText(page, shown);
          expect(
            await page.evaluate("[window.attacked, document.querySelectorAll('main img, main script').length]"),
          ).toEqual([null, 0]);
        }
      },
      TEST_MS,
    );

    test(
      "refuses a write of the page without its token",
      async () => {
        const status = await page.evaluate(
          `fetch("/_emulator/reset", { method: "POST", headers: { "content-type": "application/json" } }).then(({ status }) => status)`,
        );
        expect(status).toBe(403);
        expect(emulator.resources()).not.toEqual([]);
        complaints = complaints.filter((text) => !text.includes("403"));
      },
      TEST_MS,
    );

    const PAGES: ReadonlyArray<readonly [hash: string, text: string]> = [
      ["#/resources", "orders-to-sql"],
      [`#/resource?name=${encodeURIComponent(STORE)}`, "notificationConfigs"],
      [`#/resource?name=${encodeURIComponent(STORE)}&tab=policy`, "kim@example.com"],
      [`#/resource?name=${encodeURIComponent(STORE)}&tab=history`, "Created"],
      ["#/access", "Choose a resource"],
      [`#/access?name=${encodeURIComponent(STORE)}`, "Version 3 of 3"],
      ["#/access?member=user%3Agrace%40example.com", "Every role"],
      ["#/operations", "1 running"],
      ["#/requests", "a-client/1"],
      ["#/faults", "Take out all"],
    ];

    test(
      "has no violation of the accessibility rules (axe-core), in light and dark",
      async () => {
        emulator.setFaults([
          { match: { method: "DELETE" }, times: 1, fault: { status: 503 } },
          { times: 1, fault: { status: 409 } },
        ]);
        await setPolicy([{ role: "roles/viewer", members: ["allUsers"] }]);
        await setPolicy([{ role: "roles/viewer", members: ["allUsers"] }]);
        emulator.configure({ operationMs: 3_600_000 });
        await create("slow");
        emulator.mutate(STORE, {
          policy: {
            version: 3,
            bindings: [
              { role: "roles/viewer", members: ["deleted:user:kim@example.com?uid=1"] },
              { role: "roles/editor", members: ["group:g@example.com"], condition: { title: "t", expression: "true" } },
            ],
            auditConfigs: [{ service: "allServices", auditLogConfigs: [{ logType: "DATA_READ" }] }],
          },
        });
        await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
        const violations = async (): Promise<unknown[]> => {
          const found: unknown[] = [];
          for (const value of ["light", "dark"]) {
            // Colours that are still turning from one theme to the other have the contrast of neither.
            const still = { name: "prefers-reduced-motion", value: "reduce" };
            await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }, still]);
            const inTheme = (await axeViolations(page)) as unknown[];
            found.push(...inTheme.map((each) => [value, each]));
          }
          return found;
        };
        for (const [hash, text] of PAGES) {
          await go(page, hash);
          await waitForText(page, text);
          if (hash === "#/requests") {
            await page.click(".request-line");
            await page.waitForSelector(".request-details details");
          }
          expect([hash, await violations()]).toEqual([hash, []]);
        }
        await press(page, "Reset …");
        await page.waitForSelector("dialog[open]");
        expect(await violations()).toEqual([]);
      },
      TEST_MS,
    );

    test(
      "is usable by keyboard: skips to the content, goes to the search, follows a link",
      async () => {
        await waitForText(page, "orders-to-sql");
        await page.keyboard.press("Tab");
        expect(await focused(page)).toBe("Skip to the content");
        await page.keyboard.press("Enter");
        expect(await page.evaluate("document.activeElement.id")).toBe("content");
        await page.keyboard.press("/");
        expect(await page.evaluate("document.activeElement.type")).toBe("search");
        await page.keyboard.type("orders-to-sql");
        await page.waitForFunction("document.querySelectorAll('tbody th[scope=row]').length === 1");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Tab");
        expect(await focused(page)).toBe("orders-to-sql");
        await page.keyboard.press("Enter");
        await page.waitForFunction("document.querySelector('h1').textContent === 'orders-to-sql'");
        // Set after the page is drawn.
        await page.waitForFunction("document.title === 'orders-to-sql · Perimeter emulator'");
      },
      TEST_MS,
    );
  });
}

function focused(page: Page): Promise<unknown> {
  return page.evaluate("document.activeElement.textContent");
}
