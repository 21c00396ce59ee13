import { redact } from "../core/errors";
import type { Clock } from "./clock";
import { requestIdIn, withoutQuery, type Layer } from "./send";

/** How much a trace tells: `debug` a line for each request, `trace` bodies too. */
export type TraceLevel = "debug" | "trace";

/** Where the lines of a trace go. */
export interface TraceSink {
  level: TraceLevel;
  /** Show members of policies and e-mail addresses instead of masking them. */
  showMembers: boolean;
  write(line: string): void;
}

/** Standard error, as `PERIMETER_LOG` (`debug` or `trace`) and `PERIMETER_LOG_MEMBERS=show` ask; else undefined. */
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
 * A line for each request: method, URL without its query, status, attempt, milliseconds, the server's request id.
 * Headers are never looked at, so that no token can get out; bodies only at level `trace`. Members of policies and e-mail
 * addresses are masked.
 *
 * @param scrub takes what the user keeps secret out of a text
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
/** All before the @ of an e-mail address, from where its word begins: the search costs no more than the text is long. */
const BEFORE_AT = /(?<=^|["@\s])[^"@\s]+@/g;
const KIND_OF_MEMBER = /\b(?:deleted:)?(?:user|serviceAccount|group):/;
/** Members without a domain, and all of a principal's path. */
const OTHER_MEMBERS = /(\b(?:deleted:)?(?:(?:user|serviceAccount|group):|principal(?:Set)?:\/\/))[^"\s*][^"\s]*/g;

function masked(text: string, { showMembers }: TraceSink): string {
  if (showMembers) return text;
  const withoutNames = text.replace(BEFORE_AT, (word) => `${KIND_OF_MEMBER.exec(word)?.[0] ?? ""}***@`);
  return withoutNames.replace(OTHER_MEMBERS, "$1***");
}

/** Makes a body one line of bounded length. Only after secrets are taken out: nothing recognises a secret that is cut. */
function shortened(body: string): string {
  const text = body.replace(/\s+/g, " ");
  return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}… (${body.length} characters)` : text;
}
