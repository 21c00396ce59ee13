import { withQuery } from "./names";
import type { Bodies, RequestRecord } from "./types";

/** The request headers that affect the response. */
const HEADERS = ["content-type", "x-goog-user-project", "x-goog-request-reason"];

/**
 * A command for a POSIX shell that sends a request again. It contains no credentials: if the request had a token, the command
 * uses the variable TOKEN. If the body is no longer known, the command reads the file body.json.
 */
export function curlCommand(record: RequestRecord, bodies: Bodies | null, origin: string): string {
  const { method, headers, authorization, bodyBytes } = record;
  const url = origin + withQuery(record, ({ value }) => value !== "REDACTED");
  const hasBody = bodyBytes > 0;
  const options = [
    // Without these, curl expands brackets and resolves dots.
    ...(/[[\]{}]/.test(url) ? ["--globoff"] : []),
    ...(/\/(\.|%2e)/i.test(url) ? ["--path-as-is"] : []),
    ...(method === "HEAD" ? ["--head"] : method === (hasBody ? "POST" : "GET") ? [] : [`--request ${method}`]),
    quoted(url),
    ...(authorization ? ['--header "Authorization: Bearer $TOKEN"'] : []),
    ...HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [headerOption(name, headers[name])])),
    // Without this, curl would send a content type that the request did not have.
    ...(hasBody && headers["content-type"] === undefined ? [`--header ${quoted("content-type:")}`] : []),
    ...(hasBody
      ? [bodies?.request === undefined ? "--data-binary @body.json" : `--data-raw ${quoted(bodies.request)}`]
      : []),
  ];
  return ["curl", ...options].join(" \\\n  ");
}

/** In curl, an empty header ends with a semicolon. */
function headerOption(name: string, value: string): string {
  return `--header ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
