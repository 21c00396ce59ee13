import { validateHeaderValue } from "node:http";
import { z } from "zod";
import { STATUS_NAMES, type StatusName } from "../base/errors";
import { InputError, parseInput } from "../base/input";
import { PatternList, type Pattern } from "../base/pattern";

const milliseconds = z.int().min(0).max(3_600_000);
const headerValue = z.string().refine(canBeSent, "a header cannot have this text");
const delay = z.union([z.number().min(0), z.string().min(1)]);

const faultParts = z
  .strictObject({
    status: z.union([z.int().min(200).max(599), z.enum(STATUS_NAMES as [StatusName, ...StatusName[]])]),
    rpcStatus: z.enum(STATUS_NAMES as [StatusName, ...StatusName[]]),
    reason: z.string(),
    domain: z.string(),
    metadata: z.record(z.string(), z.string()),
    message: z.string(),
    retryAfter: z.union([z.number().min(0), headerValue.min(1)]),
    retryInfo: delay,
    body: z.union([z.string(), z.record(z.string(), z.unknown())]),
    contentType: headerValue,
    html: z.literal(true),
    empty: z.literal(true),
    stall: z.literal(true),
    when: z.enum(["before", "after"]),
    reset: z.enum(["before", "after"]),
    truncate: z.union([z.int().min(0), z.strictObject({ bytes: z.int().min(0), clean: z.boolean().optional() })]),
    delayMs: milliseconds,
    slowBody: z.strictObject({ chunkBytes: z.int().min(1), delayMs: milliseconds }),
    operationError: z.strictObject({
      code: z.int().min(1).max(16),
      message: z.string(),
      keepResource: z.boolean().optional(),
    }),
    staleRead: z.literal(true),
  })
  .partial();

function canBeSent(text: string): boolean {
  try {
    validateHeaderValue("Retry-After", text);
    return true;
  } catch {
    return false;
  }
}

/** The names of all parts of a fault. */
export const FAULT_PARTS = Object.keys(faultParts.shape);

const fault = faultParts.refine(
  (given) => Object.keys(given).some((key) => key !== "when"),
  // Otherwise a wrong sequence would be taken for a fault with an unknown key.
  { error: "a fault must have a part besides 'when'", abort: true },
);

const ruleSchema = z.strictObject({
  match: z.strictObject({ method: z.string(), path: z.string(), id: z.string() }).partial().default({}),
  skip: z.int().min(0).default(0),
  times: z.int().min(0).default(1),
  fault: z.union([fault, z.strictObject({ sequence: z.array(z.union([z.literal("pass"), fault])).min(1) })]),
});

const planSchema = z.array(ruleSchema);

/** The public types are made of the type of its result, which has nothing of zod (`input.ts`). @throws InputError */
function readPlan(input: unknown) {
  return parseInput("fault plan", planSchema, input ?? []);
}

type Rule = ReturnType<typeof readPlan>[number];

/** What goes wrong with one request; the parts combine (e.g. `delayMs` and `status`). */
export type Fault = Exclude<Rule["fault"], { sequence: unknown }>;

/** One rule as written by a caller. */
export type FaultRule = Pick<Rule, "fault"> & Partial<Rule>;

interface ActiveRule {
  rule: Rule;
  method?: string;
  path?: Pattern;
  id?: Pattern;
  /** How many requests matched and reached this rule. */
  seen: number;
}

/** A list of rules that give requests faults, tried in order. A rule that still skips, or is used up, gives way to the next. */
export class FaultPlan {
  private rules: ActiveRule[] = [];
  private written: FaultRule[] = [];

  /** Replaces the plan, and starts all counts at 0. @throws InputError */
  set(input: unknown): void {
    [this.rules, this.written] = armed(input);
  }

  /** Adds rules at the end; what the others have counted stays. @throws InputError */
  add(input: unknown): void {
    const [rules, written] = armed(input, this.rules);
    this.rules = [...this.rules, ...rules];
    this.written = [...this.written, ...written];
  }

  /** Takes out one rule; what the others have counted stays. @returns whether it was there */
  remove(index: number): boolean {
    this.written.splice(index, 1);
    return this.rules.splice(index, 1).length > 0;
  }

  /** The plan with the number of matching requests that each rule has seen. */
  show(): Array<FaultRule & { seen: number }> {
    return this.written.map((rule, index) => ({ ...rule, seen: this.rules[index]?.seen ?? 0 }));
  }

  /** The fault of a request, which counts as seen by every rule that it reaches. */
  next(method: string, path: string, id: string | undefined): Fault | undefined {
    for (const active of this.rules) {
      if (!matches(active, method, path, id)) {
        continue;
      }
      const { rule } = active;
      const steps = "sequence" in rule.fault ? rule.fault.sequence : [rule.fault];
      const position = active.seen - rule.skip;
      active.seen += 1;
      if (position < 0 || (rule.times > 0 && position >= rule.times * steps.length)) {
        continue;
      }
      const step = steps[position % steps.length];
      return step === "pass" ? undefined : step;
    }
    return undefined;
  }
}

/** @param others the rules that stay in the plan */
function armed(input: unknown, others: readonly ActiveRule[] = []): [ActiveRule[], FaultRule[]] {
  const rules = readPlan(input);
  const patterns = new PatternList(others.flatMap(({ path, id }) => [path, id].filter((each) => each !== undefined)));
  const compiled = rules.map((rule, index) => ({
    rule,
    seen: 0,
    method: rule.match.method?.toUpperCase(),
    path: compile(patterns, rule.match.path, `[${index}].match.path`),
    // In a method id there are no slashes, so a single star spans its dots too.
    id: compile(patterns, rule.match.id, `[${index}].match.id`),
  }));
  return [compiled, rules];
}

function compile(patterns: PatternList, source: string | undefined, at: string): Pattern | undefined {
  if (source === undefined) {
    return undefined;
  }
  try {
    return patterns.compile(source);
  } catch (error) {
    throw new InputError("fault plan", [`${at}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

function matches(active: ActiveRule, method: string, path: string, id: string | undefined): boolean {
  return (
    (active.method === undefined || active.method === method) &&
    (active.path === undefined || active.path.test(path)) &&
    (active.id === undefined || (id !== undefined && active.id.test(id)))
  );
}
