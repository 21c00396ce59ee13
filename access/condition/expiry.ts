import { getOrCompute } from "../../provider/core/once";
import type { Grant } from "../../provider/iam/policy";
import { partsAroundHidden } from "../result/texts";
import type { AccessChanged, Condition, Expiry } from "../result/result";
import {
  attributeName,
  booleanLiteral,
  comparisonOf,
  exchanged,
  integerLiteral,
  parsedExpression,
  textLiteral,
  textOf,
  timeLiteral,
  usesOnlyAttributes,
  within,
  type ComparisonOperator,
  type Expression,
} from "./expression";
import {
  ALWAYS,
  before,
  both,
  either,
  END,
  endOf,
  FIRST,
  moment,
  NEVER,
  not,
  since,
  timeText,
  type Times,
} from "./times";

/** When conditions end. If a part that matters cannot be read, the end is unknown. */

/**
 * Returns the end of the grants under a condition: the first moment after which it cannot hold, whatever else is true of the
 * request and the resource.
 *
 * @returns `at`: this moment in nanoseconds; absent without an end. `unread`: the part of the expression that could not be read.
 */
export function endOfCondition(
  condition: Condition | undefined,
): { known: true; at?: bigint } | { known: false; unread: string } {
  // As in policies, an empty expression is not a condition.
  if (!condition?.expression) return { known: true };
  const { expression } = condition;
  // The parser would take `[secret]` as a list.
  const parsed = partsAroundHidden(expression).length > 1 ? undefined : parsedExpression(expression);
  if (parsed === undefined) return { known: false, unread: expression };
  const unread: Expression[] = [];
  const latest = endOf(truthOf(parsed, ALWAYS, unread).holds) ?? FIRST;
  const earliest = endOf(truthOf(parsed, NEVER, []).holds) ?? FIRST;
  if (latest < END) return { known: true, at: latest };
  const [first = parsed] = unread;
  return earliest === END ? { known: true } : { known: false, unread: textOf(first) };
}

/** Whether an expression can be false from `now` on. What cannot be read can be false at any time. @param now milliseconds */
export function canBeFalse(expression: Expression, now: number): boolean {
  const { fails } = truthOf(expression, ALWAYS, []);
  return both(fails, since(BigInt(now) * 1_000_000n)).length > 0;
}

/** @param soon milliseconds from `now` within which an end is soon */
export function expiryOf(condition: Condition | undefined, now: number, soon: number): Expiry {
  const end = endOfCondition(condition);
  if (!end.known) return { state: "unknown", unread: end.unread };
  const { at } = end;
  if (at === undefined) return { state: "never" };
  if (at === FIRST) return { state: "expired" };
  const left = at - BigInt(now) * 1_000_000n;
  const state = left <= 0n ? "expired" : left <= BigInt(soon) * 1_000_000n ? "soon" : "later";
  return { state, at: timeText(at) };
}

/** Why a grant gives nobody access: its condition has ended, or its principal is deleted. */
export type Inert = NonNullable<AccessChanged["gaveNoAccess"]>;

/**
 * Returns a function that says why a grant gives nobody access from a moment on; undefined for a grant that gives access, that
 * will give it, or whose end is unknown. The function reads each condition once, because many grants share one.
 */
export function inertAt(now = Date.now()): (grant: Grant) => Inert | undefined {
  const expired = new Map<string, boolean>();
  return ({ member, condition }) => {
    if (member.startsWith("deleted:")) return "deleted";
    const { title = "", expression = "" } = condition ?? {};
    const isExpired = getOrCompute(
      expired,
      expression,
      () => expiryOf({ title, expression }, now, 0).state === "expired",
    );
    return isExpired ? "expired" : undefined;
  };
}

/** Returns a function that decides whether a grant gives access to anybody from a moment on. */
export function accessAt(now = Date.now()): (grant: Grant) => boolean {
  const inert = inertAt(now);
  return (grant) => inert(grant) === undefined;
}

/** The moments at which an expression can be true, and those at which it can be false. Both may include a moment. */
interface Truth {
  holds: Times;
  fails: Times;
}

