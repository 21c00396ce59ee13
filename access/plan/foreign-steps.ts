import { comparableMember } from "../../provider/iam/member";
import { isOnComponent, type PlanStep } from "./plan";
import { shortNameOf } from "../result/urn";
import { digestOf, movesAccess, withoutSecrets } from "./deciding-inputs";
import { isOwn, packageOf } from "../result/packages";
import { UNKNOWN_POLICY } from "../result/grants";
import type { AccessChanged, ReviewedGrant, ReviewedResource, Uncertainty } from "../result/result";
import type { NewResources } from "./new-resources";
import { GRANT, grantFormOf, meaningOf, type ForeignKind } from "../meaning/meaning";
import { bridgedGrantResource } from "../meaning/gcp-types";
import { foreignNameOf } from "./foreign-names";
import { isHidden, UNNAMED } from "../result/texts";
import { apiOfType } from "../meaning/api-names";
import { grantKindOf } from "../meaning/grant-kinds";
import { namedFrom } from "./planned-grant";
import { isDelete, removes } from "./removals";
import type { Step } from "./steps";
import { withRepeatedEntries, type ListedStep } from "./repeated-entries";
import { statedGrants } from "./stated-grants";

/** Operations that change nothing in the cloud. `discard` removes a read resource from the state. */
const QUIET: readonly string[] = ["same", "refresh", "read", "import", "discard", "read-discard", "discard-replaced"];

/**
 * A step that can change who has access and that no rehearsal carries out: of another provider, or on a new resource. Its own inputs say
 * what it changes.
 */
export interface ForeignStep extends ListedStep {
  /** With its article: "a topic". */
  noun: string;
  /** What a review knows of the effect, as sentences. A blank is in front of them. */
  effect?: string;
  /** The full name of the resource of a grant, where its type and its inputs say it. */
  fullName?: string;
  /** URNs of what the plan creates and whose outputs are in the name of its resource. */
  createdBy?: string[];
  /** Whether `changes` are all that it does: it is on a resource that the plan creates, or it is an entry of a list. */
  isWhole?: boolean;
}

/** The project of the provider of a step, which names a resource in part where its inputs do not. */
export type ProjectOf = (step: PlanStep) => string | undefined;

/**
 * The steps of other providers that can change who has access in Google Cloud, and the grants on resources that the plan creates,
 * with what they say themselves. A rehearsal carries out those of `@pulumi/gcp` on a policy that it finds.
 *
 * @param created what the plan creates
 */
export function foreignSteps(steps: readonly Step[], created: NewResources, projectOf: ProjectOf): ForeignStep[] {
  const all = steps
    .filter(({ op }) => !QUIET.includes(op))
    .map(withoutSecrets)
    .flatMap((step) => {
      const { grant, meaning } = step;
      if (meaning.kinds.length === 0) return [];
      const nameOf = (part: PlanStep) => foreignNameOf(part, grant, projectOf(part));
      const { old, new: next, ...rest } = step;
      // The inputs give both names, because an id can spell the same name in another way.
      const [was, is] = [old, next].map(
        (state) => state && nameOf({ ...rest, new: { ...state, id: undefined } }).resource,
      );
      const isMoved = !grant && was !== undefined && is !== undefined && was !== is;
      // A resource with another name is a new one, also if the inputs that decide are those of the old one.
      const isAnother = isMoved && !isHidden(is);
      const moves = (kind: ForeignKind) =>
        movesAccess(step, kind) || (isAnother && next && movesAccess({ ...rest, op: "create", new: next }, kind));
      const kind = meaning.kinds.find((each) => !each.isOfLogs && moves(each));
      if (!kind) return [];
      const changes = isMoved
        ? [...changesOf({ ...rest, old }, kind), ...changesOf({ ...rest, new: next }, kind)]
        : changesOf(step, kind);
      const isOnNew = grant !== undefined && created.have(grant);
      const isKnown = isStated(changes) || (isOnNew && changes.length > 0 && created.are(step));
      const isWhole = (kind.isEntry === true || isOnNew) && isKnown;
      // A rehearsal carries out all other grants, and those of `@pulumi/gcp` if it finds the policy.
      if (grant && !grant.named && !isWhole) return [];
      const createdBy = isWhole && grant && step.new ? namedFrom(grant, step.new).toSorted() : [];
      const common = {
        step,
        kind,
        ...(createdBy.length > 0 && { createdBy }),
        ...(isWhole && { isWhole }),
        // Nobody loses access to a new resource.
        ...(isOnNew && { effect: "" }),
      };
      const found = { ...common, ...(!grant && fullNameOf(step, projectOf(step))) };
      const isLoss = ({ change }: AccessChanged) => change === "lost" && !kind.isRemoval;
      const [lost, others] = [changes.filter(isLoss), changes.filter((each) => !isLoss(each))];
      // What moves goes from one resource to another.
      if (isMoved && old && lost.length > 0) {
        const from = { ...rest, old };
        const { resource, kind: noun } = nameOf(from);
        const part = { ...common, ...fullNameOf(from, projectOf(from)), resource, noun, changes: lost };
        const { resource: to, kind: nounOfNew } = nameOf({ ...rest, new: next });
        const isLeft = kind.isEntry && others.length === 0;
        return [part, ...(isLeft ? [] : [{ ...found, resource: to, noun: nounOfNew, changes: others }])];
      }
      const { resource, kind: noun } = nameOf(step);
      return [{ ...found, resource, noun, changes }];
    });
  return withRepeatedEntries(all);
}

