import type { PolicyRecord } from "./policy-record";
import type { Side, Task } from "./tasks";

/** The properties that identify a grant in a policy. */
const IDENTIFYING = ["member", "members", "role", "condition", "bindings"];

/** Notes who gains or loses unknown access because of a hidden member, role or condition. */
export function noteHidden(record: PolicyRecord, side: Side, task: Task, which: "old" | "wanted"): void {
  const { op, step } = task;
  const { urn } = step.step;
  const isSecretMember = side.hidden.get("member") === "secret" || side.hidden.get("members") === "secret";
  if (isSecretMember && which === "old") for (const grant of side.grants) record.hasSecretMember(grant);
  const leaves = which === "old" && task.removal !== "never";
  const comes = which === "wanted" && op !== "same" && op !== "left out" && op !== "import";
  if (!leaves && !comes) return;
  if (side.grants.length === 0 && side.hidden.size === 0) {
    // google-native's own grants: see native-steps.ts.
    if (leaves && step.nativeKind === undefined)
      record.cannotTell({ code: "incomplete state", message: incomplete(urn), step: urn });
    return;
  }
  for (const property of IDENTIFYING) {
    const reason = side.hidden.get(property);
    if (reason === undefined) continue;
    const code = reason === "secret" ? "secret" : "not known yet";
    record.cannotTell({ code, message: leaves ? lossOf(side, property) : gainOf(side, property, reason), step: urn });
  }
}

function lossOf(side: Side, property: string): string {
  const [grant] = side.grants;
  if (property.startsWith("member")) return `A secret principal may lose ${roleIn(side)}`;
  if (property === "role") return `${memberIn(side)} may lose a role that is secret`;
  if (property === "condition" && grant)
    return `${memberIn(side)} may lose ${roleIn(side)} under a condition that is secret`;
  return "Who loses access is secret";
}

function gainOf(side: Side, property: string, reason: string): string {
  const why = reason === "secret" ? "is secret" : "is known after the update";
  if (property.startsWith("member")) return `Who gains ${roleIn(side)} ${why}`;
  if (property === "role") return `Which role ${memberIn(side)} gains ${why}`;
  if (property === "condition") return `Under which condition ${memberIn(side)} gains ${roleIn(side)} ${why}`;
  return `Who gains access ${why}`;
}

function roleIn({ hidden, grants: [grant] }: Side): string {
  return hidden.has("role") || !grant ? "a role" : grant.role;
}

function memberIn({ hidden, grants: [grant] }: Side): string {
  return hidden.has("member") || hidden.has("members") || !grant ? "a principal" : grant.member;
}

function incomplete(urn: string): string {
  return (
    `It is unknown who loses access: the state of ${urn} does not say which member and role it grants, as after a refresh by ` +
    "google-native"
  );
}
