import { accessChange } from "../../provider/iam/policy";
import { countDistinct } from "../../provider/iam/preview-access-change";
import { PoliciesAbove } from "../live/policies-above";
import { foreignResources, type ForeignStep } from "../plan/foreign-steps";
import { hasGrantMode } from "../plan/grant-steps";
import { policiesAfter } from "./policies-after";
import type { Plan } from "../plan/plan";
import type { PlannedGrant } from "../plan/planned-grant";
import { StackClouds } from "../live/clouds";
import { READ_TIMEOUT_MS } from "../live/reads";
import { RESULT_VERSION, type ReviewedResource, type Uncertainty, type Unjudged } from "../result/result";
import { ONLY_DIRECT_GRANTS } from "../result/notes";
import { byResource } from "../result/order";
import { counted } from "../result/visible";
import { CustomRoles } from "./custom-roles";
import { DeletedResources } from "./deleted-resources";
import { PreviewSettings } from "./preview-settings";
import { declarationsOf, ownerNotes, type Declaration } from "./owners";
import { noteRaces } from "./races";
import { Rehearsal } from "./rehearsal";
import { AccessPolicies } from "../live/access-policies";
import { Hierarchy } from "../live/hierarchy";
import { anyProjectKey, type Place } from "../live/place";
import { RehearsedProviders } from "./rehearsed-providers";
import { reviewedResources } from "../live/reviewed-resource";
import { tasksOf, type RehearsalRequest, type Task, type Tasks } from "./tasks";

/** What a plan does, and what the resources of the stack declare after the update. */
export interface Rehearsed {
  result: Unjudged;
  declared: Declaration[];
}

/**
 * Carries out a plan on copies of the live policies, with the provider's own code, and returns the predicted policies. It
 * reads from the APIs, and writes nothing.
 */
export async function rehearse(request: RehearsalRequest): Promise<Rehearsed> {
  const { plan, created, settings, hidden, environment, timeout = READ_TIMEOUT_MS } = request;
  const clouds = new StackClouds(settings, environment);
  const known = (request.foreign ?? []).filter((each) => isCertain(each, clouds));
  const tasks = tasksOf({ ...request, foreign: known }, (step) => clouds.defaultsOf(step));
  const all = request.all === true;
  const deleted = new DeletedResources(request);
  const previewed = new PreviewSettings(plan, tasks, clouds);
  const run = async (on: AccessPolicies, ordered: Tasks) => {
    const isPart = ordered !== tasks && !ordered.inOrder.some((task) => deleted.concern(task));
    const empty = (which: "replaces" | "deletes") => {
      if (!isPart) deleted.empty(which, ordered, on, previewed);
    };
    empty("replaces");
    const providers = new RehearsedProviders(on, environment, timeout);
    const rehearsal = new Rehearsal(providers, on, previewed);
    // In a destroy, engines call no checks, so no resource is known to declare a grant that another one's delete removes.
    await rehearsal.run(ordered, { checks: plan.operation === "update" });
    empty("deletes");
    return rehearsal;
  };
  const policies = new AccessPolicies(clouds, { live: request.live, timeout });
  const isRead = (task: Task) => all || deleted.concern(task);
  const followed = new Set(tasks.inOrder.map(({ step }) => step.step.urn));
  const others = known.filter(({ step }) => !followed.has(step.urn));
  const roles = new CustomRoles(others, clouds);
  const onCreated = tasks.inOrder.flatMap(({ step, wanted }) => (wanted && created.mayHave(step) ? [wanted] : []));
  const places = [...placesToRead(tasks, clouds, isRead, deleted.targets(tasks)), ...roles.places];
  await policies.read(places, placesOf(onCreated, clouds));
  const rehearsal = await run(policies, tasks);
  await noteRaces(request, tasks, policies, async (ordered, grant) => {
    const other = policies.fresh();
    await run(other, ordered);
    return other.of(grant);
  });
  const announced = noteAnnouncedLosses(plan, tasks, policies);
  const reviewed = policies
    .all()
    .filter(({ outcome, unknown: doubts }) => outcome.changes.length + doubts.length > 0 || all);
  for (const place of roles.places) policies.at(place);
  const foreign = roles.withEffects(others, policies.all(), hidden);
  const above = new PoliciesAbove(new Hierarchy(policies, timeout), policiesAfter(foreign, policies.all()));
  const rehearsed = await reviewedResources(reviewed, hidden, request.inherited === false ? undefined : above);
  const resources = [...rehearsed, ...foreignResources(foreign)].sort(byResource);
  const declared = declarationsOf(tasks, policies);
  const unknown = [...clouds.unknownSettings, ...rehearsal.unknown, ...deleted.unknown, ...announced];
  const notes = [
    ...limitsOf(request, rehearsed),
    ...ownerNotes(declared),
    ...clouds.credentialNotes,
    ...above.notes,
    ...rehearsal.notes,
  ];
  const result = {
    version: RESULT_VERSION,
    operation: plan.operation,
    ...(plan.stack === undefined ? {} : { stack: plan.stack }),
    ...(plan.project === undefined ? {} : { project: plan.project }),
    resources,
    refused: rehearsal.refused,
    unknown,
    notes,
  } as const;
  return { result, declared };
}