/** A step of which no rehearsal knows what it declares in a policy or an access list: its inputs say it. */
export interface StatedStep extends Pick<ForeignStep, "step" | "kind" | "resource" | "fullName"> {
  /** After the update. */
  grants: ReviewedGrant[];
  /** Whether the update makes or changes it. */
  isWritten: boolean;
}

/**
 * What the resources of a stack declare in access lists, and in policies by grants that no rehearsal follows.
 *
 * @param steps also of unchanged resources
 */
export function statedSteps(steps: readonly Step[], projectOf: ProjectOf): StatedStep[] {
  return steps.flatMap((step) => {
    const { op, new: next, meaning } = step;
    const kind = meaning.kinds.find(({ isEntry, isRemoval, isList }) => (isEntry || isList) && !isRemoval);
    const of = kind ?? (meaning.grant ? undefined : meaning.kinds.find((each) => each === GRANT));
    if (!of || !next || next.external || isDelete(op)) return [];
    const project = projectOf(step);
    const { resource } = foreignNameOf(step, undefined, project);
    const grants = statedGrants(next).filter(({ hidden }) => hidden === undefined);
    return [{ step, kind: of, resource, ...fullNameOf(step, project), grants, isWritten: !QUIET.includes(op) }];
  });
}

/** The full name of the resource that a grant of Google's Terraform provider is on. */
function fullNameOf({ type, old, new: next }: PlanStep, project: string | undefined): Pick<ForeignStep, "fullName"> {
  const { inputs = {} } = next ?? old ?? {};
  const fullName = bridgedGrantResource(type, { id: next?.id ?? old?.id }, inputs, { project });
  return fullName === undefined ? {} : { fullName };
}

/**
 * What is unknown of the steps whose types a rule names, whatever they mean: those that change something in the cloud, and of which
 * the review says nothing else.
 *
 * @param verdictOn what the rule says about a type; undefined if it names none. `unknown` is not said of grants, which are evaluated.
 * @param said URNs of the steps of which the review says that they are unknown, and of those that make a change. A rule forbids a change
 * as it forbids its step. A change that another rule allows is not all that an unknown step does, unless the step is an entry of a list.
 */
export function namedSteps(
  steps: readonly Step[],
  verdictOn: (type: string) => "unknown" | "fail" | undefined,
  said: Readonly<Record<"unknown" | "changed", ReadonlySet<string>>>,
): Uncertainty[] {
  return steps.flatMap((step): Uncertainty[] => {
    const { op, urn, type, old, new: next, meaning, removal } = step;
    const stays = isDelete(op) && removal === "never";
    if (QUIET.includes(op) || stays || (old ?? next)?.external || said.unknown.has(urn)) return [];
    if (isOwn(type) || isOnComponent(step)) return [];
    const verdict = verdictOn(type);
    const isChange = said.changed.has(urn);
    const isWhole = isChange && meaning.kinds.some(({ isEntry }) => isEntry);
    const isKnown = verdict === "unknown" ? meaning.grant !== undefined || isWhole : isChange;
    if (verdict === undefined || isKnown) return [];
    const message =
      `It is unknown whether access changes where the plan ${verbOf(op)} ${shortNameOf(urn)} (${type}), whose type the rule ` +
      "otherProviders names";
    return [{ code: "other provider", type, message, step: urn, digest: digestOf(step) }];
  });
}

