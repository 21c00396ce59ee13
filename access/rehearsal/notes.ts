import type { ReviewedResource } from "../result";
import type { RehearsedProviders } from "./rehearsed-providers";
import type { RehearsalRequest } from "./request";

/** What no answer covers. Every answer ends with it. */
export const NOT_READ =
  "Not read: the members of groups, domains and principal sets; deny policies and access boundaries; keys and tokens; other clouds";
export const ONLY_DIRECT_GRANTS =
  "Only direct grants are reviewed: access that is inherited from a parent, the project, a folder or the organization does " +
  "not change";
const CREDENTIALS = ["accessToken", "credentials"];

/** The facts that this review did not check, if they could change its result. */
export function notesOf(
  { plan, state, inherited = true }: RehearsalRequest,
  resources: readonly ReviewedResource[],
  providers: RehearsedProviders,
): string[] {
  const notes: string[] = [];
  const changes = resources.flatMap((each) => each.changes);
  if (resources.length > 0 && !inherited) {
    notes.push(ONLY_DIRECT_GRANTS);
  }
  if (changes.some(({ change }) => change !== "gained")) {
    notes.push("Other stacks are unknown: if one of them declares the same grant, this stack removes it all the same");
  }
  if (resources.length > 0 && state === undefined && !plan.hasUnchanged) {
    notes.push(
      "Neither the plan nor a state shows the unchanged resources: their grants count as unmanaged, and a removed grant that " +
        "one of them also declares would stay",
    );
  }
  for (const { settings } of providers.all()) {
    const names = settings.hidden.filter((name) => CREDENTIALS.includes(name));
    if (names.length === 0) continue;
    const are = names.length === 1 ? "is" : "are";
    notes.push(
      `${names.join(" and ")} of the provider ${settings.key} ${are} secret: the review used the credentials of its own environment`,
    );
  }
  return notes;
}
