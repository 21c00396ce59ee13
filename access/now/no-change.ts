import type { Plan, PlannedState, PlanStep } from "../plan/plan";

/** A plan in which every resource of the state stays as it is. Its review tells who has access now, and what is managed. */
export function planThatChangesNothing(state: readonly PlannedState[]): Plan {
  const steps = state.filter((each) => !each.delete && !each.external).map(sameStep);
  const [, stack, project] = steps.map(({ urn }) => /^urn:pulumi:(.+?)::(.+?)::/.exec(urn)).find(Boolean) ?? [];
  return {
    operation: "access",
    ...(stack === undefined ? {} : { stack }),
    ...(project === undefined ? {} : { project }),
    config: {},
    steps,
    errors: [],
    announced: [],
    previewed: [],
    hasUnchanged: true,
    unchangedNotShown: 0,
  };
}

/** As the engine writes it for a resource that it has checked: the new state has inputs, and no id or outputs yet. */
function sameStep(state: PlannedState): PlanStep {
  const { urn, type, provider, inputs } = state;
  return {
    op: "same",
    urn,
    type,
    ...(provider === undefined ? {} : { provider }),
    old: state,
    new: { ...state, inputs, outputs: {}, id: undefined },
  };
}
