import { withQuery } from "./names";
import type { Bodies, RequestRecord } from "./types";

/** Headers of a request that decide about its answer. */
const HEADERS = ["content-type", "x-goog-user-project", "x-goog-request-reason"];

/**
 * A command that sends a request again, for a POSIX shell. It has no credentials: where there was a token, it takes one
 * from the variable TOKEN. A body that is not known any more is taken from the file body.json.
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

/** For curl, an empty header ends in a semicolon. */
function headerOption(name: string, value: string): string {
  return `--header ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
