import { currentFormOf, type Grant } from "../../provider/iam/policy";
import { possiblePrimaries } from "../../provider/iam/preview-access-change";
import type { PlannedGrant } from "../plan/planned-grant";
import type { AccessPolicy } from "../live/access-policy";
import { SAY_COMMAND } from "../plan/plan-limits";
import { shortNameOf } from "../result/urn";
import { andMore } from "../result/visible";
import { nameOf, type Task } from "./tasks";

/** The properties that identify a grant in a policy. */
const IDENTIFYING = ["member", "members", "role", "condition", "bindings", "policyData"];

/** Notes who gains or loses unknown access because of a hidden member, role or condition. */
export function noteHidden(policy: AccessPolicy, planned: PlannedGrant, task: Task, which: "old" | "wanted"): void {
  const { op, step } = task;
  const { urn } = step;
  const leaves = which === "old" && task.removal !== "never";
  const comes = which === "wanted" && op !== "same" && op !== "left out" && op !== "import";
  if (!leaves && !comes) return;
  if (planned.grants.length === 0 && planned.hidden.size === 0) {
    // another provider's own grants: see other-steps.ts.
    if (leaves && step.form === undefined)
      policy.noteUnknown({ code: "incomplete state", message: incomplete(urn), step: urn });
    return;
  }
  for (const property of IDENTIFYING) {
    const reason = planned.hidden.get(property);
    if (reason === undefined) continue;
    const code = reason === "secret" ? "secret" : "not known yet";
    policy.noteUnknown({
      code,
      message: leaves ? lossOf(planned, property) : gainOf(planned, property, reason),
      step: urn,
    });
  }
}

/**
 * Notes that a replacement may be deleted at the end of the update. Pulumi 3.250 did so in an update with `--refresh` that had no
 * other delete (`h-syaml` 3 in tests/fixtures/plans/pulumi-gcp.jsonl.gz).
 */
export function noteDeletedAgain(policy: AccessPolicy, task: Task): void {
  const message =
    `It is unknown who keeps access: an earlier update deleted ${nameOf(task)} and did not replace it, and after a refresh Pulumi may ` +
    "delete it once more, when it has made the replacement. Review and run the update without --refresh";
  policy.noteUnknown({ code: "no order", message, step: task.step.urn });
}

/** Notes that the engine may leave the grant in the policy, because of its option `deletedWith`. */
export function noteMayStay(policy: AccessPolicy, task: Task): void {
  const message =
    `It is unknown whether the update takes ${nameOf(task)} away: its option deletedWith names a resource that the update replaces, and ` +
    "some versions of Pulumi do not delete it then. Take the option from the grant";
  policy.noteUnknown({ code: "unsupported", message, step: task.step.urn });
}

/**
 * A delete leaves the grant to a resource that the engine asks about, and takes it from a resource that `--target` leaves out. A destroy
 * asks about none.
 *
 * @param mayBeDestroy whether the plan does not say of which command it is
 */
export function noteAssumed(policy: AccessPolicy, grant: Grant, task: Task, mayBeDestroy: boolean): void {
  const { assumers, isDeclared } = policy.about(grant);
  const others = [...assumers].map(shortNameOf).join(", ");
  const noteUnknown = (why: string) => {
    const message = `It is unknown whether the delete of ${nameOf(task)} removes ${grant.role}: ${why}`;
    policy.noteUnknown({ code: "incomplete plan", message, step: task.step.urn });
  };
  if (mayBeDestroy && isDeclared) {
    const who = others || "another resource";
    noteUnknown(`${who} declares the same grant, which an update keeps for it, and a destroy does not. ${SAY_COMMAND}`);
  } else if (others !== "") {
    noteUnknown(
      `${others} declares the same grant, and a plan without unchanged resources does not show whether --target excludes it. ` +
        "Print the plan with --show-sames",
    );
  }
}

/** A grant of the state that the policy does not have may be there under the primary name of its member. */
export function noteMissing(policy: AccessPolicy, { grants }: PlannedGrant, task: Task): void {
  const { before: live } = policy;
  const missing = live ? grants.filter((grant) => !currentFormOf(live, grant)) : [];
  const [first] = missing;
  if (!live || !first || possiblePrimaries(missing, live).length === 0) return;
  const message =
    `It is unknown whether ${first.member}${andMore(missing.length - 1)} keeps ${first.role}: ${nameOf(task)} has it in the state, the access ` +
    "policy does not, and another member with this role may be the same identity under its primary name. If somebody removed the " +
    "grant, pulumi refresh drops it from the state";
  policy.noteUnknown({ code: "incomplete state", message, step: task.step.urn });
}

function lossOf(planned: PlannedGrant, property: string): string {
  const [grant] = planned.grants;
  if (property.startsWith("member")) return `A secret principal may lose ${roleIn(planned)}`;
  if (property === "role") return `${memberIn(planned)} may lose a role that is secret`;
  if (property === "condition" && grant)
    return `${memberIn(planned)} may lose ${roleIn(planned)} under a condition that is secret`;
  return "Who loses access is secret";
}

function gainOf(planned: PlannedGrant, property: string, reason: string): string {
  const why = reason === "secret" ? "is secret" : "is known after the update";
  if (property.startsWith("member")) return `Who gains ${roleIn(planned)} ${why}`;
  if (property === "role") return `Which role ${memberIn(planned)} gains ${why}`;
  if (property === "condition") return `Under which condition ${memberIn(planned)} gains ${roleIn(planned)} ${why}`;
  return `Who gains access ${why}`;
}

function roleIn({ hidden, grants: [grant] }: PlannedGrant): string {
  return hidden.has("role") || !grant ? "a role" : grant.role;
}

function memberIn({ hidden, grants: [grant] }: PlannedGrant): string {
  return hidden.has("member") || hidden.has("members") || !grant ? "a principal" : grant.member;
}

function incomplete(urn: string): string {
  return (
    `It is unknown who loses access: the state of ${urn} does not contain the member and the role of the grant, as after a refresh by ` +
    "google-native"
  );
}
