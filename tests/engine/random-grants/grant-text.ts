/** Grants as one line of text each, and the policies that have them. */
import { createHash } from "node:crypto";
import { PROJECT } from "../../support/programs";

const LOCATION = `projects/${PROJECT}/locations/us-central1`;

/** A resource of the cloud whose policy the programs change. */
interface Target {
  service: "healthcare" | "datamigration";
  name: string;
  type: string;
  roles: readonly string[];
}

/** The short name of a migration job. All other short names are those of FHIR stores. */
export const JOB = "job";

export function targetOf(short: string): Target {
  if (short === JOB) {
    return {
      service: "datamigration",
      name: `${LOCATION}/migrationJobs/${short}`,
      type: "datamigration.v1beta1.MigrationJob",
      roles: ["roles/viewer", "roles/datamigration.viewer"],
    };
  }
  return {
    service: "healthcare",
    name: `${LOCATION}/datasets/clinic/fhirStores/${short}`,
    type: "healthcare.v1beta1.DatasetFhirStore",
    roles: ["roles/viewer", "roles/healthcare.fhirResourceReader"],
  };
}

/** The seed of an emulator that has these targets. */
export function seedOf(targets: readonly string[]): object[] {
  const resources = targets.map(targetOf).map(({ service, name }) => ({ service, name }));
  return [{ service: "healthcare", name: `${LOCATION}/datasets/clinic` }, ...resources];
}

/** Conditions that differ in one of their fields each. */
export const CONDITIONS: Record<string, { title: string; description?: string; expression: string }> = {
  day: { title: "shift", expression: "true" },
  night: { title: "shift", description: "night", expression: "true" },
};
export const CONDITION_NAMES = Object.keys(CONDITIONS);

/** A role, perhaps with a condition, on a target. */
export interface RoleOn {
  /** The short name of the target. */
  on: string;
  role: string;
  condition?: string;
}

/** A role with its condition on a target: "east roles/viewer if day". */
export function keyOf({ on, role, condition }: RoleOn): string {
  return `${on} ${role}${condition === undefined ? "" : ` if ${condition}`}`;
}

/**
 * A member in a role: "east roles/viewer if day user:a@example.com". The case of letters in a member has no meaning, and a
 * member in the deleted form is the same member.
 */
export type GrantText = string;

export const grantText = (role: RoleOn, member: string): GrantText => `${keyOf(role)} ${plainForm(member)}`;
export const keyOfGrant = (grant: GrantText): string => grant.slice(0, grant.lastIndexOf(" "));
export const memberOfGrant = (grant: GrantText): string => grant.slice(grant.lastIndexOf(" ") + 1);

/** The form in which a policy has a member whose identity was deleted. */
export const deletedForm = (member: string): string => `deleted:${plainForm(member)}?uid=123456789012345678901`;
export const plainForm = (member: string): string =>
  member
    .toLowerCase()
    .replace(/^deleted:/, "")
    .replace(/\?uid=\d+$/, "");

export interface Binding {
  role: string;
  members: string[];
  condition?: object;
}

/** The grants of a policy. */
export function grantsInPolicy(on: string, bindings: readonly Binding[]): GrantText[] {
  return bindings.flatMap(({ role, members, condition }) => {
    const key = { on, role, condition: condition && conditionName(condition) };
    return members.map((member) => grantText(key, member));
  });
}

export function conditionName(condition: object): string {
  const given = sorted(condition);
  const known = CONDITION_NAMES.find((name) => sorted(CONDITIONS[name] ?? {}) === given);
  return known ?? createHash("sha256").update(given).digest("hex").slice(0, 8);
}

const sorted = (value: object): string => JSON.stringify(Object.entries(value).sort());

/** The bindings of a policy with these grants, which are all of one target. */
export function bindingsOf(grants: readonly GrantText[]): Binding[] {
  return [...new Set(grants.map(keyOfGrant))].map((key) => {
    const all = grants.filter((grant) => keyOfGrant(grant) === key);
    const [, role = "", , condition] = key.split(" ");
    return {
      role,
      members: all.map(memberOfGrant),
      ...(condition === undefined ? {} : { condition: CONDITIONS[condition] ?? {} }),
    };
  });
}
