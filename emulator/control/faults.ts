import { z } from "zod";
import { InputError, parseInput } from "./config";
import { STATUS, STATUS_NAMES, type StatusName } from "../http/errors";
import { pattern } from "./glob";

const milliseconds = z.int().min(0).max(3_600_000);
const delay = z.union([z.number().min(0), z.string().min(1)]);

const faultParts = z
  .strictObject({
    status: z.union([z.int().min(200).max(599), z.enum(STATUS_NAMES as [StatusName, ...StatusName[]])]),
    rpcStatus: z.enum(STATUS_NAMES as [StatusName, ...StatusName[]]),
    reason: z.string(),
    domain: z.string(),
    metadata: z.record(z.string(), z.string()),
    message: z.string(),
    retryAfter: delay,
    retryInfo: delay,
    body: z.union([z.string(), z.record(z.string(), z.unknown())]),
    contentType: z.string(),
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

/** The names of all parts of a fault. */
export const FAULT_PARTS = Object.keys(faultParts.shape);

const fault = faultParts.refine(
  (given) => Object.keys(given).some((key) => key !== "when"),
  "a fault must say what goes wrong",
);

/** What goes wrong with one request; the parts combine (e.g. `delayMs` and `status`). */
export type Fault = z.infer<typeof fault>;

const ruleSchema = z.strictObject({
  match: z.strictObject({ method: z.string(), path: z.string(), id: z.string() }).partial().default({}),
  skip: z.int().min(0).default(0),
  times: z.int().min(0).default(1),
  fault: z.union([fault, z.strictObject({ sequence: z.array(z.union([z.literal("pass"), fault])).min(1) })]),
});

const planSchema = z.array(ruleSchema);

/** One rule as written by a caller. */
export type FaultRule = z.input<typeof ruleSchema>;

interface Armed {
  rule: z.output<typeof ruleSchema>;
  method?: string;
  path?: RegExp;
  id?: RegExp;
  /** Requests that matched and reached this rule. */
  seen: number;
}

/** A scripted list of faults. Rules are tried in order; one that is still skipping or used up lets the next one try. */
export class FaultPlan {
  private rules: Armed[] = [];
  private written: FaultRule[] = [];

  /** Replaces the plan; all counts start anew. @throws InputError */
  set(input: unknown): void {
    const rules = parseInput("fault plan", planSchema, input ?? []);
    this.rules = rules.map((rule, index) => ({
      rule,
      seen: 0,
      method: rule.match.method?.toUpperCase(),
      path: compile(rule.match.path, `[${index}].match.path`),
      // In a method id there are no slashes, so a single star spans its dots too.
      id: compile(rule.match.id, `[${index}].match.id`),
    }));
    this.written = rules;
  }

  /** The plan with the number of matching requests that each rule has seen. */
  show(): Array<FaultRule & { seen: number }> {
    return this.written.map((rule, index) => ({ ...rule, seen: this.rules[index]?.seen ?? 0 }));
  }

  /** The fault for a request, counting it. */
  next(method: string, path: string, id: string | undefined): Fault | undefined {
    for (const armed of this.rules) {
      if (!matches(armed, method, path, id)) {
        continue;
      }
      const { rule } = armed;
      const steps = "sequence" in rule.fault ? rule.fault.sequence : [rule.fault];
      const position = armed.seen - rule.skip;
      armed.seen += 1;
      if (position < 0 || (rule.times > 0 && position >= rule.times * steps.length)) {
        continue;
      }
      const step = steps[position % steps.length];
      return step === "pass" ? undefined : step;
    }
    return undefined;
  }
}

function compile(source: string | undefined, at: string): RegExp | undefined {
  if (source === undefined) {
    return undefined;
  }
  try {
    return pattern(source);
  } catch (error) {
    throw new InputError("fault plan", [`${at}: ${(error as Error).message}`]);
  }
}

function matches(armed: Armed, method: string, path: string, id: string | undefined): boolean {
  return (
    (armed.method === undefined || armed.method === method) &&
    (armed.path === undefined || armed.path.test(path)) &&
    (armed.id === undefined || (id !== undefined && armed.id.test(id)))
  );
}

/** The HTTP code and status name of a fault that answers an error. */
export function faultStatus({ status = 500, rpcStatus }: Fault): { code: number; name: StatusName } {
  if (typeof status === "string") {
    return { code: STATUS[status][1], name: rpcStatus ?? status };
  }
  return { code: status, name: rpcStatus ?? NAMES[status] ?? "UNKNOWN" };
}

/** Where several statuses share an HTTP code, the one that a client meets most. */
const NAMES: Record<number, StatusName> = {
  200: "OK",
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  412: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};
