import { GRANT, meaningOf } from "../meaning/meaning";
import { notesOnLogs } from "./foreign-steps";
import { isProviderType, type Plan } from "./plan";
import type { PlannedGrant } from "./planned-grant";
import { STACK_TYPE, type PlannedState } from "./planned-state";
import { groupedBy } from "../result/order";
import type { Uncertainty } from "../result/result";
import { shortNameOf } from "../result/urn";
import { counted, firstOf, shortened } from "../result/visible";
import { losesGrantsNext } from "./removals";
import { firstAndLast } from "./run-pulumi";
import type { Step } from "./steps";
import { statedGrants } from "./stated-grants";
import type { StackState } from "./state";

/** The longest line of an error that a message quotes. */
const LONGEST_LINE = 300;

/**
 * The facts that a plan does not show, and sentences about those that a review does not check.
 *
 * @param state of the stack; undefined when it was not read.
 * @param why it was not read, as a clause.
 * @param differs whether a destroy would have other settings than an update.
 */
export function planLimits(
  plan: Plan,
  steps: readonly Step[],
  state: StackState | undefined,
  { why = NOT_GIVEN, differs }: { why: string | undefined; differs: boolean },
): { unknown: Uncertainty[]; notes: string[] } {
  return {
    unknown: [
      ...failureOf(plan),
      ...otherCommand(plan, steps, state, differs),
      ...notRegistered(plan, state),
      ...withoutStates(steps),
      ...(state ? [] : [withoutState(why)]),
      ...(state ? interruptedGrants(state) : []),
    ],
    notes: [...(plan.isCut || steps.some(isOfAccess) ? [] : [NO_GRANTS]), ...notesOnLogs(steps)],
  };
}

const NOT_GIVEN = "the review got no state (--state)";
const NO_GRANTS = "The plan has no step on a grant that this review follows";

/** Whether a review says something of the step, or may. */
function isOfAccess({ op, grant, meaning }: Step): boolean {
  return grant !== undefined || (op !== "same" && meaning.kinds.some(({ isOfLogs }) => !isOfLogs));
}

/** A resource that waits for its delete is only in the state: `pulumi preview --json` omits such a step. */
function withoutState(why: string): Uncertainty {
  const message = `It is unknown what the state adds to the plan, such as grants that an earlier update left to delete: ${why}`;
  return { code: "incomplete state", message };
}

/** The states that the engine shows with each operation. */
const STATES: Readonly<Record<string, ReadonlyArray<"old" | "new">>> = {
  create: ["new"],
  update: ["old", "new"],
  replace: ["old", "new"],
  delete: ["old"],
  import: ["new"],
  "create-replacement": ["new"],
  "delete-replaced": ["old"],
  "import-replacement": ["new"],
};

/** Without the old resource, nothing says which grant is lost, and without the new one, which is gained. */
function withoutStates(steps: readonly Step[]): Uncertainty[] {
  return steps.flatMap((step): Uncertainty[] => {
    const missing = (STATES[step.op] ?? []).filter((each) => step[each] === undefined);
    const isOnAccess = step.meaning.kinds.some(({ isOfLogs }) => !isOfLogs);
    if (missing.length === 0 || !isOnAccess) return [];
    const verbs = missing.includes("new")
      ? STATES[step.op]?.includes("old")
        ? "gains and who loses"
        : "gains"
      : "loses";
    const message = `It is unknown who ${verbs} access: the step ${step.op} in the plan has no ${missing.join(" and no ")} state`;
    return [{ code: "incomplete plan", message, step: step.urn }];
  });
}

/** What to do where a plan does not say its command, and that decides. */
export const SAY_COMMAND =
  "If `pulumi destroy` printed the plan, add --destroy to the review. If `pulumi preview` did, print it with --show-sames, or let " +
  "the review run the preview (--stack)";

/** What a destroy does not do. */
const OF_UPDATE = ["create", "update", "replace", "import"];

/** A plan does not name its command. A destroy leaves grants to no other resource, and runs no program that changes settings. */
function otherCommand(
  { operation, mayBeDestroy, hasUnchanged }: Plan,
  steps: readonly Step[],
  state: StackState | undefined,
  differs: boolean,
): Uncertainty[] {
  const made = steps.find(({ op, type }) => OF_UPDATE.includes(op) && !isProviderType(type));
  if (operation === "destroy" && made) {
    const message =
      `It is unknown what happens: the review is of \`pulumi destroy\` (--destroy), and the plan has the step ${made.op}, which no ` +
      "destroy has. Without --destroy, it is that of an update";
    return [{ code: "incomplete plan", message, step: made.urn }];
  }
  if (!mayBeDestroy) return [];
  // Of this provider, an update asks the others before a delete. Where the review knows them, it compares their grants.
  const areOthersKnown = hasUnchanged || state !== undefined;
  const isOwn = ({ op, grant }: Step) => op === "delete" && grant !== undefined && grant.form === undefined;
  const why = [
    ...(differs ? ["uses other settings of their providers"] : []),
    ...(!areOthersKnown && steps.some(isOwn)
      ? ["takes their grants also from resources that the plan does not show"]
      : []),
  ];
  if (why.length === 0) return [];
  const message =
    "It is unknown which command the plan is of: it has deletes alone, and `pulumi destroy` of some resources, unlike an update, " +
    `${why.join(" and ")}. ${SAY_COMMAND}`;
  return [{ code: "incomplete plan", message }];
}

