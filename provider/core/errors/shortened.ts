/**
 * Limits the length of errors and messages. APIs and proxies send texts of any length, and gRPC sends the text of an error
 * in HTTP/2 trailers: some senders drop trailers of more than 64 kB, and the engine gets no error.
 */

/** Characters of a message for a person. In trailers, where a character takes up to nine bytes, it still fits. */
export const LONGEST_MESSAGE = 4_000;

/** Characters of an error before secrets are removed. Larger than `LONGEST_MESSAGE`, so that no kept secret is cut before removal. */
export const LONGEST_CARRIED = 4 * LONGEST_MESSAGE;

/** Characters of a log message. It lists who gains and loses access, which must not be cut. */
export const LONGEST_LOG_LINE = 64_000;

/** Entries of a list of problems. */
const MOST_PROBLEMS = 100;

const CUT = "… [cut here: the text is too long for a message] …";

/**
 * Shortens a text for a message. Keeps the beginning and the end, because the end of an API's error has the request and its
 * id. Call it after secrets are removed: a secret that is cut is not recognized.
 *
 * The result is well-formed Unicode, as gRPC requires: an unpaired surrogate would end the call without its error.
 */
export function shortened(text: string, longest = LONGEST_MESSAGE): string {
  const end = Math.floor(longest / 4);
  const short = text.length <= longest ? text : text.slice(0, longest - end) + CUT + text.slice(-end);
  return short.toWellFormed();
}

/** The first problems of a list, and a last entry with the number of omitted problems. */
export function firstProblems<T>(problems: readonly T[], more: (text: string) => T): T[] {
  if (problems.length <= MOST_PROBLEMS) return [...problems];
  return [...problems.slice(0, MOST_PROBLEMS), more(`… and ${problems.length - MOST_PROBLEMS} more problems`)];
}
