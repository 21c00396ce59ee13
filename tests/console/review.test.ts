/**
 * The HTML of a review in a real browser, opened as the file that it is. Skipped, with the reason, where no Chromium can
 * be had.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { htmlPage } from "../../provider/review/formats";
import type { ReviewResult } from "../../provider/review/result";
import { busyResult, HOSTILE_TEXT, hostileResult, largeResult, quietResult } from "../support/review-results";
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
    const open = async (result: ReviewResult): Promise<void> => {
      writeFileSync(file, htmlPage(result));
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
      "shows who has access before and after, and asks nobody for anything",
      async () => {
        await open(busyResult);
        const [store = ""] = busyResult.resources.map(({ resource }) => resource);
        // Roles by name: the editor, the reader, the store's admin and viewer.
        expect(await cells(store, "ada@example.com")).toEqual(["", "removed", "", ""]);
        expect(await cells(store, "grace@example.com")).toEqual(["", "removed", "", "granted"]);
        expect(await cells(store, "night-shift@example.com")).toEqual(["", "added", "", ""]);
        expect(await cells(store, "import@demo-project")).toEqual([
          "added, under condition 1, removed, under condition 2",
          "",
          "",
          "",
        ]);
        const text = await page.$eval("main", (its) => (its as unknown as { innerText: string }).innerText);
        expect(text).toContain("3 principals lose access, 2 gain, 1 condition changes on 2 resources");
        expect(text).toContain("Exit code 2: 2 losses not allowed, 1 rule broken");
        expect(text).toContain("Not known: The policy could not be read");
      },
      TEST_MS,
    );

    test(
      "takes its own styles, in light and dark, and has no violation of the accessibility rules (axe-core)",
      async () => {
        for (const result of [busyResult, quietResult, { ...busyResult, operation: "access" as const }]) {
          await open(result);
          await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
          for (const [value, background] of [
            ["light", "rgb(245, 246, 248)"],
            ["dark", "rgb(20, 24, 30)"],
          ] as const) {
            await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
            expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
            expect([value, await axeViolations(page)]).toEqual([value, []]);
          }
        }
      },
      TEST_MS,
    );

    test(
      "shows hostile texts as texts",
      async () => {
        await open(hostileResult(`${HOSTILE_TEXT}<script>window.attacked = 1</script>"onmouseover="window.attacked=1`));
        expect(await page.evaluate("window.attacked")).toBeUndefined();
        expect(await page.evaluate("document.querySelectorAll('script, img, [onmouseover]').length")).toBe(0);
        expect(await page.$eval("main", (its) => its.textContent)).toContain("<script>window.attacked = 1</script>");
      },
      TEST_MS,
    );

    test(
      "is no wider than a window of 400 or 1280 pixels",
      async () => {
        for (const result of [busyResult, hostileResult(HOSTILE_TEXT)]) {
          await open(result);
          for (const width of [400, 1280]) {
            await page.setViewport({ width, height: 800 });
            expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
          }
        }
      },
      TEST_MS,
    );

    test(
      "has all of it on paper: what is folded, and tables that scroll on a screen",
      async () => {
        await open(largeResult(600));
        const seen =
          "[document.querySelector('.access-scroll').offsetHeight, document.querySelector('details li').checkVisibility()]";
        const [height, isFoldedSeen] = (await page.evaluate(seen)) as [number, boolean];
        expect([height < 800, isFoldedSeen]).toEqual([true, false]);
        await page.emulateMediaType("print");
        const [whole, isUnfolded] = (await page.evaluate(seen)) as [number, boolean];
        expect([whole > 5000, isUnfolded]).toEqual([true, true]);
      },
      TEST_MS,
    );
  });
}
