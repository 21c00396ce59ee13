import type { Plan, PlannedState, PlanStep } from "../plan/plan";

/** A plan that keeps every resource of the state. Its review shows the current access and the managed grants. */
export function planThatChangesNothing(state: readonly PlannedState[], config: Plan["config"]): Plan {
  const steps = state.filter((each) => !each.delete && !each.external).map(sameStep);
  const [, stack, project] = steps.map(({ urn }) => /^urn:pulumi:(.+?)::(.+?)::/.exec(urn)).find(Boolean) ?? [];
  return {
    operation: "access",
    ...(stack === undefined ? {} : { stack }),
    ...(project === undefined ? {} : { project }),
    config,
    steps,
    errors: [],
    announced: [],
    previewed: [],
    hasUnchanged: true,
    unchangedNotShown: 0,
  };
}

/** The step as the engine writes it after the check: the new state has inputs, but no id or outputs yet. */
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
