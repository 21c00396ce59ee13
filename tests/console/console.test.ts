import { readFileSync } from "node:fs";
import type { Page } from "puppeteer-core";
import { demoSeed, startEmulator } from "../../emulator";
import { axeViolations, go, mainText, press, waitForRequests, waitForText } from "./browser";
import { describeConsole, PAGES, STORE, TEST_MS } from "./scene";

/** The console in a real browser: what it shows of what clients do, while they do it, and what can be done from it. */

const HOSTILE = `<img src=x onerror="window.attacked=1">'"><script>window.attacked=1</script>&amp;`;

describeConsole("the console", (scene) => {
  test(
    "shows resources by project and service, and finds them by name, state and label",
    async () => {
      await waitForText(scene.page, "orders-to-sql");
      expect(await mainText(scene.page)).toMatch(
        /demo-project[\s\S]*API Gateway[\s\S]*edge[\s\S]*ACTIVE[\s\S]*env=prod/,
      );
      await scene.page.type("input[type=search]", "env=prod");
      await scene.page.waitForFunction("document.querySelectorAll('tbody th[scope=row]').length === 1");
      expect(await mainText(scene.page)).toContain(`1 of ${demoSeed.length}`);
    },
    TEST_MS,
  );

  test(
    "follows resources, operations and requests live",
    async () => {
      await waitForText(scene.page, "orders-to-sql");
      scene.emulator.configure({ operationMs: 3_600_000 });
      expect(await scene.create("live-one", "pulumi-perimeter/0.1.0 (node)")).toBe(200);
      await waitForText(scene.page, "live-one");
      await waitForText(scene.page, "CREATING");
      await go(scene.page, "#/operations");
      await waitForText(scene.page, "1 running");
      expect(await scene.page.$("progress")).not.toBeNull();
      await press(scene.page, "Finish now");
      await waitForText(scene.page, "succeeded");
      await go(scene.page, "#/resources");
      await scene.page.waitForFunction("!document.querySelector('main').innerText.includes('CREATING')");
      await go(scene.page, "#/requests");
      await waitForText(scene.page, "pulumi-perimeter/0.1.0");
      await waitForText(scene.page, "networksecurity.projects.locations.firewallEndpointAssociations.create");
      await scene.page.click(".request-line");
      await waitForText(scene.page, "the token is not kept");
      await waitForText(scene.page, "projects/demo-project/global/networks/live-one");
      expect(await scene.page.content()).not.toContain("secret-token");
    },
    TEST_MS,
  );

  test(
    "ends an operation on time although no client polls",
    async () => {
      scene.emulator.configure({ operationMs: 1 });
      await scene.create("due");
      await go(scene.page, "#/operations");
      await waitForText(scene.page, "succeeded");
      expect(scene.emulator.requests()).toHaveLength(1);
    },
    TEST_MS,
  );

  test(
    "draws who has access after grants, marks the change, and steps back in time",
    async () => {
      await go(scene.page, `#/access?name=${encodeURIComponent(STORE)}`);
      await waitForText(scene.page, "ada@example.com");
      await scene.setPolicy([
        { role: "roles/healthcare.fhirStoreViewer", members: ["user:grace@example.com", "user:new@example.com"] },
        {
          role: "roles/healthcare.fhirResourceReader",
          members: ["user:ada@example.com"],
          condition: { title: "for a while", expression: "request.time < timestamp('2027-01-01T00:00:00Z')" },
        },
      ]);
      await waitForText(scene.page, "new@example.com");
      await waitForText(scene.page, "Version 2 of 2");
      expect(await mainText(scene.page)).toContain(
        "This write added 1 grant, removed 2 grants and changed the condition of 1 grant.",
      );
      expect(await mainText(scene.page)).toContain("for a while");
      const cells = async (member: string): Promise<string[]> =>
        (await scene.page.evaluate(
          `[...[...document.querySelectorAll('.access-matrix tbody tr')]
              .find((row) => row.querySelector('th').textContent.startsWith(${JSON.stringify(member)}))
              .querySelectorAll('td')].map((cell) => cell.querySelector('.access-hidden')?.textContent ?? '')`,
        )) as string[];
      expect(await cells("new@example.com")).toEqual(["", "added"]);
      expect(await cells("grace@example.com")).toEqual(["removed", "granted"]);
      await scene.page.keyboard.press("[");
      await waitForText(scene.page, "Version 1 of 2");
      expect(await scene.page.$eval(".picture", (its) => its.textContent)).not.toContain("new@example.com");
      // Whoever looks at the past is not torn away by what happens meanwhile.
      await scene.setPolicy([{ role: "roles/viewer", members: ["user:third@example.com"] }]);
      await waitForText(scene.page, "Version 1 of 3");
      await press(scene.page, "Later →");
      await waitForText(scene.page, "Version 2 of 3");
    },
    TEST_MS,
  );

  test(
    "keeps a version that is written while the history of its resource is loaded",
    async () => {
      // The answer is from before the write, and arrives after it.
      let release = (): void => undefined;
      const written = new Promise<void>((resolve) => (release = resolve));
      await scene.page.setRequestInterception(true);
      scene.page.on("request", (request) => {
        void (async () => {
          if (!request.url().includes("/_emulator/history")) return request.continue();
          const body = await (await fetch(request.url())).text();
          await scene.setPolicy([{ role: "roles/viewer", members: ["user:new@example.com"] }]);
          await written;
          await request.respond({ contentType: "application/json", body });
        })();
      });
      await go(scene.page, `#/access?name=${encodeURIComponent(STORE)}`);
      await waitForText(scene.page, "new@example.com");
      release();
      await waitForText(scene.page, "Version 2 of 2");
    },
    TEST_MS,
  );

  test(
    "finds all access of a principal",
    async () => {
      await go(scene.page, "#/access?find=grace");
      await scene.page.waitForSelector("a[href*='member=user%3Agrace']");
      await scene.page.click("a[href*='member=user%3Agrace']");
      await waitForText(scene.page, "Every role that this principal has");
      const rows = await scene.page.$$eval(".access-matrix tbody th a", (links) =>
        links.map(({ textContent }) => textContent),
      );
      expect(rows).toEqual(["clinic / records", "edge", "orders", "orders-password"]);
    },
    TEST_MS,
  );

  test(
    "keeps the history of a resource, also after its deletion",
    async () => {
      scene.emulator.mutate(STORE, { patch: { labels: { ward: "south" } } });
      scene.emulator.remove(STORE);
      await go(scene.page, `#/resource?name=${encodeURIComponent(STORE)}&tab=history`);
      await waitForText(scene.page, "Removed");
      expect(await mainText(scene.page)).toMatch(
        /Removed[\s\S]*Changed body[\s\S]*labels\.ward\s+north\s+south[\s\S]*Created/,
      );
    },
    TEST_MS,
  );

  test(
    "compares any two versions of a resource and of its policy",
    async () => {
      scene.emulator.mutate(STORE, { patch: { labels: { ward: "south" } } });
      scene.emulator.mutate(STORE, { patch: { labels: { ward: "west" } } });
      await scene.setPolicy([{ role: "roles/viewer", members: ["user:one@example.com"] }]);
      await scene.setPolicy([{ role: "roles/viewer", members: ["user:two@example.com"] }]);
      await go(scene.page, `#/resource?name=${encodeURIComponent(STORE)}&tab=history`);
      await waitForText(scene.page, "Compare");
      const [seed, south] = scene.emulator.history(STORE).map(({ seq }) => String(seq));
      const compared = (): Promise<string> =>
        scene.page.$eval(
          "[aria-label='Comparison'] tbody",
          (its) => (its as unknown as { innerText: string }).innerText,
        );
      await scene.page.select("[aria-label='Comparison'] select", seed ?? "");
      await scene.page.waitForSelector("[aria-label='Comparison'] tbody");
      expect(await compared()).toMatch(/labels\.ward\s+north\s+west/);
      // The member is in the column of what is after.
      expect(await compared()).toMatch(/roles\/viewer\s+–\s+user:two@example\.com/);
      expect(await compared()).not.toMatch(/south|user:one/);
      await scene.page.select("[aria-label='Comparison'] .choice:nth-child(2) select", south ?? "");
      await scene.page.waitForFunction("document.querySelectorAll('[aria-label=Comparison] tbody tr').length === 1");
      expect(await compared()).toMatch(/labels\.ward\s+north\s+south/);
      // The address has the comparison.
      await scene.page.reload();
      await scene.page.waitForSelector("[aria-label='Comparison'] tbody");
      expect(await compared()).toMatch(/north\s+south/);

      await go(scene.page, `#/access?name=${encodeURIComponent(STORE)}`);
      await waitForText(scene.page, "Version 3 of 3");
      expect(await mainText(scene.page)).toContain("This write added 1 grant and removed 1 grant.");
      await scene.page.select(".picture select", seed ?? "");
      await waitForText(scene.page, "Against the chosen version, this version adds 1 grant and removes 4 grants.");
      await scene.page.select(".picture select", "");
      await scene.page.waitForFunction("!document.querySelector('main').innerText.includes('Against the chosen')");
      // The key is pressed in the moment in which the comparison appears.
      await scene.page.evaluate(`new MutationObserver((_, observer) => {
        if (document.querySelector("main").innerText.includes("Against the chosen version")) {
          observer.disconnect();
          dispatchEvent(new KeyboardEvent("keydown", { key: "[" }));
        }
      }).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true })`);
      await scene.page.select(".picture select", seed ?? "");
      await waitForText(scene.page, "Version 2 of 3");
      await waitForText(scene.page, "Against the chosen version");
      await scene.page.keyboard.press("]");
      await waitForText(scene.page, "Version 3 of 3");
      const shown = (): Promise<string> => scene.page.$eval(".access-matrix", (its) => its.textContent);
      expect(await shown()).not.toContain("one@example.com");
      await scene.page.keyboard.press("[");
      await waitForText(scene.page, "Version 2 of 3");
      await waitForText(scene.page, "Against the chosen version");
      expect(await shown()).toContain("one@example.com");
      expect(await shown()).not.toContain("two@example.com");
    },
    TEST_MS,
  );

  test(
    "offers the displayed policy as a file",
    async () => {
      await scene.setPolicy([{ role: "roles/viewer", members: ["user:o'neil@example.com", "user:%20#@example.com"] }]);
      await go(scene.page, `#/access?name=${encodeURIComponent(STORE)}`);
      await waitForText(scene.page, "Version 2 of 2");
      const [name, text] = (await scene.page.evaluate(
        `(async () => { const link = document.querySelector("a[download]"); return [link.download, await link.href]; })()`,
      )) as [string, string];
      expect(name).toBe("clinic-records-policy.json");
      expect(await (await fetch(text)).json()).toMatchObject({
        bindings: [{ role: "roles/viewer", members: ["user:o'neil@example.com", "user:%20#@example.com"] }],
      });
    },
    TEST_MS,
  );

  test(
    "shows the known facts about a resource that does not exist",
    async () => {
      await go(scene.page, "#/resource?name=x");
      await scene.page.waitForFunction("document.querySelector('h1').textContent === 'x'");
      const trail = (): Promise<unknown> => scene.page.$eval(".trail", (its) => its.textContent);
      expect(await trail()).toBe("Resources");
      await go(scene.page, "#/resource?name=projects/demo-project/locations/us-central1/gateways/gone");
      await scene.page.waitForFunction("document.querySelector('h1').textContent === 'gone'");
      await waitForText(scene.page, "unknown");
      expect(await trail()).toBe("Resources / demo-project / gateways");
    },
    TEST_MS,
  );

  test(
    "fails the next request, and removes a rule",
    async () => {
      await go(scene.page, "#/faults");
      await waitForText(scene.page, "There are no faults");
      await press(scene.page, "Fail the next request");
      await waitForText(scene.page, "0 of 1");
      expect(await scene.send("GET", `/v1/${STORE}`)).toBe(503);
      await waitForText(scene.page, "1 of 1");
      expect(await scene.send("GET", `/v1/${STORE}`)).toBe(200);
      await press(scene.page, "Remove rule 1");
      await waitForText(scene.page, "There are no faults");
      expect(scene.emulator.faults()).toEqual([]);
      // Without a limit, as the form says.
      await scene.page.evaluate(
        `{ const its = document.querySelector("input[type=number]"); its.value = "0"; its.dispatchEvent(new Event("input")); }`,
      );
      await press(scene.page, "Add fault");
      await waitForText(scene.page, "Remove all");
      expect(scene.emulator.faults()).toMatchObject([{ times: 0 }]);
    },
    TEST_MS,
  );

  test(
    "advances the clock, seeds, and resets only after a confirmation",
    async () => {
      await go(scene.page, "#/faults");
      await waitForText(scene.page, "Operations take");
      const before = scene.emulator.now();
      await press(scene.page, "Advance the clock by 1 day");
      await waitForText(scene.page, new Date(before + 86_400_000).toISOString().slice(0, 10));
      await scene.page.focus("textarea[aria-label='Seed in YAML or JSON']");
      // Pasted: the page is drawn once, and not after each letter.
      await scene.page.keyboard.sendCharacter(
        "- { service: gkehub, name: projects/p/locations/global/scopes/from-page }",
      );
      await press(scene.page, "Seed …");
      await press(scene.page, "Seed");
      await scene.page.waitForFunction(`document.querySelector('nav .count').textContent === '${demoSeed.length + 1}'`);
      expect(scene.emulator.resource("projects/p/locations/global/scopes/from-page")).toBeDefined();
      await press(scene.page, "Reset without the seed …");
      await scene.page.waitForSelector("dialog[open]");
      await scene.page.keyboard.press("Escape");
      await scene.page.waitForFunction("document.querySelector('dialog') === null");
      expect(scene.emulator.resources()).toHaveLength(demoSeed.length + 1);
      await press(scene.page, "Reset without the seed …");
      await press(scene.page, "Remove all resources");
      await scene.page.waitForFunction("document.querySelector('nav .count').textContent === '0'");
      expect(scene.emulator.resources()).toEqual([]);
      await go(scene.page, "#/resources");
      await waitForText(scene.page, "PERIMETER_EMULATOR_HOST=");
    },
    TEST_MS,
  );

  test(
    "continues automatically after the emulator was unavailable",
    async () => {
      await waitForText(scene.page, "orders-to-sql");
      const { port } = scene.emulator;
      await scene.emulator.stop();
      await waitForText(scene.page, "The emulator does not answer");
      scene.emulator = await startEmulator({
        port,
        seed: [{ service: "gkehub", name: "projects/p/locations/global/scopes/after-restart" }],
      });
      await waitForText(scene.page, "after-restart");
      expect(await mainText(scene.page)).not.toContain("does not answer");
      // The browser reports the requests that met nobody.
      scene.complaints = scene.complaints.filter((text) => !text.includes("net::ERR"));
    },
    TEST_MS,
  );

  test(
    "shows names, members and bodies as text, also with HTML in them",
    async () => {
      scene.emulator.mutate(STORE, {
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
      await scene.send(
        "GET",
        `/v1/${encodeURIComponent(HOSTILE)}?q=${encodeURIComponent(HOSTILE)}`,
        undefined,
        HOSTILE,
      );
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
        await go(scene.page, hash);
        await waitForText(scene.page, shown);
        expect(
          await scene.page.evaluate("[window.attacked, document.querySelectorAll('main img, main script').length]"),
        ).toEqual([null, 0]);
      }
    },
    TEST_MS,
  );

  test(
    "refuses a write of the page without its token",
    async () => {
      const status = await scene.page.evaluate(
        `fetch("/_emulator/reset", { method: "POST", headers: { "content-type": "application/json" } }).then(({ status }) => status)`,
      );
      expect(status).toBe(403);
      expect(scene.emulator.resources()).not.toEqual([]);
      scene.complaints = scene.complaints.filter((text) => !text.includes("403"));
    },
    TEST_MS,
  );

  test(
    "has no violation of the accessibility rules (axe-core), in light and dark",
    async () => {
      scene.emulator.setFaults([
        { match: { method: "DELETE" }, times: 1, fault: { status: 503 } },
        { times: 1, fault: { status: 409 } },
      ]);
      await scene.setPolicy([{ role: "roles/viewer", members: ["allUsers"] }]);
      await scene.setPolicy([{ role: "roles/viewer", members: ["allUsers"] }]);
      await scene.send("GET", `/v1/${STORE}`);
      await scene.send("GET", `/v1/${STORE}`);
      scene.emulator.configure({ operationMs: 3_600_000 });
      await scene.create("slow");
      scene.emulator.mutate(STORE, {
        policy: {
          version: 3,
          bindings: [
            { role: "roles/viewer", members: ["deleted:user:kim@example.com?uid=1"] },
            { role: "roles/editor", members: ["group:g@example.com"], condition: { title: "t", expression: "true" } },
          ],
          auditConfigs: [{ service: "allServices", auditLogConfigs: [{ logType: "DATA_READ" }] }],
        },
      });
      await scene.page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
      for (const [hash, text] of PAGES) {
        await go(scene.page, hash);
        await waitForText(scene.page, text);
        if (hash === "#/requests") {
          await waitForRequests(scene.page, 5);
          await scene.page.$$eval(".request-line", (all) =>
            all.forEach((its) => (its as unknown as { click(): void }).click()),
          );
          await scene.page.waitForSelector(".request-details pre");
          await scene.page.waitForSelector(".request-repeats .request-line");
        }
        expect([hash, await axeViolations(scene.page)]).toEqual([hash, []]);
      }
      await press(scene.page, "Reset …");
      await scene.page.waitForSelector("dialog[open]");
      expect(await axeViolations(scene.page)).toEqual([]);
    },
    TEST_MS,
  );

  test(
    "shows the resources of two APIs that have one name, each by its full name",
    async () => {
      const name = "projects/demo-project/instances/shared";
      const policy = (member: string) => ({ bindings: [{ role: "roles/viewer", members: [member] }] });
      scene.emulator.seed([{ service: "spanner", name, policy: policy("user:of-spanner@example.com") }]);
      await waitForText(scene.page, "shared");
      await scene.page.waitForSelector(`a[href$="${encodeURIComponent(name)}"]`);
      scene.emulator.seed([{ service: "bigtableadmin", name, policy: policy("user:of-bigtable@example.com") }]);
      const apis = { spanner: "of-spanner", bigtable: "of-bigtable" };
      for (const [host, holder] of Object.entries(apis)) {
        const full = `//${host}.googleapis.com/${name}`;
        const link = encodeURIComponent(full);
        await go(scene.page, "#/resources");
        await scene.page.waitForSelector(`th a[href="#/resource?name=${link}"]`);
        await go(scene.page, `#/resource?name=${link}&tab=policy`);
        await waitForText(scene.page, `${holder}@example.com`);
        expect(await mainText(scene.page)).toContain(full);
        const others = Object.values(apis).filter((each) => each !== holder);
        for (const other of others) expect(await mainText(scene.page)).not.toContain(other);
        await go(scene.page, `#/access?name=${link}`);
        await waitForText(scene.page, "Version 1 of 1");
        await waitForText(scene.page, `${holder}@example.com`);
      }
      await scene.send("POST", `/spanner/v1/${name}:setIamPolicy`, { policy: policy("user:later@example.com") });
      await go(scene.page, `#/access?name=${encodeURIComponent(`//spanner.googleapis.com/${name}`)}`);
      await waitForText(scene.page, "Version 2 of 2");
      await go(scene.page, "#/access?member=user%3Aof-bigtable%40example.com");
      await scene.page.waitForSelector(`[title="//bigtable.googleapis.com/${name}"]`);
      await go(scene.page, `#/resource?name=${encodeURIComponent(name)}`);
      await waitForText(scene.page, "2 APIs have a resource of this name.");
      await waitForText(scene.page, `//spanner.googleapis.com/${name}`);
    },
    TEST_MS,
  );

  test(
    "is usable by keyboard: skips to the content, goes to the search, follows a link",
    async () => {
      await waitForText(scene.page, "orders-to-sql");
      await scene.page.keyboard.press("Tab");
      expect(await focused(scene.page)).toBe("Skip to the content");
      await scene.page.keyboard.press("Enter");
      expect(await scene.page.evaluate("document.activeElement.id")).toBe("content");
      await scene.page.keyboard.press("/");
      expect(await scene.page.evaluate("document.activeElement.type")).toBe("search");
      await scene.page.keyboard.type("orders-to-sql");
      await scene.page.waitForFunction("document.querySelectorAll('tbody th[scope=row]').length === 1");
      await scene.page.keyboard.press("Tab");
      await scene.page.keyboard.press("Tab");
      expect(await focused(scene.page)).toBe("orders-to-sql");
      await scene.page.keyboard.press("Enter");
      await scene.page.waitForFunction("document.querySelector('h1').textContent === 'orders-to-sql'");
      // Set after the page is drawn.
      await scene.page.waitForFunction("document.title === 'orders-to-sql · Perimeter emulator'");
    },
    TEST_MS,
  );
});
function focused(page: Page): Promise<unknown> {
  return page.evaluate("document.activeElement.textContent");
}
