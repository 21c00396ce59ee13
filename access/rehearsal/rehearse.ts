import { accessChange } from "../../provider/iam/policy";
import { countDistinct } from "../../provider/iam/preview-access-change";
import { PoliciesAbove } from "../live/policies-above";
import { foreignResources, type ForeignStep } from "../plan/foreign-steps";
import { hasGrantMode } from "../plan/steps";
import { policiesAfter } from "./policies-after";
import type { Plan } from "../plan/plan";
import type { PlannedGrant } from "../plan/planned-grant";
import { StackClouds } from "../live/clouds";
import { READ_TIMEOUT_MS } from "../live/reads";
import type { Found, ReviewedResource, Uncertainty } from "../result/result";
import { ONLY_DIRECT_GRANTS } from "../result/notes";
import { byResource } from "../result/order";
import { counted } from "../result/visible";
import { CustomRoles } from "./custom-roles";
import { DeletedResources } from "./deleted-resources";
import { PreviewSettings } from "./preview-settings";
import { declarationsOf, takingsOf, type Declaration, type Taking } from "./claims";
import { ownerNotes } from "./conflicts";
import { noteRaces } from "./races";
import { Rehearsal } from "./rehearsal";
import { AccessPolicies } from "../live/access-policies";
import type { AccessPolicy } from "../live/access-policy";
import { Hierarchy } from "../live/hierarchy";
import { anyProjectKey, type Place } from "../live/place";
import { RehearsedProviders } from "./rehearsed-providers";
import { reviewedResources } from "../live/reviewed-resource";
import { takenWithResources } from "./stated-claims";
import { tasksOf, type RehearsalRequest, type Task, type Tasks } from "./tasks";

/** What a plan does, and what the resources of the stack declare after the update. */
export interface Rehearsed {
  found: Found;
  declared: Declaration[];
  /** What its steps take out of access policies. */
  takes: Taking[];
}

/**
 * Carries out a plan on copies of the live policies, with the provider's own code, and returns the predicted policies. It
 * reads from the APIs, and writes nothing.
 */
export async function rehearse(request: RehearsalRequest): Promise<Rehearsed> {
  const { plan, settings, environment, live, timeout = READ_TIMEOUT_MS } = request;
  const clouds = new StackClouds(settings, environment);
  const policies = new AccessPolicies(clouds, { live, timeout });
  const known = (request.foreign ?? []).filter((each) => isCertain(each, clouds));
  const tasks = tasksOf({ ...request, foreign: known }, (step) => clouds.defaultsOf(step));
  const followed = new Set(tasks.inOrder.map(({ step }) => step.urn));
  const others = known.filter(({ step }) => !followed.has(step.urn));
  const roles = new CustomRoles(others, clouds);
  const deleted = new DeletedResources(request);
  const places = [...placesToRead(request, tasks, deleted, clouds), ...roles.places];
  // Those that may be resources which the plan creates.
  const onNew = tasks.inOrder.filter(({ step }) => request.created.mayHave(step));
  await policies.read(
    places,
    placesOf(
      onNew.map(({ wanted }) => wanted),
      clouds,
    ),
  );

  const previewed = new PreviewSettings(plan, tasks, clouds);
  const rehearsalOn = (on: AccessPolicies) =>
    new Rehearsal(on, new RehearsedProviders(on, environment, timeout), previewed, deleted, plan.mayBeDestroy);
  // In a destroy, engines call no checks, so no resource is known to declare a grant that another one's delete removes.
  const checks = plan.operation === "update";
  const rehearsal = rehearsalOn(policies);
  await rehearsal.run(tasks, { checks });
  await noteRaces(request, tasks, policies, async (ordered, policy) => {
    const fresh = policies.fresh();
    await rehearsalOn(fresh).run(ordered, { checks, isPart: true });
    return fresh.at(policy.place);
  });
  const announced = noteAnnouncedLosses(plan, tasks, policies);

  const isReviewed = (policy: AccessPolicy) => policy.unknown.length + policy.outcome.changes.length > 0;
  const reviewed = policies.all().filter((each) => request.all === true || isReviewed(each));
  // These are not reviewed: they only say who has the roles.
  for (const place of roles.places) policies.at(place);
  const foreign = roles.withEffects(others, policies.all(), request.hidden);
  const above = new PoliciesAbove(new Hierarchy(policies), policiesAfter(foreign, policies.all()));
  const inherited = request.inherited === false ? undefined : above;
  const rehearsed = await reviewedResources(reviewed, request.hidden, inherited);
  const declared = declarationsOf(tasks, policies);
  const found: Found = {
    operation: plan.operation,
    ...(plan.stack !== undefined && { stack: plan.stack }),
    ...(plan.project !== undefined && { project: plan.project }),
    resources: [...rehearsed, ...foreignResources(foreign)].sort(byResource),
    refused: rehearsal.refused,
    unknown: [...clouds.unknownSettings, ...rehearsal.unknown, ...deleted.unknown, ...announced],
    notes: [
      ...limitsOf(request, rehearsed),
      ...ownerNotes(declared),
      ...clouds.credentialNotes,
      ...above.notes,
      ...deleted.notes,
      ...rehearsal.notes,
    ],
  };
  const takes = [...takingsOf(tasks, policies, request.hidden), ...takenWithResources(deleted)];
  return { found, declared, takes };
}

/** In the mode `replace`, a grant takes the roles of all others, who are unknown if the resource is not the new one. */
function isCertain({ step, isWhole }: ForeignStep, clouds: StackClouds): boolean {
  const { grant } = step;
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
 * The places whose live policies the plan changes or deletes, and those of the same names with the other spelling of the project.
 * On demand, also those of unchanged grants.
 */
function placesToRead(
  { all }: RehearsalRequest,
  tasks: Tasks,
  deleted: DeletedResources,
  clouds: StackClouds,
): Place[] {
  const { inOrder, last } = tasks;
  const ofTasks = (some: readonly Task[]) =>
    placesOf(
      some.flatMap(({ old, wanted }) => [old, wanted]),
      clouds,
    );
  const isChange = ({ op }: Task) => !["same", "left out", "import"].includes(op);
  const isRead = (task: Task) => all === true || isChange(task) || deleted.concern(task);
  const more = placesOf(deleted.targets(tasks), clouds);
  const touched = new Set([...ofTasks(inOrder.filter(isRead)), ...ofTasks(last), ...more].map(anyProjectKey));
  return [...ofTasks(inOrder), ...more].filter((place) => touched.has(anyProjectKey(place)));
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
    const wanted = inOrder.find((task) => task.wanted && task.step.urn === urn)?.wanted;
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