/** The engine has already removed secrets from its messages. */
function failureOf({ errors, isCut }: Plan): Uncertainty[] {
  if (errors.length === 0 && !isCut) return [];
  const failed = "The preview failed, so the plan does not show all steps of the update";
  if (errors.length === 0) return [{ code: "incomplete plan", message: `${failed}: it ended before its first step` }];
  const quoted = firstAndLast(errors.map(outerLines)).join(" ");
  return [{ code: "incomplete plan", message: `${failed}: ${quoted}`, quoted }];
}

/** The first and the last lines of an error, in one line. */
function outerLines(error: string): string {
  const lines = error.split("\n").map((line) => line.trim().replace(/^error: /, ""));
  const shown = lines.filter((line) => line !== "").map((line) => shortened(line, LONGEST_LINE));
  return firstAndLast(shown).join(" ");
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
      !shown.has(urn) && !isReplaced && !pendingReplacement && !isProviderType(type),
  );
  const count = missing.length - unchangedNotShown;
  if (count <= 0) return [];
  const message =
    `The plan does not show ${count === 1 ? "a resource" : `${count} resources`} of the stack's state: the program ` +
    "ended early, or the plan was made with another state";
  return [{ code: "incomplete plan", message }];
}

/** The grants of which nobody knows whether the cloud has them: an earlier update was interrupted. */
export function interruptedGrants({ pending }: StackState): Uncertainty[] {
  const mayBeDone = pending.filter(
    ({ operation, type }) => ["creating", "updating", "deleting"].includes(operation) && meaningOf(type).grant,
  );
  return mayBeDone.map(({ operation, urn }) => ({
    code: "incomplete state",
    message: `An earlier update was interrupted while it was ${operation} this grant: it is unknown whether it finished`,
    step: urn,
  }));
}

/** The other names are counted. */
const MOST_NAMES = 3;

/** The resources of a state that grant access and that are no grants of a policy that can be read: one fact for each type. */
export function unfollowedGrants({ resources }: StackState): Uncertainty[] {
  const all = resources.filter(grantsUnfollowed);
  return [...groupedBy(all, ({ type }) => type)].map(([type, each]) => {
    const names = [...new Set(each.map(({ urn }) => shortNameOf(urn)))];
    const shown = firstOf(names, MOST_NAMES);
    const message = `It is unknown who has access by ${shown} (${type}): this command does not read what it grants`;
    return { code: "other provider", message, type };
  });
}

function grantsUnfollowed(each: PlannedState): boolean {
  const { type, external } = each;
  const { kinds, grant } = meaningOf(type);
  if (kinds.length === 0 || external || (each.delete && !losesGrantsNext(each)) || grant) return false;
  const mayState = kinds.some(({ isOfLogs, isRemoval }) => !isOfLogs && !isRemoval);
  return kinds.includes(GRANT) || (mayState && statedGrants(each).length > 0);
}

/** The grants of a state whose resource nothing names, so that its policy cannot be read. */
export function unnamedGrants(granted: readonly PlannedGrant[]): Uncertainty[] {
  return granted
    .filter(({ resource }) => resource === undefined)
    .map(({ state: { urn }, nameHidden }) => ({
      code: nameHidden === "secret" ? "secret" : "incomplete state",
      message:
        `It is unknown who has access to the resource of ${shortNameOf(urn)}: ` +
        (nameHidden === "secret" ? "its name is secret" : "the state does not name it"),
      step: urn,
    }));
}

/** A sentence about the grants of a state that the next update is to delete. Empty without any. */
export function waitingGrants(granted: readonly PlannedGrant[]): string[] {
  const waiting = granted.filter(({ state }) => losesGrantsNext(state));
  if (waiting.length === 0) return [];
  const names = waiting.map(
    ({ state: { urn }, resource }) => `${shortNameOf(urn)} on ${resource ?? "an unnamed resource"}`,
  );
  const shown = firstOf(names, MOST_NAMES);
  const what = counted(waiting.length, "grant");
  const wait = waiting.length === 1 ? "waits for its" : "wait for their";
  return [`${what} of the stack ${wait} delete, which an update left to the next one: ${shown}`];
}
