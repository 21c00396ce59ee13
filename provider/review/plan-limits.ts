import { foreignAccessOf, grantStepOf } from "./grant-steps";
import type { Plan, PlanStep } from "./plan";
import type { Uncertainty } from "./result";
import type { PendingOperation, StackState } from "./state";

/** What a plan does not tell, and what a review of it does not look at. */
export interface PlanLimits {
  unknown: Uncertainty[];
  /** Sentences. */
  notes: string[];
}

/** Operations that change nothing in the cloud. `discard` forgets what the stack only read. */
const QUIET: readonly string[] = ["same", "refresh", "read", "discard", "read-discard", "discard-replaced"];

const MOST_LINES = 3;

/** @param state of the stack; undefined where it is not known. */
export function planLimits(plan: Plan, state: StackState | undefined): PlanLimits {
  const changes = plan.steps.filter(({ op }) => !QUIET.includes(op));
  const foreign = changes.filter((step) => grantStepOf(step) === undefined);
  const [followed, other] = (["followed-kind", "other"] as const).map((kind) =>
    foreign.filter((step) => foreignAccessOf(step) === kind),
  );
  return {
    unknown: [
      ...failureOf(plan),
      ...(followed ?? []).map(unsupported),
      ...(state?.pending ?? []).filter(mayBeDone).map(interrupted),
    ],
    notes: [
      ...(plan.steps.some(grantStepOf) ? [] : [plan.operation === "access" ? NO_GRANTS_IN_STACK : NO_GRANTS]),
      ...notReviewed(other ?? []),
      ...(state ? [] : [NO_STATE]),
    ],
  };
}

const NO_GRANTS = "No step of the plan is on a member grant of this provider";
const NO_GRANTS_IN_STACK = "The stack has no member grant of this provider";
/** A resource that waits for its delete is in the state alone: `pulumi preview --json` leaves such a step out. */
const NO_STATE = "The stack's state was not read, so what an earlier update left to delete is not known";

/** The engine has already taken secrets out of its messages. */
function failureOf({ errors }: Plan): Uncertainty[] {
  if (errors.length === 0) return [];
  const lines = errors.flatMap((each) => each.split("\n")).filter((line) => line.trim() !== "");
  const shown = lines.slice(0, MOST_LINES).map((line) => line.trim().replace(/^error: /, ""));
  return [
    {
      code: "incomplete plan",
      message: `The preview failed, so the plan does not show all that an update would do: ${shown.join(" ")}`,
    },
  ];
}

function unsupported({ op, urn, type }: PlanStep): Uncertainty {
  return {
    code: "unsupported",
    message: `The plan has a ${op} of ${type}, which can change who has access and which this review cannot follow`,
    step: urn,
  };
}

function mayBeDone({ operation, type, urn }: PendingOperation): boolean {
  return (
    ["creating", "updating", "deleting"].includes(operation) && grantStepOf({ op: operation, type, urn }) !== undefined
  );
}

function interrupted({ operation, urn }: PendingOperation): Uncertainty {
  return {
    code: "incomplete state",
    message: `An earlier update was interrupted while it was ${operation} this grant, so the state does not say whether it did`,
    step: urn,
  };
}

function notReviewed(steps: readonly PlanStep[]): string[] {
  if (steps.length === 0) return [];
  const types = [...new Set(steps.map(({ type }) => type))].sort();
  const changes = steps.length === 1 ? "1 access change" : `${steps.length} access changes`;
  return [`Not reviewed: ${changes} of other providers (${types.join(", ")})`];
}
