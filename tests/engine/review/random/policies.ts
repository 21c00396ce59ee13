/** Random access policies, and what others change in them. */
import type { Policy } from "../../../../provider/iam/policy";
import type { Random } from "../../../support/grants-random";
import { EXPIRED } from "../../../support/review-outcome";

export const MEMBERS = [
  "user:ada@example.com",
  "user:bob@example.com",
  "user:Bob@Example.com",
  "group:nurses@example.com",
  "serviceAccount:ci@demo-project.iam.gserviceaccount.com",
  "domain:example.org",
  "principal://iam.googleapis.com/locations/global/workforcePools/staff/subject/sam",
];
const FOREIGN_MEMBERS = [...MEMBERS, "deleted:user:bob@example.com?uid=123456789", "user:zoe@example.com"];
export const ROLES = [
  "roles/healthcare.fhirResourceReader",
  "roles/healthcare.fhirStoreViewer",
  "roles/healthcare.fhirStoreAdmin",
];
export const CONDITIONS = [
  { title: "until-july", expression: EXPIRED },
  { title: "until-july", expression: 'request.time < timestamp("2127-07-01T00:00:00Z")' },
  { title: "on-call", description: "night shifts", expression: "true" },
];

export function condition(random: Random): { condition?: (typeof CONDITIONS)[number] } {
  return random.next() < 0.35 ? { condition: random.pick(CONDITIONS) } : {};
}

/** What others have granted. */
export function randomPolicy(random: Random): Policy {
  const bindings = Array.from({ length: random.below(4) }, () => {
    const members = FOREIGN_MEMBERS.filter(() => random.next() < 0.35);
    const role = random.pick(ROLES);
    return { role, members: members.length > 0 ? members : [random.pick(FOREIGN_MEMBERS)], ...condition(random) };
  });
  return bindings.length > 0 ? { bindings } : {};
}

/** A change that somebody else makes. */
export function drifted(random: Random, policy: Policy): Policy {
  const bindings = (policy.bindings ?? []).map((each) => ({
    ...each,
    members: (each.members ?? []).filter(() => random.next() < 0.8),
  }));
  const added = randomPolicy(random).bindings ?? [];
  return { ...policy, bindings: [...bindings.filter(({ members }) => members.length > 0), ...added.slice(0, 1)] };
}
