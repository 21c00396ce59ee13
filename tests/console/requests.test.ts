import * as childProcess from "node:child_process";
import { promisify } from "node:util";
import { go, press, waitForRequests, waitForText } from "./browser";
import { describeConsole, STORE, TEST_MS } from "./scene";

const execFile = promisify(childProcess.execFile);

describeConsole("the requests of the console", (scene) => {
  test(
    "folds the polls between two writes of a client into one request with a count",
    async () => {
      scene.emulator.configure({ operationMs: 3_600_000 });
      await scene.create("polled");
      const { name = "" } = scene.emulator.operations()[0] ?? {};
      for (let poll = 0; poll < 6; poll++) {
        await scene.send("GET", `/v1beta1/${name}`);
        await scene.send("GET", `/v1/${STORE}`);
        // Another client does not part the polls.
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
