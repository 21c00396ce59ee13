import { redact } from "../core/errors";
import type { Clock } from "./clock";
import { requestIdIn, withoutQuery, type Layer } from "./send";

/** The detail of a trace: `debug` has a line for each request, `trace` also has the bodies. */
export type TraceLevel = "debug" | "trace";

/** The output of a trace. */
export interface TraceSink {
  level: TraceLevel;
  /** Show members of policies and e-mail addresses instead of masking them. */
  showMembers: boolean;
  write(line: string): void;
}

/** Standard error if `PERIMETER_LOG` is `debug` or `trace`, with members if `PERIMETER_LOG_MEMBERS` is `show`; else undefined. */
export function traceSinkOf(environment: Readonly<Record<string, string | undefined>>): TraceSink | undefined {
  const level = environment.PERIMETER_LOG?.toLowerCase();
  if (level !== "debug" && level !== "trace") return undefined;
  return {
    level,
    showMembers: environment.PERIMETER_LOG_MEMBERS === "show",
    write: (line) => void process.stderr.write(`${line}\n`),
  };
}

/**
 * Writes a line for each request: method, URL without its query, status, the server's request id, milliseconds, attempt. It
 * never reads headers, so that no token is shown, and it reads bodies only at level `trace`. It masks members of policies and
 * e-mail addresses.
 *
 * @param scrub removes the user's secrets from a text
 */
export function traceLayer(sink: TraceSink, clock: Clock, scrub = (text: string) => text): Layer {
  const shown = (text: string) => masked(redact(scrub(text)), sink);
  const showBody = (direction: "<" | ">", body: string) =>
    sink.write(`perimeter: ${direction} ${shortened(shown(body))}`);
  return (next) => async (request) => {
    const begun = clock.now();
    const what = `${request.method} ${withoutQuery(request.url)}`;
    const { attempt = 1 } = request;
    const say = (outcome: string) =>
      sink.write(
        shown(`perimeter: ${what} ${outcome} ${clock.now() - begun} ms${attempt > 1 ? ` (attempt ${attempt})` : ""}`),
      );
    if (sink.level === "trace" && request.body !== undefined) showBody(">", request.body);
    try {
      const response = await next(request);
      const id = requestIdIn(response);
      say(`${response.status}${id ? ` ${id}` : ""}`);
      if (sink.level === "trace") showBody("<", response.body);
      return response;
    } catch (error) {
      say(error instanceof Error ? error.name : "failed");
      throw error;
    }
  };
}

const LONGEST_BODY = 4_000;
/** The part of an e-mail address before the @, from the beginning of its word: the search takes linear time. */
const BEFORE_AT = /(?<=^|["@\s])[^"@\s]+@/g;
const KIND_OF_MEMBER = /\b(?:deleted:)?(?:user|serviceAccount|group):/;
/** Members without a domain, and the whole path of a principal. */
const OTHER_MEMBERS = /(\b(?:deleted:)?(?:(?:user|serviceAccount|group):|principal(?:Set)?:\/\/))[^"\s*][^"\s]*/g;

function masked(text: string, { showMembers }: TraceSink): string {
  if (showMembers) return text;
  const withoutNames = text.replace(BEFORE_AT, (word) => `${KIND_OF_MEMBER.exec(word)?.[0] ?? ""}***@`);
  return withoutNames.replace(OTHER_MEMBERS, "$1***");
}

/** Makes a body one line of limited length. Only after the removal of secrets: a secret that is cut is not recognized. */
function shortened(body: string): string {
  const text = body.replace(/\s+/g, " ");
  return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}… (${body.length} characters)` : text;
}
