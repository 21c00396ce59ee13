/**
 * Sets of moments. A moment is a number of nanoseconds since 1970, because conditions can be that exact. A set is a list of
 * spans in order, each with its first moment and the moment after its last; spans neither overlap nor touch.
 */

export type Span = readonly [from: bigint, to: bigint];
export type Times = readonly Span[];

export const SECOND = 1_000_000_000n;
/** The first moment of the Common Expression Language: 0001-01-01. */
export const FIRST = -62_135_596_800n * SECOND;
/** The moment after its last: 10000-01-01. */
export const END = 253_402_300_800n * SECOND;

export const ALWAYS: Times = [[FIRST, END]];
export const NEVER: Times = [];

/** The moments before this one. */
export function before(moment: bigint): Times {
  return span(FIRST, moment);
}

/** This moment, and those after it. */
export function since(moment: bigint): Times {
  return span(moment, END);
}

function span(from: bigint, to: bigint): Times {
  const [first, end] = [from < FIRST ? FIRST : from, to > END ? END : to];
  return first < end ? [[first, end]] : NEVER;
}

export function both(left: Times, right: Times): Times {
  return left.flatMap(([from, to]) =>
    right.flatMap(([otherFrom, otherTo]) => span(from > otherFrom ? from : otherFrom, to < otherTo ? to : otherTo)),
  );
}

export function either(left: Times, right: Times): Times {
  return not(both(not(left), not(right)));
}

export function not(times: Times): Times {
  const ends = [FIRST, ...times.flat(), END];
  return ends.flatMap((from, index) => (index % 2 === 0 ? span(from, ends[index + 1] ?? END) : []));
}

/** The moment after the last of the set; undefined for an empty set. */
export function endOf(times: Times): bigint | undefined {
  return times.at(-1)?.[1];
}

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * Reads a time of RFC 3339. Undefined for everything else, such as a day that does not exist.
 */
export function moment(text: string): bigint | undefined {
  const [, year = "", month, day, hour, minute, second, fraction = "", sign, hours = "0", minutes = "0"] =
    TIMESTAMP.exec(text) ?? [];
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const milliseconds = Date.parse(`${local}Z`);
  // `Date.parse` takes 30 February as 2 March.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString().slice(0, local.length) !== local)
    return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = BigInt(Number(hours) * 60 + Number(minutes)) * 60n * SECOND;
  const utc = BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
  const at = sign === "-" ? utc + offset : utc - offset;
  return at < FIRST || at >= END ? undefined : at;
}

/** A moment as a time of RFC 3339 in UTC, cut to milliseconds. */
export function timeText(at: bigint): string {
  return new Date(Number(at / 1_000_000n)).toISOString().replace(".000Z", "Z");
}

const UNITS: Readonly<Record<string, bigint>> = {
  h: 3600n * SECOND,
  m: 60n * SECOND,
  s: SECOND,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  ns: 1n,
};
const PART = /(\d+)(?:\.(\d{0,9}))?(h|ms|m|s|us|µs|ns)/g;

/** Reads a duration of the Common Expression Language, such as `1h30m` or `3600.5s`, in nanoseconds. */
export function duration(text: string): bigint | undefined {
  const [, sign = "", rest = ""] = /^([+-]?)(.{1,50})$/.exec(text) ?? [];
  const parts = [...rest.matchAll(PART)];
  if (rest === "" || parts.map(([part]) => part).join("") !== rest) return undefined;
  const sum = parts.reduce((total, [, whole = "", fraction = "", unit = ""]) => {
    const size = UNITS[unit] ?? 0n;
    return total + BigInt(whole) * size + (BigInt(fraction.padEnd(9, "0")) * size) / SECOND;
  }, 0n);
  return sign === "-" ? -sum : sum;
}