const ANY: Truth = { holds: ALWAYS, fails: ALWAYS };

/**
 * @param assumed the moments at which a part that cannot be read is assumed to be true, and to be false
 * @param unread receives these parts
 */
function truthOf(expression: Expression, assumed: Times, unread: Expression[]): Truth {
  const inner = (each: Expression) => truthOf(each, assumed, unread);
  switch (expression.op) {
    case "!_": {
      const { holds, fails } = inner(expression.args);
      return { holds: fails, fails: holds };
    }
    case "&&": {
      const [left, right] = [inner(expression.args[0]), inner(expression.args[1])];
      return { holds: both(left.holds, right.holds), fails: either(left.fails, right.fails) };
    }
    case "||": {
      const [left, right] = [inner(expression.args[0]), inner(expression.args[1])];
      return { holds: either(left.holds, right.holds), fails: both(left.fails, right.fails) };
    }
    case "?:": {
      const [test, then, otherwise] = expression.args;
      const [chosen, yes, no] = [inner(test), inner(then), inner(otherwise)];
      return {
        holds: either(both(chosen.holds, yes.holds), both(chosen.fails, no.holds)),
        fails: either(both(chosen.holds, yes.fails), both(chosen.fails, no.fails)),
      };
    }
    default:
      return truthOfPart(expression, assumed, unread);
  }
}

/** A part without `&&`, `||`, `!` and `? :`. */
function truthOfPart(expression: Expression, assumed: Times, unread: Expression[]): Truth {
  const literal = booleanLiteral(expression);
  if (literal !== undefined) return exactly(literal ? ALWAYS : NEVER);
  const read = comparedTimes(expression) ?? comparedParts(expression);
  if (read) return read;
  if (!mayDependOnTime(expression)) return ANY;
  unread.push(expression);
  return { holds: assumed, fails: assumed };
}

function exactly(holds: Times): Truth {
  return { holds, fails: not(holds) };
}

/** Functions whose value depends on their arguments only. */
const PURE: readonly string[] = "timestamp duration size string int uint double bool bytes has".split(" ");

/** False only if the expression uses known attributes and functions, and each use of `request` is another attribute of it. */
function mayDependOnTime(expression: Expression): boolean {
  if (!usesOnlyAttributes(expression)) return true;
  const parts = [...within(expression)];
  const ofRequest = parts.filter((each) => attributeName(each)?.startsWith("request.") && attributeName(each) !== TIME);
  const requests = parts.filter((each) => each.op === "id" && each.args === "request");
  return requests.length > ofRequest.length || parts.some((each) => each.op === "call" && !PURE.includes(each.args[0]));
}

const TIME = "request.time";

/** A time or a duration: `slope` times the time of the request, and `offset` nanoseconds. */
interface Linear {
  isTime: boolean;
  slope: number;
  offset: bigint;
}

function linear(expression: Expression): Linear | undefined {
  if (attributeName(expression) === TIME) return { isTime: true, slope: 1, offset: 0n };
  const literal = timeLiteral(expression);
  if (literal) return { isTime: literal.isTime, slope: 0, offset: literal.value };
  if (expression.op !== "+" && expression.op !== "-") return undefined;
  const [left, right] = expression.args.map(linear);
  if (!left || !right) return undefined;
  const isSum = expression.op === "+";
  // Two times have no sum, and no time can be taken from a duration.
  if (right.isTime && (isSum ? left.isTime : !left.isTime)) return undefined;
  return {
    isTime: left.isTime !== right.isTime,
    slope: isSum ? left.slope + right.slope : left.slope - right.slope,
    offset: isSum ? left.offset + right.offset : left.offset - right.offset,
  };
}

/** `request.time < timestamp("…")`, `request.time - timestamp("…") > duration("…")` and the like. */
function comparedTimes(expression: Expression): Truth | undefined {
  const comparison = comparisonOf(expression);
  const [left, right] = comparison ? [linear(comparison.left), linear(comparison.right)] : [];
  if (!comparison || !left || !right || left.isTime !== right.isTime) return undefined;
  const slope = left.slope - right.slope;
  const offset = right.offset - left.offset;
  const { operator } = comparison;
  if (slope === 0) return exactly(COMPARES[operator](0n, offset) ? ALWAYS : NEVER);
  if (slope === 1) return exactly(TIMES_WHERE[operator](offset, offset + 1n));
  // The request's time is on the right side only.
  return slope === -1 ? exactly(TIMES_WHERE[exchanged(comparison).operator](-offset, -offset + 1n)) : undefined;
}

