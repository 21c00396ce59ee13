import { foreignAccessOf, grantStepOf } from "./grant-steps";
import { STACK_TYPE, type Plan, type PlanStep } from "./plan";
import type { Uncertainty } from "../result";
import type { PendingOperation, StackState } from "./state";

/** The facts that a plan does not show, and the facts that a review does not check. */
export interface PlanLimits {
  unknown: Uncertainty[];
  /** Sentences. */
  notes: string[];
}

/** Operations that change nothing in the cloud. `discard` removes a read resource from the state. */
const QUIET: readonly string[] = ["same", "refresh", "read", "discard", "read-discard", "discard-replaced"];

const MOST_LINES = 3;

/** @param state of the stack; undefined when it was not read. */
export function planLimits(plan: Plan, state: StackState | undefined): PlanLimits {
  const changes = plan.steps.filter(({ op }) => !QUIET.includes(op));
  const foreign = changes.filter((step) => grantStepOf(step) === undefined);
  const [followed, other] = (["followed-kind", "other"] as const).map((kind) =>
    foreign.filter((step) => foreignAccessOf(step) === kind),
  );
  return {
    unknown: [
      ...failureOf(plan),
      ...notRegistered(plan, state),
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

const NO_GRANTS = "The plan has no step on a grant of this provider";
const NO_GRANTS_IN_STACK = "The stack has no grant of this provider";
/** A resource that waits for its delete is only in the state: `pulumi preview --json` omits such a step. */
const NO_STATE = "The stack's state was not read: resources that an earlier update left to delete are unknown";

/** The engine has already removed secrets from its messages. */
function failureOf({ errors }: Plan): Uncertainty[] {
  if (errors.length === 0) return [];
  const lines = errors.flatMap((each) => each.split("\n")).filter((line) => line.trim() !== "");
  const shown = lines.slice(0, MOST_LINES).map((line) => line.trim().replace(/^error: /, ""));
  return [
    {
      code: "incomplete plan",
      message: `The preview failed, so the plan does not show all steps of the update: ${shown.join(" ")}`,
    },
  ];
}

/**
 * A program that ends early with an exit code that its language host reserves (32 of Node.js: the error is already logged)
 * leaves no error in the plan. A complete plan shows or counts each resource of the state, at least as `same` or `delete`.
 */
function notRegistered(
  { operation, steps, errors, unchangedNotShown }: Plan,
  state: StackState | undefined,
): Uncertainty[] {
  const hasProgram = steps.some(({ type, op }) => type === STACK_TYPE && !["delete", "refresh"].includes(op));
  if (!hasProgram || operation !== "update" || errors.length > 0) return [];
  // A complete plan may have only the refresh that did not find the resource in the cloud.
  const shown = new Set(steps.flatMap(({ urn, old }) => [urn, old?.urn ?? urn]));
  const missing = (state?.resources ?? []).filter(
    ({ urn, type, delete: isReplaced, pendingReplacement }) =>
      !shown.has(urn) && !isReplaced && !pendingReplacement && !type.startsWith("pulumi:providers:"),
  );
  const count = missing.length - unchangedNotShown;
  if (count <= 0) return [];
  const message =
    `The plan does not show ${count === 1 ? "a resource" : `${count} resources`} of the stack's state: the program ` +
    "ended early, or the plan was made with another state";
  return [{ code: "incomplete plan", message }];
}

function unsupported({ op, urn, type }: PlanStep): Uncertainty {
  return {
    code: "unsupported",
    message: `The plan has the operation ${op} on ${type}, which can change who has access. This review does not support it`,
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
    message: `An earlier update was interrupted while it was ${operation} this grant: it is unknown whether it finished`,
    step: urn,
  };
}

function notReviewed(steps: readonly PlanStep[]): string[] {
  if (steps.length === 0) return [];
  const types = [...new Set(steps.map(({ type }) => type))].sort();
  const changes = steps.length === 1 ? "1 access change" : `${steps.length} access changes`;
  return [`Not reviewed: ${changes} of other providers (${types.join(", ")})`];
}
