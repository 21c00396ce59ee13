import { createHash } from "node:crypto";
import { accessStyles } from "../picture/generated/styles";
import { toHtml } from "../picture/html";
import type { ReviewResult } from "../result";
import { Report } from "./report";
import { filterStyles } from "./report-index";
import { reportStyles } from "./report-styles";
import { headline, stackPath } from "./summary";
import { visible } from "../visible";

/**
 * Formats a review as one HTML file that loads nothing else. It has no script, and the browser accepts its styles by their
 * hash only. Every text of the result is escaped.
 */
export function htmlPage(result: ReviewResult): string {
  const styles = `${accessStyles}${reportStyles}${filterStyles}`;
  const hash = createHash("sha256").update(styles).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const name = stackPath(result);
  const title = visible(`${name === "" ? "" : `${name}: `}${headline(result)}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
${toHtml({ tag: "title", attributes: {}, children: [title] })}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<style>${styles}</style>
</head>
<body>
${toHtml(Report({ result }))}
</body>
</html>
`;
}
