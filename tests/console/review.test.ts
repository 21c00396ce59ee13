/**
 * The HTML of a review in a real browser, opened as the file that it is. Skipped, with the reason, where no Chromium can
 * be had.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { answerWith, type OneStack } from "../support/answers";
import { htmlPage } from "../../access/formats/html";
import {
  busyResult,
  HOSTILE_TEXT,
  hostileResult,
  largeResult,
  quietResult,
  wideResult,
} from "../support/review-results";
import { skip } from "../wire/on-path";
import { axeViolations, startBrowser, watched } from "./browser";
import { findChromium } from "./chromium";

const chromium = findChromium();
const TEST_MS = 300_000;

if ("reason" in chromium) {
  skip(chromium.reason);
} else {
  describe("the page about a review", () => {
    const folder = mkdtempSync(join(tmpdir(), "review-page-"));
    const file = join(folder, "review.html");
    let browser: Browser;
    let page: Page;
    /** What went wrong in the pages of a test, and what they asked for. */
    let complaints: string[] = [];
    let requests: string[] = [];

    beforeAll(async () => {
      browser = await startBrowser(chromium.path);
    }, TEST_MS);
    afterAll(async () => {
      await browser.close();
      rmSync(folder, { recursive: true });
    }, TEST_MS);

    beforeEach(async () => {
      page = await browser.newPage();
      watched(page, complaints);
      page.on("request", (request) => void requests.push(request.url()));
    }, TEST_MS);
    const open = async (result: OneStack): Promise<void> => {
      writeFileSync(file, htmlPage(answerWith(result)));
      await page.goto(pathToFileURL(file).href);
    };
    afterEach(async () => {
      await page.close();
      const [found, asked] = [complaints, requests];
      [complaints, requests] = [[], []];
      expect(found).toEqual([]);
      expect([...new Set(asked)]).toEqual([pathToFileURL(file).href]);
    }, TEST_MS);

    const cells = (resource: string, member: string): Promise<unknown> =>
      page.evaluate(
        `[...[...document.querySelector(${JSON.stringify(`[aria-label="Who has access to ${resource}"]`)}).querySelectorAll("tbody tr")]
          .find((row) => row.querySelector("th").textContent.startsWith(${JSON.stringify(member)}))
          .querySelectorAll("td")].map((cell) => [...cell.querySelectorAll(".access-hidden")].map((its) => its.textContent).join(", "))`,
      );

    test(
      "shows who has access before and after, and sends no request",
      async () => {
        await open(busyResult);
        const [store = ""] = busyResult.resources.map(({ resource }) => resource);
        // Roles by name: the editor, the reader, the store's viewer. Its admin is in an unchanged row.
        expect(await cells(store, "ada@example.com")).toEqual(["", "removed", ""]);
        expect(await cells(store, "grace@example.com")).toEqual(["", "removed", "granted"]);
        expect(await cells(store, "night-shift@example.com")).toEqual(["", "added", ""]);
        expect(await cells(store, "import@demo-project")).toEqual([
          "added, under condition 1, removed, under condition 2",
          "",
          "",
        ]);
        expect(await page.$$eval(".access-fold > summary", (all) => all.map((its) => its.textContent))).toEqual([
          "2 unchanged principals",
          "1 unchanged principal",
        ]);
        const text = await page.$eval("main", (its) => (its as unknown as { innerText: string }).innerText);
        expect(text).toContain(
          "3 principals lose access, everyone on the internet and 1 principal gain, 1 condition changes on 2 resources",
        );
        expect(text).toContain(
          "Exit code 2: 2 lost grants not allowed, 1 rule violated, 1 step refused, 2 things unknown",
        );
        expect(text).toContain("Unknown: The policy could not be read");
      },
      TEST_MS,
    );

    test(
      "uses its own styles, in light and dark, and has no violation of the accessibility rules (axe-core)",
      async () => {
        for (const result of [
          busyResult,
          quietResult,
          wideResult(2),
          { ...busyResult, operation: "access" as const },
        ]) {
          await open(result);
          await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
          for (const [value, background] of [
            ["light", "rgb(245, 246, 248)"],
            ["dark", "rgb(20, 24, 30)"],
          ] as const) {
            await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
            expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
          }
          expect(await axeViolations(page)).toEqual([]);
        }
      },
      TEST_MS,
    );

    test(
      "shows texts with HTML as text",
      async () => {
        await open(hostileResult(`${HOSTILE_TEXT}<script>window.attacked = 1</script>"onmouseover="window.attacked=1`));
        expect(await page.evaluate("window.attacked")).toBeUndefined();
        expect(await page.evaluate("document.querySelectorAll('script, img, [onmouseover]').length")).toBe(0);
        expect(await page.$eval("main", (its) => its.textContent)).toContain("<script>window.attacked = 1</script>");
      },
      TEST_MS,
    );

    test(
      "is no wider than a window of 390 or 1280 pixels",
      async () => {
        for (const result of [busyResult, hostileResult(HOSTILE_TEXT), wideResult(12)]) {
          await open(result);
          for (const width of [390, 1280]) {
            await page.setViewport({ width, height: 800 });
            expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
          }
        }
      },
      TEST_MS,
    );

    const isSeen = (selector: string): Promise<unknown> =>
      page.$$eval(selector, (all) => all.filter((its) => its.checkVisibility({ contentVisibilityAuto: true })).length);

    test(
      "shows the changed rows of a picture without scrolling in a box, and folds the unchanged rows",
      async () => {
        await open(wideResult(1));
        expect(await isSeen(".access-matrix tbody tr")).toBe(2);
        expect(
          await page.evaluate(`[...document.querySelectorAll(".access-scroll, .table-scroll")]
          .filter((its) => its.scrollHeight > its.clientHeight).length`),
        ).toBe(0);
        await page.click(".access-fold > summary");
        expect(await isSeen(".access-matrix tbody tr")).toBe(22);
        await page.setViewport({ width: 390, height: 800 });
        expect(
          await page.$eval(".table-scroll", (its) => [
            its.scrollWidth - its.clientWidth,
            its.textContent.includes("new-000"),
          ]),
        ).toEqual([0, true]);
      },
      TEST_MS,
    );

    test(
      "folds a review of 200 changes into a line for each resource, which an index reaches by keyboard",
      async () => {
        await page.setViewport({ width: 1280, height: 800 });
        await open(wideResult(120));
        expect(await isSeen(".changes tr")).toBe(0);
        expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(10_000);
        const line = "details.resource:nth-of-type(2) > summary";
        expect(await page.$eval(line, (its) => (its as unknown as { innerText: string }).innerText)).toMatch(
          /records-001.*−1 loss\s+− user:gone-001@example\.com/s,
        );
        expect(await page.$$eval(".index a", (all) => all.length)).toBe(120);
        await page.focus('.index a[href="#resource-120"]');
        await page.keyboard.press("Enter");
        await page.waitForFunction("document.querySelectorAll('details.resource[open]').length === 1");
        const top = await page.$eval("details.resource[open]", (its) => its.getBoundingClientRect().top);
        expect(top).toBeGreaterThanOrEqual(0);
        expect(top).toBeLessThan(800);
        expect(await page.$eval("details.resource[open] .changes", (its) => its.textContent)).toContain("gone-119");
        await page.keyboard.press("Tab");
        // Goes on inside of the resource that the link led to.
        expect(await page.evaluate("document.activeElement.closest('details')?.querySelector('.place').id")).toBe(
          "resource-120",
        );
      },
      TEST_MS,
    );

    test(
      "filters resources and changes by kind without a script, and not on paper",
      async () => {
        await open(wideResult(8));
        const seen = async (): Promise<unknown[]> => [
          await isSeen("details.resource"),
          await isSeen(".index li"),
          await isSeen(".changes tr.has-lost"),
          await isSeen(".changes tr.has-gained"),
        ];
        expect(await seen()).toEqual([8, 8, 5, 8]);
        await page.focus(".filter input");
        await page.keyboard.press("ArrowRight");
        expect(await page.$eval(".filter label:has(:checked)", (its) => its.textContent.trim())).toBe("5 losses");
        expect(await seen()).toEqual([5, 5, 5, 0]);
        await page.keyboard.press("ArrowRight");
        expect(await seen()).toEqual([4, 4, 0, 8]);
        await page.emulateMediaType("print");
        expect(await seen()).toEqual([8, 8, 5, 8]);
      },
      TEST_MS,
    );

    test(
      "prints everything, including folded parts and parts that a screen shows only partially",
      async () => {
        await open(largeResult(200));
        const seen = async (): Promise<unknown[]> => [
          await isSeen(".access-matrix tbody tr"),
          await isSeen(".changes tbody tr"),
          await isSeen("details li"),
        ];
        expect(await seen()).toEqual([30, 40, 0]);
        await page.emulateMediaType("print");
        expect(await seen()).toEqual([200, 200, 50]);
      },
      TEST_MS,
    );
  });
}
