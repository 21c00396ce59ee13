import { isDeepStrictEqual } from "node:util";
import { isRecord, textOf } from "../../provider/core/unknown";
import { comparableMember } from "../../provider/iam/member";
import { grantStepOf, type GrantStep } from "./grant-steps";
import { deletesLeftIn, isOnComponent, leavesTheCloud, withoutParts, type Plan, type PlanStep } from "./plan";
import { shortNameOf } from "../result/urn";
import { containsSecret, SECRET } from "./plan-values";
import type { PlannedState } from "./planned-state";
import { UNKNOWN_POLICY } from "../result/grants";
import type { AccessChanged, ReviewedGrant, ReviewedResource, Uncertainty } from "../result/result";
import { NewResources } from "./new-resources";
import { foreignKindsOf, GRANT, grantFormOf, type ForeignKind } from "../meaning/foreign-kinds";
import { apiOf, foreignNameOf } from "./foreign-names";
import { grantKindOf } from "../meaning/grant-kinds";
import { namedFrom } from "./planned-grant";
import { statedGrants } from "./stated-grants";

/** Operations that change nothing in the cloud. `discard` removes a read resource from the state. */
const QUIET: readonly string[] = ["same", "refresh", "read", "discard", "read-discard", "discard-replaced"];

/** A step that can change who has access and that no rehearsal carries out: of another provider, or on a new resource. */
export interface ForeignStep {
  step: PlanStep;
  /** The grant that it is on, if it is one that a rehearsal can carry out. */
  grant?: GrantStep;
  kind: ForeignKind;
  resource: string;
  /** With its article: "a topic". */
  noun: string;
  /** What the step's own inputs say. */
  changes: AccessChanged[];
  /** What a review knows of the effect, as sentences. A blank is in front of them. */
  effect?: string;
  /** URNs of what the plan creates and whose outputs are in the name of its resource. */
  createdBy?: string[];
  /** Whether `changes` are all that it does: it is on a resource that the plan creates, or it is an entry of a list. */
  isWhole?: boolean;
}

/**
 * The steps of other providers that can change who has access in Google Cloud, and the grants on resources that the plan creates,
 * with what they say themselves. A rehearsal carries out those of `@pulumi/gcp` on a policy that it finds.
 *
 * @param state with resources that an earlier update left to delete, which no plan shows.
 */
export function foreignSteps(
  plan: Plan,
  state: readonly PlannedState[] = [],
  created = new NewResources(plan),
): ForeignStep[] {
  const { steps, config } = plan;
  return [...withoutParts(steps), ...deletesLeftIn(state.map(withoutSecrets), plan)]
    .filter((step) => !isQuiet(step))
    .flatMap((step) => {
      const grant = grantStepOf(step);
      const kinds = [...foreignKindsOf(step.type), ...(grant ? [GRANT] : [])];
      const kind = kinds.find((each) => !each.isOfLogs && movesAccess(step, each));
      if (!kind) return [];
      const changes = changesOf(step, kind);
      const isAlone = kind.isEntry === true || (grant !== undefined && created.have(grant));
      const isWhole = isAlone && isStated(changes);
      // A rehearsal carries out all other grants, and those of `@pulumi/gcp` if it finds the policy.
      if (grant && !grant.named && !isWhole) return [];
      const { resource, kind: noun } = foreignNameOf(step, grant, textOf(config["gcp:project"]) || undefined);
      const createdBy = isWhole && grant && step.new ? namedFrom(grant, step.new).toSorted() : [];
      const found = { step, kind, resource, noun, changes, ...(createdBy.length > 0 && { createdBy }) };
      return [{ ...found, ...(grant && { grant }), ...(isWhole && { isWhole }) }];
    });
}

/** Sentences about steps on configurations of audit logs, which change nobody's access. */
export function notesOnLogs({ steps }: Plan): string[] {
  return withoutParts(steps)
    .filter((step) => !isQuiet(step) && foreignKindsOf(step.type).some(({ isOfLogs }) => isOfLogs))
    .map(
      ({ op, urn }) =>
        `${shortNameOf(urn)} ${VERBS[op] ?? "changes"} a configuration of audit logs: nobody's access changes`,
    );
}

function isQuiet(step: PlanStep): boolean {
  return QUIET.includes(step.op) || isOnComponent(step);
}

/** An export with `--show-secrets` has what the plan hides. */
function withoutSecrets(state: PlannedState): PlannedState {
  const hidden = Object.fromEntries((state.secrets ?? []).map((name) => [name, SECRET]));
  return { ...state, inputs: { ...state.inputs, ...hidden } };
}

function movesAccess(step: PlanStep, { inputs, onlyUpdates, isRemoval }: ForeignKind): boolean {
  const { op, old, new: next } = step;
  if ((old ?? next)?.external) return false;
  if (op === "delete" && (isRemoval || (old && !leavesTheCloud(old)))) return false;
  if (inputs === undefined) return true;
  if (onlyUpdates && !(old && next)) return false;
  return inputs.some((name) => mayChange(step, [name].flat()));
}

/** Whether a step changes an input. A hidden value may be another one afterwards, unless the step names what it changes. */
function mayChange({ old, new: next, changed }: PlanStep, path: readonly string[]): boolean {
  const valueIn = (state: PlannedState | undefined) =>
    path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), state?.inputs);
  const [before, after] = [valueIn(old), valueIn(next)];
  if (!isDeepStrictEqual(withoutNothing(before), withoutNothing(after))) return true;
  return (
    containsSecret(before) && old !== undefined && next !== undefined && changed?.includes(path[0] ?? "") !== false
  );
}

/** An input that is false or empty is one that is not set. */
function withoutNothing(value: unknown): unknown {
  const isNothing = value === false || value === "" || value === null || (Array.isArray(value) && value.length === 0);
  return isNothing ? undefined : value;
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

/** Whether the inputs name who gains or loses access: an authorized view of a dataset names nobody, and a name can be hidden. */
function isStated(changes: readonly AccessChanged[]): boolean {
  return changes.length > 0 && changes.every(({ hidden }) => hidden === undefined);
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
    const { resource, noun, changes, step, grant, createdBy } = each;
    const [provider = ""] = step.type.split(":");
    const isOwn = grant !== undefined && grant.form === undefined;
    const api = isOwn ? grantKindOf(grant.token).definition.service.api : (grant?.named?.api ?? apiOf(step.type));
    const key = JSON.stringify([provider, noun, resource, createdBy]);
    const known = found.get(key);
    found.set(key, {
      resource,
      kind: noun,
      api,
      ...(isOwn ? {} : { otherProvider: provider }),
      ...(createdBy && { createdBy }),
      ...UNKNOWN_POLICY,
      changes: [...(known?.changes ?? []), ...changes],
      unknown: [...(known?.unknown ?? []), ...(each.isWhole ? [] : [uncertaintyOf(each)])],
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

function uncertaintyOf({ step, grant, kind, resource, effect }: ForeignStep): Uncertainty {
  const { op, urn, type } = step;
  const verb = VERBS[op] ?? `has the operation ${op} on`;
  const where = resource === "" ? "" : ` to ${resource}`;
  return {
    // A rule about other providers cannot allow a step that changes what the review predicts.
    ...(grant ? { code: "unsupported" } : { code: "other provider", type }),
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
