import { resourceNamed, type NamedResource } from "../../access/meaning/grant-kinds";
import { HiddenValues } from "../../access/plan/hidden-values";
import { grantsOfState } from "../../access/plan/planned-grant";
import { isDefaultProvider, urnOf } from "../../access/plan/provider-settings";
import type { PlannedState } from "../../access/plan/planned-state";
import { outputOf, PulumiError, type PulumiOptions } from "../../access/plan/run-pulumi";
import { readStackState } from "../../access/plan/state";
import { groupedBy } from "../../access/result/order";

/**
 * A resource of each API on which a stack has a grant of its default providers, also of `@pulumi/gcp`: the first by name. Empty if the stack cannot be read,
 * which the finding about its configuration says.
 */
export async function grantedResources(stack: string, options: PulumiOptions): Promise<NamedResource[]> {
  const exported = await outputOf(["stack", "export", `--stack=${stack}`], options).catch((error: unknown) => {
    if (error instanceof PulumiError) return undefined;
    throw error;
  });
  if (exported === undefined) return [];
  const { resources } = readStackState(exported);
  const explicit = new Set(resources.filter((each) => isExplicitProvider(each)).map(({ urn }) => urn));
  const grants = grantsOfState(resources, { hidden: HiddenValues.none(), defaultsOf: () => ({}) });
  const names = grants.flatMap(({ state, resource }) =>
    resource !== undefined && !explicit.has(urnOf(state.provider ?? "")) ? [resource] : [],
  );
  // One resource of each API is enough: what is missing is most often the API or the role.
  const named = [...new Set(names)].toSorted().map(resourceNamed);
  return [...groupedBy(named, ({ kind }) => kind.service.api).values()].flatMap(([first]) => first ?? []);
}

function isExplicitProvider(state: PlannedState): boolean {
  return state.type.startsWith("pulumi:providers:") && !isDefaultProvider(state);
}
