import puppeteer, { type Browser, type Page } from "puppeteer-core";

/** Starts a headless Chromium. It runs pages of this machine alone, so it needs no sandbox, which containers lack. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return puppeteer.launch({
    executablePath,
    headless: true,
    args: [
      ...["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"],
      // Each process takes a tenth of a second to start. So all pages share one, and the network and the drawing have none.
      ...["--process-per-site", "--renderer-process-limit=1", "--in-process-gpu", "--no-zygote"],
      ...["--enable-features=NetworkServiceInProcess2", "--disable-features=SpareRendererForSitePerProcess"],
    ],
    // A busy machine takes its time; the test's own limit ends what hangs.
    timeout: 0,
    protocolTimeout: 0,
  });
}

/** A page, and what went wrong in it: messages of its console, failed requests, uncaught errors. */
export interface WatchedPage {
  page: Page;
  complaints: string[];
}

/** A page of its own; what pages store they share, by the address of their emulator. */
export async function openPage(browser: Browser, url: string): Promise<WatchedPage> {
  const opened = watched(await browser.newPage());
  const { page } = opened;
  // Says what was waited for, well before the test's own limit.
  page.setDefaultTimeout(60_000);
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(url);
  await page.waitForSelector("main h1");
  return opened;
}

/** A page that is still empty, with what goes wrong in it from now on. */
export function watched(page: Page, complaints: string[] = []): WatchedPage {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warn") {
      complaints.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) =>
    complaints.push(`uncaught: ${error instanceof Error ? error.message : String(error)}`),
  );
  return { page, complaints };
}

/**
 * The violations that axe-core finds in a page that has loaded it: theme, rule, element and reason. All rules run in light. In
 * dark, only those about colors run, because no other rule depends on the theme.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [value, only] of [
    ["light", ""],
    ["dark", 'runOnly: ["color-contrast", "link-in-text-block"],'],
  ] as const) {
    // Colors that are still turning from one theme to the other have the contrast of neither.
    const still = { name: "prefers-reduced-motion", value: "reduce" };
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }, still]);
    const violations = (await page.evaluate(
      `axe.run(document, { ${only} resultTypes: ["violations"] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, any }) => html + " " + any.map(({ message }) => message)).join("\\n")))`,
    )) as string[];
    found.push(...violations.map((each) => `${value}: ${each}`));
  }
  return found;
}

/** The visible text of the page's main part. */
export function mainText(page: Page): Promise<string> {
  return page.evaluate("document.querySelector('main').innerText") as Promise<string>;
}

/** Waits until the main part shows a text. */
export async function waitForText(page: Page, text: string): Promise<void> {
  await page.waitForFunction(`document.querySelector('main').innerText.includes(${JSON.stringify(text)})`);
}

/** Waits until the page of requests shows this many requests of its first client. */
export async function waitForRequests(page: Page, count: number): Promise<void> {
  await page.waitForFunction(`document.querySelector(".group h2 .count")?.textContent === "${count}"`);
}

/** Goes to another page of the console. */
export async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Presses the button with this text, or this accessible name. */
export async function press(page: Page, name: string): Promise<void> {
  await page.locator(`::-p-aria([name=${JSON.stringify(name)}][role="button"])`).click();
}
