import { accessStyles } from "../../picture/generated/styles";
import type { Answer } from "../http/answer";

const FOLDER = "/_emulator/console/";

/** The page may load its own files and ask its own server; nothing in it may run that is not one of those files. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Is this a request for the page or one of its files? */
export function isConsolePath({ method, path }: { method: string; path: string }): boolean {
  return (method === "GET" || method === "HEAD") && (path === "/" || (path.startsWith(FOLDER) && filesOf().has(path)));
}

/**
 * The console: one page and its files, which are a part of the emulator's own code and so in every bundle of it.
 *
 * @param pageToken lets the page write; only a page of the same origin can read it
 * @param titles the title of each API, e.g. `GKE Hub API`, by its service
 */
export function consoleAnswer(path: string, pageToken: string, titles: Readonly<Record<string, string>>): Answer {
  const headers = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
  };
  const file = filesOf().get(path);
  return {
    status: 200,
    ...(file ?? { body: page(pageToken, titles), contentType: "text/html; charset=UTF-8" }),
    headers,
  };
}

type File = Pick<Answer, "body" | "contentType">;

let files: ReadonlyMap<string, File> | undefined;

/** Loaded when it is first asked for: most emulators run in tests, where nobody looks. */
function filesOf(): ReadonlyMap<string, File> {
  if (files === undefined) {
    const { consoleScript, consoleStyles } =
      // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it at every start
      require("./generated/page") as typeof import("./generated/page");
    files = new Map([
      [`${FOLDER}console.js`, { body: consoleScript, contentType: "text/javascript; charset=UTF-8" }],
      [`${FOLDER}console.css`, { body: `${consoleStyles}\n${accessStyles}`, contentType: "text/css; charset=UTF-8" }],
      [`${FOLDER}icon.svg`, { body: ICON, contentType: "image/svg+xml; charset=UTF-8" }],
    ]);
  }
  return files;
}

/** The token is base64url, so it needs no escaping; titles have neither quotes nor angle brackets. */
function page(pageToken: string, titles: Readonly<Record<string, string>>): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Perimeter emulator</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="page-token" content="${pageToken}">
    <meta name="api-titles" content='${JSON.stringify(titles)}'>
    <link rel="icon" href="${FOLDER}icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${FOLDER}console.css">
    <script type="module" src="${FOLDER}console.js"></script>
  </head>
  <body>
    <div id="app"></div>
    <noscript>The console needs JavaScript. All its data is also available below /_emulator/; see docs/emulator.md.</noscript>
  </body>
</html>
`;
}

/** The project's logo, docs/images/logo.svg. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f5fb3"/><circle cx="16" cy="16" r="9.5" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-dasharray="47 12.7" transform="rotate(38.5 16 16)"/><circle cx="16" cy="16" r="3.5" fill="#fff"/></svg>
`;
