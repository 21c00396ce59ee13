import { go, press, waitForText } from "./browser";
import { describeConsole, PAGES, TEST_MS } from "./scene";

describeConsole("the console in a narrow window", (scene) => {
  test(
    "fits into a window of 390 pixels: nothing overflows, and everything can be reached",
    async () => {
      scene.emulator.setFaults([
        {
          match: { id: "healthcare.projects.locations.datasets.fhirStores.*" },
          fault: { status: 503, retryAfter: 1 },
        },
      ]);
      scene.emulator.configure({ operationMs: 3_600_000 });
      await scene.create("slow", "pulumi-perimeter/0.1.0-with-a-long-version (node 20.19.0)");
      await scene.create("other");
      await scene.setPolicy([{ role: "roles/viewer", members: ["allUsers"] }]);
      await scene.setPolicy([
        {
          role: "roles/viewer",
          members: ["serviceAccount:a-long-name-of-an-account@demo-project.iam.gserviceaccount.com"],
        },
      ]);
      await scene.page.setViewport({ width: 390, height: 800 });
      for (const [hash] of PAGES) {
        await go(scene.page, hash);
        await scene.page.waitForFunction("document.querySelector('main h1')");
        if (hash === "#/requests") {
          await scene.page.waitForSelector(".request-line");
          await scene.page.$$eval(".request-line", (all) =>
            all.forEach((its) => (its as unknown as { click(): void }).click()),
          );
          await scene.page.waitForSelector(".request-details pre");
        }
        // A policy's picture may be as wide as it has roles: it has a box of its own to scroll in.
        const beyond = await scene.page
          .evaluate(`[document.documentElement.scrollWidth, ...[...document.querySelectorAll("main *, header *")]
            .filter((its) => !its.closest(".access-scroll, pre, .spare, .hidden, thead") && its.getBoundingClientRect().right > 390.5)
            .map((its) => its.outerHTML.slice(0, 200))]`);
        expect([hash, beyond]).toEqual([hash, [390]]);
        expect(await scene.page.$eval(".bar", (its) => its.getBoundingClientRect().height)).toBeLessThan(90);
      }
      // A narrow window cuts the picture: a sentence lists its roles.
      await go(scene.page, "#/access");
      await scene.page.waitForSelector(".choices a");
      await scene.page.click(".choices a[href*='records']");
      await scene.page.waitForSelector(".access-hint");
      const { hint, columns } = (await scene.page.evaluate(`({
        hint: [...document.querySelectorAll(".access-hint")].map((its) => [its.checkVisibility(), its.textContent])[0],
        columns: document.querySelectorAll(".access-matrix thead th").length - 1,
      })`)) as { hint: [boolean, string]; columns: number };
      expect(hint).toEqual([
        true,
        expect.stringMatching(new RegExp(`^${columns} roles: .*\\. The table scrolls sideways\\.$`)),
      ]);
      await go(scene.page, "#/requests");
      await scene.page.waitForSelector(".request-path");
      expect(await scene.page.$eval(".request-path", (its) => its.getBoundingClientRect().width)).toBeGreaterThan(300);
      await go(scene.page, "#/operations");
      await scene.page.waitForSelector(".progress button");
      const box = await (await scene.page.$(".progress button"))?.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThan(390);
      expect(box?.width).toBeGreaterThan(60);
      await press(scene.page, "Finish now");
      await waitForText(scene.page, "succeeded");
    },
    TEST_MS,
  );

  test(
    "shows a chosen resource or principal in place of the list in a narrow window, with a way back",
    async () => {
      await scene.page.setViewport({ width: 390, height: 600 });
      await go(scene.page, "#/access");
      await scene.page.waitForSelector(".choices a");
      const isListSeen = (): Promise<unknown> => scene.page.$eval(".choices", (its) => its.checkVisibility());
      for (const [link, heading] of [
        [".choices a[href*='records']", "clinic / records"],
        [".choices a[href*='member=user%3Agrace']", "user:grace@example.com"],
      ] as const) {
        expect(await isListSeen()).toBe(true);
        await scene.page.focus(link);
        await scene.page.keyboard.press("Enter");
        await scene.page.waitForFunction(
          `document.querySelector(".picture h2")?.textContent === ${JSON.stringify(heading)}`,
        );
        expect(await isListSeen()).toBe(false);
        // Whoever reads by ear or keyboard goes on at the top of the scene.page.
        await scene.page.waitForFunction("document.activeElement === document.querySelector('h1')");
        const { top, bottom } = (await scene.page.evaluate(
          "document.querySelector('.picture h2').getBoundingClientRect().toJSON()",
        )) as { top: number; bottom: number };
        expect([top > 80, bottom < 600]).toEqual([true, true]);
        await scene.page.click(".back a");
        await scene.page.waitForFunction("document.querySelector('.choices').checkVisibility()");
      }
      // A search shows the list again.
      await scene.page.click(".choices a[href*='records']");
      await scene.page.waitForSelector(".picture h2");
      await scene.page.type("input[type=search]", "grace");
      await scene.page.waitForFunction("document.querySelector('.choices').checkVisibility()");
      // The list follows each letter that is typed.
      await scene.page.waitForFunction("document.querySelectorAll('.choices li').length === 1");
    },
    TEST_MS,
  );
});
