/** A duration of Go's syntax, as Pulumi users know it from custom timeouts: `90s`, `1h30m`, `500ms`. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/** Milliseconds. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Node's timers hold at most 31 bits of milliseconds (about 24.8 days) and fire at once for longer times; this limit is well below. */
const LONGEST_MS = 24 * 3_600_000;
const SHORTEST_MS = 1;

/** What is wrong with a duration, as a phrase after its key; undefined for a valid duration. */
export function durationProblem(text: string): string | undefined {
  if (!DURATION.test(text)) return "must be a duration, such as 30s, 2m or 1h30m";
  const ms = durationMs(text);
  return ms >= SHORTEST_MS && ms <= LONGEST_MS ? undefined : "must be a duration from 1ms to 24h";
}

/** A checked duration, such as `90s` or `1h30m`, in milliseconds. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(PART)].map(([, amount, unit = ""]) => Number(amount) * (UNITS.get(unit) ?? 0));
  return parts.reduce((total, each) => total + each, 0);
}
