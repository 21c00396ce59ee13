/** Periods of days and hours, as rules and options give them: `90d`, `2w`, `12h`. */

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };

export const PERIOD_FORM = "must be a number of hours, days or weeks, such as `12h`, `90d` or `2w`";

/** The period of `--expires-within`. */
export const DEFAULT_EXPIRES_WITHIN = "30d";

/** In milliseconds; undefined if the text is not a period. */
export function period(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const size = UNITS[unit];
  return size === undefined ? undefined : Number(count) * size;
}

/** A period in words: `30 days`. */
export function periodInWords(text: string): string {
  const [, count = "", unit = ""] = /^(\d+)([hdw])$/.exec(text) ?? [];
  const word = { h: "hour", d: "day", w: "week" }[unit] ?? "";
  return `${Number(count)} ${word}${Number(count) === 1 ? "" : "s"}`;
}
