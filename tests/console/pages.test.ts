import * as childProcess from "node:child_process";
import { promisify } from "node:util";
import { go, press, waitForRequests, waitForText } from "./browser";
import { describeConsole, PAGES, STORE, TEST_MS } from "./scene";

const execFile = promisify(childProcess.execFile);

/** The request log and the narrow window of the console: one browser serves both. */
describeConsole("the console", (scene) => {
  describe("its requests", () => {
    test(
      "folds the polls between two writes of a client into one request with a count",
      async () => {
        scene.emulator.configure({ operationMs: 3_600_000 });
        await scene.create("polled");
        const { name = "" } = scene.emulator.operations()[0] ?? {};
        for (let poll = 0; poll < 6; poll++) {
          await scene.send("GET", `/v1beta1/${name}`);
          await scene.send("GET", `/v1/${STORE}`);
          // A request of another client does not end the count.
          await scene.send("PATCH", `/v1/${STORE}?updateMask=labels`, { labels: { poll: String(poll) } }, "another/1");
        }
        scene.emulator.setFaults([{ times: 1, fault: { status: 503 } }]);
        await scene.send("GET", `/v1beta1/${name}`);
        await scene.setPolicy([]);
        await scene.send("GET", `/v1beta1/${name}`);
        await go(scene.page, "#/requests");
        // The page receives one request after another. It is complete when the last one is there.
        await waitForRequests(scene.page, 16);
        const lines = (): Promise<string[]> =>
          scene.page.$$eval("[aria-label^='Requests of a-client'] > li > button", (all) =>
            all.map((its) =>
              [".badge", ".request-verb", ".request-badges", ".request-id"]
                .map((part) => its.querySelector(part)?.textContent ?? "")
                .join(" ")
                .replace(/[\w.]+\.(?=\w+\.\w+$)/, ""),
            ),
          );
        expect(await lines()).toEqual([
          "200 GET  operations.get",
          "200 POST  fhirStores.setIamPolicy",
          "503 GET fault: status operations.get",
          "200 GET 6 times fhirStores.get",
          "200 GET 6 times operations.get",
          "200 POST  firewallEndpointAssociations.create",
        ]);
        expect(
          await scene.page.$$eval(".group:first-of-type h2 .count", (all) => all.map((its) => its.textContent)),
        ).toEqual(["16", "1 not 2xx"]);
        // Every one of them can be looked at, by keyboard.
        await scene.page.evaluate(
          `[...document.querySelectorAll(".request-line")].find((its) => its.textContent.includes("6 times")).focus()`,
        );
        await scene.page.keyboard.press("Enter");
        await scene.page.waitForFunction("document.querySelectorAll('.request-repeats .request-line').length === 6");
        await scene.page.keyboard.press("Tab");
        await scene.page.keyboard.press("Enter");
        await scene.page.waitForSelector(".request-repeats .request-details pre");
        // A count that grows leaves it unfolded.
        await scene.send("GET", `/v1beta1/${name}`);
        await waitForText(scene.page, "2 times");
        expect(await scene.page.$(".request-repeats .request-details pre")).not.toBeNull();
      },
      TEST_MS,
    );

    test(
      "leads from a request to its resource, also by its operation and its create",
      async () => {
        scene.emulator.configure({ operationMs: 3_600_000 });
        await scene.create("linked");
        const { name = "" } = scene.emulator.operations()[0] ?? {};
        await scene.send("GET", `/v1beta1/${name}`);
        await scene.setPolicy([]);
        await scene.send("GET", "/v1/projects/demo-project/locations/us-central1/gateways");
        await go(scene.page, "#/requests");
        await scene.page.waitForFunction("document.querySelectorAll('.request-line').length === 4");
        await scene.page.$$eval(".request-line", (all) =>
          all.forEach((its) => (its as unknown as { click(): void }).click()),
        );
        await scene.page.waitForFunction("document.querySelectorAll('.request-details').length === 4");
        expect(
          await scene.page.$$eval(".request", (all) =>
            all.map((its) => its.querySelector(".request-details a")?.textContent ?? ""),
          ),
        ).toEqual(["", "clinic / records", "linked", "linked"]);
        await scene.page.focus(".request-details a");
        await scene.page.keyboard.press("Enter");
        await scene.page.waitForFunction("document.querySelector('h1').textContent === 'clinic / records'");
      },
      TEST_MS,
    );

    test(
      "copies a request as a curl command, which sends the same request without its token",
      async () => {
        const { origin } = new URL(scene.emulator.url);
        await scene.browser
          .defaultBrowserContext()
          .overridePermissions(origin, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
        const title = `o'neil "$(touch x)" \`y\``;
        const policy = {
          version: 3,
          bindings: [{ role: "roles/viewer", members: ["allUsers"], condition: { title, expression: "true" } }],
        };
        await scene.send("POST", `/v1/${STORE}:setIamPolicy?prettyPrint=false&key=AIza-secret`, { policy });
        await go(scene.page, "#/requests");
        await scene.page.waitForSelector(".request-line");
        await scene.page.click(".request-line");
        await scene.page.waitForSelector(".curl button");
        await press(scene.page, "Copy as curl");
        await scene.page.waitForFunction("document.querySelector('.curl button').textContent === 'Copied'");
        const command = (await scene.page.evaluate("navigator.clipboard.readText()")) as string;
        expect(command).not.toMatch(/secret/);
        expect(command).toContain('"Authorization: Bearer $TOKEN"');
        // Not execFileSync: the emulator answers from this process.
        await execFile("sh", ["-c", command], { env: { ...process.env, TOKEN: "another-token" } });
        const [sent, again] = scene.emulator.requests();
        expect(sent?.status).toBe(200);
        expect(again).toMatchObject({
          method: "POST",
          path: sent?.path,
          query: { prettyPrint: "false" },
          status: 200,
        });
        expect(again?.authorization).toBe(true);
        expect(again?.headers["content-type"]).toBe("application/json");
        expect(scene.emulator.history(STORE).at(-1)?.policy).toMatchObject({ bindings: policy.bindings });
      },
      TEST_MS,
    );
  });

  describe("in a narrow window", () => {
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
        expect(await scene.page.$eval(".request-path", (its) => its.getBoundingClientRect().width)).toBeGreaterThan(
          300,
        );
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
          // Users of a screen reader or a keyboard continue at the top of the page.
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
});