/** In the mode `replace`, a grant takes the roles of all others, who are unknown if the resource is not the new one. */
function isCertain({ grant, step, isWhole }: ForeignStep, clouds: StackClouds): boolean {
  if (!grant || !isWhole || !hasGrantMode(grant)) return true;
  const cloud = clouds.of(step);
  return cloud.settings.isKnown && cloud.grantMode === "merge";
}

/** The facts that this review did not check, if they could change its result. */
function limitsOf(
  { plan, state, inherited = true }: RehearsalRequest,
  resources: readonly ReviewedResource[],
): string[] {
  const changes = resources.flatMap((each) => each.changes);
  return [
    ...(resources.length > 0 && !inherited ? [ONLY_DIRECT_GRANTS] : []),
    ...(changes.some(({ change }) => change !== "gained") ? [OTHER_STACKS] : []),
    ...(resources.length > 0 && state === undefined && !plan.hasUnchanged ? [UNCHANGED_NOT_SHOWN] : []),
  ];
}

const OTHER_STACKS = "Other stacks are unknown: if one of them declares the same grant, this stack removes it anyway";
const UNCHANGED_NOT_SHOWN =
  "Neither the plan nor a state shows the unchanged resources: their grants count as unmanaged, and a removed grant that " +
  "one of them also declares would stay";

/**
 * The places whose live policies the tasks change, and those of the same names with the other spelling of the project.
 *
 * @param isWanted selects other tasks whose policies are also read.
 * @param others whose policies are also read.
 */
function placesToRead(
  { inOrder, last }: Tasks,
  clouds: StackClouds,
  isWanted: (task: Task) => boolean,
  others: readonly PlannedGrant[],
): Place[] {
  const ofTasks = (tasks: Iterable<Task>) => [...tasks].flatMap(({ old, wanted }) => placesOf([old, wanted], clouds));
  const isChange = ({ op }: Task) => op !== "same" && op !== "left out" && op !== "import";
  const changing = new Set([...inOrder.filter((task) => isChange(task) || isWanted(task)), ...last]);
  const more = placesOf(others, clouds);
  const touched = new Set([...ofTasks(changing), ...more].map(anyProjectKey));
  return [...ofTasks([...inOrder, ...last]), ...more].filter((place) => touched.has(anyProjectKey(place)));
}

function placesOf(grants: ReadonlyArray<PlannedGrant | undefined>, clouds: StackClouds): Place[] {
  return grants.flatMap((grant) => (grant && clouds.placeOf(grant)) ?? []);
}

/**
 * Compares the outcome of a rehearsal with the losses that the provider reported at preview, and notes each resource where
 * fewer principals lose a role: a review with a missing step or a wrong setting must not report that nobody loses access.
 *
 * @returns the facts that belong to no policy of the rehearsal.
 */
function noteAnnouncedLosses({ announced, steps }: Plan, { inOrder }: Tasks, policies: AccessPolicies): Uncertainty[] {
  // The provider previews a resource also when `--target` makes the engine skip it.
  const untouched = new Set(steps.filter(({ op }) => op === "same").map(({ urn }) => urn));
  return announced.flatMap(({ urn, resource, principals }) => {
    if (untouched.has(urn)) return [];
    // An old resource that an earlier update left to delete has the same URN.
    const wanted = inOrder.find((task) => task.wanted && task.step.step.urn === urn)?.wanted;
    const policy = wanted && policies.of(wanted);
    const { before, after } = policy ?? {};
    // An unreadable policy is already noted.
    if (policy && !before) return [];
    const found = before && after ? countDistinct(accessChange(before, after).lost) : 0;
    if (found >= principals) return [];
    const uncertainty: Uncertainty = {
      code: "differs from preview",
      message:
        `It is unknown who loses access to ${resource}: the preview reported ${counted(principals, "principal")}, and this review finds ` +
        `${found}. The access policy may have changed since the preview: run both again`,
      ...(urn === "" ? {} : { step: urn }),
    };
    policy?.noteUnknown(uncertainty);
    return policy ? [] : [uncertainty];
  });
}