/** The moments before, in or after a span, as the operator says. The span begins at `first` and ends before `next`. */
const TIMES_WHERE: Readonly<Record<ComparisonOperator, (first: bigint, next: bigint) => Times>> = {
  "<": (first) => before(first),
  "<=": (_first, next) => before(next),
  ">": (_first, next) => since(next),
  ">=": (first) => since(first),
  "==": (first, next) => both(since(first), before(next)),
  "!=": (first, next) => either(before(first), since(next)),
};

/** The methods for parts of a time that recur, with the smallest and the largest value. */
const RECURRING: Readonly<Record<string, readonly [number, number]>> = {
  getMonth: [0, 11],
  getDate: [1, 31],
  getDayOfMonth: [0, 30],
  getDayOfWeek: [0, 6],
  getDayOfYear: [0, 365],
  getHours: [0, 23],
  getMinutes: [0, 59],
  getSeconds: [0, 59],
  getMilliseconds: [0, 999],
};

/** `request.time.getFullYear() < 2027`, and parts that recur: `request.time.getHours("Europe/Berlin") < 18`. */
function comparedParts(expression: Expression): Truth | undefined {
  if (expression.op === "in") {
    const [part, list] = expression.args;
    const values = list.op === "list" ? list.args.map(integerLiteral) : [];
    const all = values.filter((each) => each !== undefined);
    return all.length === values.length && list.op === "list"
      ? comparedPart(part, (value) => all.includes(value))
      : undefined;
  }
  const comparison = comparisonOf(expression);
  const forms = comparison ? [comparison, exchanged(comparison)] : [];
  const withLimit = forms.find(({ right }) => integerLiteral(right) !== undefined);
  const limit = integerLiteral(withLimit?.right);
  if (!withLimit || limit === undefined) return undefined;
  const { operator, left } = withLimit;
  return yearsWhere(operator, left, limit) ?? comparedPart(left, (value) => COMPARES[operator](value, limit));
}

const COMPARES: Readonly<Record<ComparisonOperator, (value: bigint, limit: bigint) => boolean>> = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "==": (value, limit) => value === limit,
  "!=": (value, limit) => value !== limit,
};

/** The name of the method that gives a part of the request's time, and its time zone. */
function partOfTime(expression: Expression): { name: string; zone?: string } | undefined {
  if (expression.op !== "rcall") return undefined;
  const [name, of, values] = expression.args;
  if (attributeName(of) !== TIME || values.length > 1) return undefined;
  const zone = textLiteral(values[0]);
  return values.length === 0 ? { name } : zone === undefined ? undefined : { name, zone };
}

/** A comparison of a recurring part. It ends no grant, but it is never true if no value satisfies it. */
function comparedPart(expression: Expression, meets: (value: bigint) => boolean): Truth | undefined {
  const [from, to] = RECURRING[partOfTime(expression)?.name ?? ""] ?? [];
  if (from === undefined || to === undefined) return undefined;
  const met = Array.from({ length: to - from + 1 }, (_, index) => meets(BigInt(from + index)));
  return { holds: met.includes(true) ? ALWAYS : NEVER, fails: met.includes(false) ? ALWAYS : NEVER };
}

function yearsWhere(operator: ComparisonOperator, expression: Expression, year: bigint): Truth | undefined {
  const part = partOfTime(expression);
  if (part?.name !== "getFullYear" || (part.zone ?? "UTC") !== "UTC") return undefined;
  return exactly(TIMES_WHERE[operator](startOf(year), startOf(year + 1n)));
}

function startOf(year: bigint): bigint {
  if (year < 1n) return FIRST;
  return year > 9999n ? END : (moment(`${String(year).padStart(4, "0")}-01-01T00:00:00Z`) ?? FIRST);
}
