import { isDeepStrictEqual } from "node:util";
import { textOf } from "../../provider/core/unknown";
import { comparableMember } from "../../provider/iam/member";
import { grantStepOf, type GrantStep } from "./grant-steps";
import { stepOn, waitsForDelete, withoutParts, type Plan, type PlanStep } from "./plan";
import { shortNameOf } from "../result/urn";
import { SECRET } from "./plan-values";
import type { PlannedState } from "./planned-state";
import { UNKNOWN_POLICY } from "../result/grants";
import type { AccessChanged, ReviewedGrant, ReviewedResource, Uncertainty } from "../result/result";
import { namedFrom } from "./planned-grant";
import { foreignKindOf, grantFormOf, type ForeignKind } from "./foreign-kinds";
import { foreignNameOf } from "./foreign-names";
import { statedGrants } from "./stated-grants";

/** Operations that change nothing in the cloud. `discard` removes a read resource from the state. */
const QUIET: readonly string[] = ["same", "refresh", "read", "discard", "read-discard", "discard-replaced"];

/** A step of another provider that can change who has access. */
export interface ForeignStep {
  step: PlanStep;
  kind: ForeignKind;
  resource: string;
  /** With its article: "a topic". */
  noun: string;
  /** What the step's own inputs say. */
  changes: AccessChanged[];
  /** What a review knows of the effect, as sentences. A blank is in front of them. */
  effect?: string;
  /** Whether the plan creates the resource, so that nobody else has access to it. */
  isOnNewResource?: boolean;
}

/**
 * The steps of other providers that can change who has access in Google Cloud, with what they say themselves. A rehearsal carries
 * out those on a policy that it finds.
 *
 * @param state with resources that an earlier update left to delete, which no plan shows.
 */
export function foreignSteps({ steps, config }: Plan, state: readonly PlannedState[] = []): ForeignStep[] {
  const leftOver = state.filter(waitsForDelete).map((each) => stepOn(withoutSecrets(each), "delete"));
  const created = new Set(steps.filter(({ op }) => op === "create").map(({ urn }) => urn));
  return [...withoutParts(steps), ...leftOver]
    .filter(({ op }) => !QUIET.includes(op))
    .flatMap((step) => {
      const grant = grantStepOf(step);
      const kind = grant === undefined || grant.named ? foreignKindOf(step.type) : undefined;
      if (!kind || kind.isOfLogs || !movesAccess(step, kind)) return [];
      const { resource, kind: noun } = foreignNameOf(step, textOf(config["gcp:project"]) || undefined);
      const isOnNewResource = grant !== undefined && step.op === "create" && isNew(grant, step, created);
      return [
        { step, kind, resource, noun, changes: changesOf(step, kind), ...(isOnNewResource && { isOnNewResource }) },
      ];
    });
}

/** Sentences about steps on configurations of audit logs, which change nobody's access. */
export function notesOnLogs({ steps }: Plan): string[] {
  return withoutParts(steps)
    .filter(({ op, type }) => !QUIET.includes(op) && foreignKindOf(type)?.isOfLogs)
    .map(
      ({ op, urn }) =>
        `${shortNameOf(urn)} ${VERBS[op] ?? "changes"} a configuration of audit logs: nobody's access changes`,
    );
}

/** An export with `--show-secrets` has what the plan hides. */
function withoutSecrets(state: PlannedState): PlannedState {
  const hidden = Object.fromEntries((state.secrets ?? []).map((name) => [name, SECRET]));
  return { ...state, inputs: { ...state.inputs, ...hidden } };
}

/** Whether the name of a grant's resource is not known because the plan creates the resource. */
function isNew(grant: GrantStep, { new: wanted }: PlanStep, created: ReadonlySet<string>): boolean {
  const from = wanted ? namedFrom(grant, wanted) : [];
  return from.length > 0 && from.every((urn) => created.has(urn));
}

function movesAccess({ op, old, new: next }: PlanStep, { inputs, isMove }: ForeignKind): boolean {
  if ((old ?? next)?.external) return false;
  if (op === "delete" && old?.retainOnDelete) return false;
  if (inputs === undefined) return true;
  if (isMove && !(old && next)) return false;
  return inputs.some((name) => !isDeepStrictEqual(old?.inputs[name], next?.inputs[name]));
}

function changesOf({ op, urn, old, new: next }: PlanStep, { isRemoval }: ForeignKind): AccessChanged[] {
  const [before, after] = [old, op === "delete" ? undefined : next].map((each) => statedGrants(each?.inputs ?? {}));
  const [lost, gained] = [without(before, after), without(after, before)];
  const steps = [urn];
  if (isRemoval) return gained.map((grant) => ({ ...grant, change: "lost", steps }));
  return [
    ...lost.map((grant): AccessChanged => ({ ...grant, change: "lost", steps, wasManaged: true })),
    ...gained.map((grant): AccessChanged => ({ ...grant, change: "gained", steps })),
  ];
}

function without(all: readonly ReviewedGrant[] = [], others: readonly ReviewedGrant[] = []): ReviewedGrant[] {
  const known = new Set(others.map(keyOf));
  // Two hidden values may differ.
  return all.filter((each) => each.hidden !== undefined || !known.has(keyOf(each)));
}

function keyOf({ principal, role, condition }: ReviewedGrant): string {
  return JSON.stringify([comparableMember(principal), role, condition?.expression, condition?.title]);
}

/** The entries of a result for steps of other providers, one for each resource. */
export function foreignResources(steps: readonly ForeignStep[]): ReviewedResource[] {
  const found = new Map<string, ReviewedResource>();
  for (const each of steps) {
    const { resource, noun, changes, step } = each;
    const [provider = "", place = ""] = step.type.split(":");
    const [api = ""] = place.split("/");
    const key = JSON.stringify([provider, noun, resource]);
    const known = found.get(key);
    found.set(key, {
      resource,
      kind: noun,
      api,
      otherProvider: provider,
      ...UNKNOWN_POLICY,
      changes: [...(known?.changes ?? []), ...changes],
      unknown: [...(known?.unknown ?? []), ...(each.isOnNewResource ? [] : [uncertaintyOf(each)])],
    });
  }
  return [...found.values()];
}

const VERBS: Readonly<Record<string, string>> = {
  create: "creates",
  update: "updates",
  replace: "replaces",
  delete: "deletes",
  import: "imports",
};

function uncertaintyOf({ step, kind, resource, effect }: ForeignStep): Uncertainty {
  const { op, urn, type } = step;
  const verb = VERBS[op] ?? `has the operation ${op} on`;
  const where = resource === "" ? "" : ` to ${resource}`;
  const isFollowed = grantStepOf(step) !== undefined;
  return {
    // A rule about other providers cannot allow a step that changes what the review predicts.
    ...(isFollowed ? { code: "unsupported" } : { code: "other provider", type }),
    message:
      `It is unknown who gains and who loses access${where}: the plan ${verb} ${shortNameOf(urn)} (${type}), ${kind.what} of another ` +
      `provider, which this review does not evaluate.${effect ?? effectOf(step)}`,
    step: urn,
  };
}

/** A sentence about the members that lose access although the inputs of the step do not name them. */
function effectOf({ op, type }: PlanStep): string {
  if (op === "delete") return "";
  const form = grantFormOf(type);
  if (form === "policy") return " It replaces the whole access policy: everybody whom it does not name loses access.";
  return form === "binding" ? " Everybody else who has its role loses it." : "";
}
