import type { ReviewedResource } from "../result";
import type { RehearsedProviders } from "./rehearsed-providers";
import type { RehearsalRequest } from "./request";

export const GROUPS_AS_THEY_ARE =
  "Groups, domains and principal sets are shown as they are: who belongs to them is not looked up";
export const INHERITED_STAYS =
  "Only the policies of the resources themselves are looked at: access that is inherited from a parent, the project, a " +
  "folder or the organization stays as it is";
const CREDENTIALS = ["accessToken", "credentials"];

/** The facts that this review did not check, if they could change its result. */
export function notesOf(
  { plan, state }: RehearsalRequest,
  resources: readonly ReviewedResource[],
  providers: RehearsedProviders,
): string[] {
  const notes: string[] = [];
  const changes = resources.flatMap((each) => each.changes);
  if (resources.length > 0) {
    notes.push(INHERITED_STAYS);
  }
  if (changes.some(({ principal }) => /^(deleted:)?(group|domain|principalSet):/.test(principal))) {
    notes.push(GROUPS_AS_THEY_ARE);
  }
  if (changes.some(({ change }) => change !== "gained")) {
    notes.push("Grants that other stacks declare too are not known: this stack takes them away all the same");
  }
  if (resources.length > 0 && state === undefined && !plan.hasUnchanged) {
    notes.push(
      "Unchanged resources are neither in the plan nor was the stack's state given: what they grant counts as not managed, " +
        "and a grant that one of them declares too would stay",
    );
  }
  for (const { settings } of providers.all()) {
    const names = settings.hidden.filter((name) => CREDENTIALS.includes(name));
    if (names.length === 0) continue;
    const are = names.length === 1 ? "is" : "are";
    notes.push(
      `${names.join(" and ")} of the provider ${settings.key} ${are} secret: the review read with the credentials of its own environment`,
    );
  }
  return notes;
}