/** Sentences about steps on configurations of audit logs, which change nobody's access. */
export function notesOnLogs(steps: readonly Step[]): string[] {
  return steps
    .filter(({ op, meaning }) => !QUIET.includes(op) && meaning.kinds.some(({ isOfLogs }) => isOfLogs))
    .map(
      ({ op, urn }) =>
        `${shortNameOf(urn)} ${VERBS[op] ?? "changes"} a configuration of audit logs: nobody's access changes`,
    );
}

function changesOf({ op, urn, old, new: next, removal }: Step, { isRemoval, ifThere }: ForeignKind): AccessChanged[] {
  const [before, after] = [old, op === "delete" ? undefined : next].map((each) => (each ? statedGrants(each) : []));
  const [gone, gained] = [without(before, after), without(after, before)];
  const steps = [urn];
  if (isRemoval) return gained.map((grant) => ({ ...grant, change: "lost", steps }));
  // The old resource of a replacement can stay in the cloud. The new one can take the place of its entry.
  const stays = removes(op) && removal === "never";
  const isReplaced = ({ principal }: ReviewedGrant) =>
    ifThere === "replaced" && gained.some((each) => each.principal === principal);
  const lost = stays ? gone.filter(isReplaced) : gone;
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
    const { resource, noun, changes, step, createdBy } = each;
    const key = JSON.stringify([packageOf(step.type), noun, resource, createdBy]);
    const known = found.get(key);
    found.set(key, {
      ...placeOfForeign(each),
      ...(createdBy && { createdBy }),
      ...UNKNOWN_POLICY,
      changes: [...(known?.changes ?? []), ...changes],
      unknown: [
        ...(known?.unknown ?? []),
        ...(each.isWhole ? [] : [uncertaintyOf(each)]),
        ...(each.doubt ? [each.doubt] : []),
      ],
    });
  }
  return [...found.values()];
}

/** The resource of a step, as results have it. */
export function placeOfForeign({
  resource,
  noun,
  step: { type, grant },
}: ForeignStep): Pick<ReviewedResource, "resource" | "kind" | "api" | "otherProvider"> {
  const isOwnGrant = grant !== undefined && grant.form === undefined;
  const ofOther = grant?.named?.api ?? meaningOf(type).on?.api ?? apiOfType(type);
  const api = isOwnGrant ? grantKindOf(grant.token).definition.service.api : ofOther;
  return { resource, kind: noun, api, ...(isOwnGrant ? {} : { otherProvider: packageOf(type) }) };
}

const VERBS: Readonly<Record<string, string>> = {
  create: "creates",
  update: "updates",
  replace: "replaces",
  delete: "deletes",
  import: "imports",
};

function verbOf(op: string): string {
  return VERBS[op] ?? `has the operation ${op} on`;
}

function uncertaintyOf({ step, kind, resource, effect }: ForeignStep): Uncertainty {
  const { op, urn, type, grant } = step;
  const verb = verbOf(op);
  const where = ["", UNNAMED].includes(resource) ? "" : ` to ${resource}`;
  return {
    // A rule about other providers cannot allow a step that changes what the review predicts.
    ...(grant ? { code: "unsupported" } : { code: "other provider", type }),
    message:
      `It is unknown who gains and who loses access${where}: the plan ${verb} ${shortNameOf(urn)} (${type}), ${kind.what}, ` +
      `which this review does not evaluate.${effect ?? effectOf(step)}`,
    step: urn,
    digest: digestOf(step),
  };
}

/** A sentence about the members that lose access although the inputs of the step do not name them. */
function effectOf({ op, type }: PlanStep): string {
  if (op === "delete") return "";
  const form = grantFormOf(type);
  if (form === "policy") return " It replaces the whole access policy: everybody whom it does not name loses access.";
  return form === "binding" ? " Everybody else who has its role loses it." : "";
}
