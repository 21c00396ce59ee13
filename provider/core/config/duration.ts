/** A duration of Go's syntax, as Pulumi users know it from custom timeouts: `90s`, `1h30m`, `500ms`. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;

/** Node's timers count milliseconds in 31 bits, about 24.8 days, and fire at once beyond; nobody waits for more than this. */
const LONGEST_MS = 24 * 3_600_000;
const SHORTEST_MS = 1;

/** What keeps a text from being a usable duration, to be read on from its key; undefined for none. */
export function durationProblem(text: string): string | undefined {
  if (!DURATION.test(text)) return "must be a duration, such as 30s, 2m or 1h30m";
  const ms = durationMs(text);
  return ms >= SHORTEST_MS && ms <= LONGEST_MS ? undefined : "must be a duration from 1ms to 24h";
}

/** `90s`, `1h30m` in milliseconds. */
export function durationMs(text: string): number {
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (units[unit as string] as number);
  }
  return total;
}
