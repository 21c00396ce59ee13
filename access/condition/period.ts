/** Periods of hours, days and weeks, as rules and options give them: `12h`, `90d`, `2w`. */

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, { word: string; size: number }>> = {
  h: { word: "hour", size: HOUR },
  d: { word: "day", size: 24 * HOUR },
  w: { word: "week", size: 7 * 24 * HOUR },
};

export const PERIOD_FORM = "must be a number of hours, days or weeks, such as `12h`, `90d` or `2w`";

/** The period of `--expires-within`. */
export const DEFAULT_EXPIRES_WITHIN = "30d";

/** In milliseconds; undefined if the text is not a period. */
export function period(text: string): number | undefined {
  const parts = partsOf(text);
  return parts && parts.count * parts.size;
}

/** A period in words: `30 days`. A text that is not a period stays as it is. */
export function periodInWords(text: string): string {
  const parts = partsOf(text);
  return parts ? `${parts.count} ${parts.word}${parts.count === 1 ? "" : "s"}` : text;
}

function partsOf(text: string): { count: number; word: string; size: number } | undefined {
  const [, count, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const found = UNITS[unit];
  return found && { count: Number(count), ...found };
}
