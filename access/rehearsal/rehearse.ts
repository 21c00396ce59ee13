import { accessChange } from "../../provider/iam/policy";
import { countPrincipals } from "../../provider/iam/preview-access-change";
import { PoliciesAbove } from "../above/policies-above";
import { foreignResources } from "../foreign/foreign-steps";
import { policiesAfter } from "../foreign/policies-after";
import type { Plan } from "../plan/plan";
import { READ_TIMEOUT_MS } from "../reads";
import { isWithoutEffect, RESULT_VERSION, type Uncertainty, type Unjudged } from "../result";
import { counted } from "../visible";
import { DeletedResources } from "./deleted-resources";
import { notesOf } from "./notes";
import { PolicyRecords } from "./policy-records";
import { PreviewSettings } from "./preview-settings";
import { noteRaces } from "./races";
import { Rehearsal } from "./rehearsal";
import { RehearsedPolicies } from "./rehearsed-policies";
import { RehearsedProviders } from "./rehearsed-providers";
import type { RehearsalRequest } from "./request";
import { outcomeOf, reviewedResource } from "./reviewed-resource";
import { tasksOf, type Tasks } from "./tasks";
import { uncertaintiesOf } from "./uncertainties";

/**
 * Carries out a plan on copies of the live policies, with the provider's own code, and returns the predicted policies. It
 * reads from the APIs, and writes nothing.
 */
export async function rehearse(request: RehearsalRequest): Promise<Unjudged> {
  const { plan, settings, hidden, environment, foreign = [], timeout = READ_TIMEOUT_MS } = request;
  const policies = new RehearsedPolicies();
  const tasks = tasksOf(request);
  const all = plan.operation === "access" || request.all === true;
  const deleted = new DeletedResources(request);
  const worldOn = (on: RehearsedPolicies) => {
    const providers = new RehearsedProviders(settings, environment, on, timeout);
    return { providers, records: new PolicyRecords(on, providers) };
  };
  const run = async ({ providers, records }: ReturnType<typeof worldOn>, ordered: Tasks) => {
    deleted.empty(ordered, records);
    const rehearsal = new Rehearsal(providers, records, new PreviewSettings(plan, ordered, providers));
    // In a destroy, engines call no checks, so no resource is known to declare a grant that another one's delete removes.
    await rehearsal.run(ordered, { checks: plan.operation === "update" });
    return rehearsal;
  };
  const world = worldOn(policies);
  const { providers, records } = world;
  await records.readAhead(tasks, (task) => all || deleted.concern(task), deleted.targets(tasks));
  const rehearsal = await run(world, tasks);
  await noteRaces(request, tasks, records, providers, async (ordered, grant) => {
    const other = worldOn(policies.fresh());
    await run(other, ordered);
    return other.records.of(grant)?.options.policy;
  });
  const announced = noteAnnouncedLosses(plan, tasks, records);
  const reviewed = records
    .all()
    .map((record) => ({ record, outcome: outcomeOf(record) }))
    .filter(({ record, outcome }) => outcome.changes.length + record.unknown.length > 0 || all);
  const above = new PoliciesAbove(timeout, policiesAfter(foreign));
  const inherited =
    request.inherited === false ? [] : await above.of(reviewed.map(({ record }) => record.options.below));
  const rehearsed = reviewed.map((each, index) => reviewedResource(each, hidden, plan.operation, inherited[index]));
  const resources = [...rehearsed, ...foreignResources(foreign)].sort(
    (left, right) => compare(left.resource, right.resource) || compare(left.endpoint ?? "", right.endpoint ?? ""),
  );
  const unknown = [...uncertaintiesOf(providers), ...rehearsal.unknown, ...deleted.unknown, ...announced];
  const notes = [...notesOf(request, rehearsed, providers), ...above.notes, ...rehearsal.notes];
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
  return { ...result, summary: summaryOf(result) };
}

/** The counts of a result. */
export function summaryOf({
  resources,
  refused,
  unknown,
}: Pick<Unjudged, "resources" | "refused" | "unknown">): Unjudged["summary"] {
  const changes = resources.flatMap((each) => each.changes);
  const count = (kind: string) => changes.filter((each) => each.change === kind && !isWithoutEffect(each)).length;
  const sum = (counts: number[]) => counts.reduce((total, each) => total + each, 0);
  return {
    gained: count("gained"),
    lost: count("lost"),
    conditions: count("condition"),
    unchanged: sum(resources.map((each) => each.unchanged)),
    noAccessLeft: sum(resources.map((each) => each.noAccessLeft.length)),
    refused: refused.length,
    unknown: unknown.length + sum(resources.map((each) => each.unknown.length)),
  };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Compares the outcome of a rehearsal with the losses that the provider reported at preview, and notes each resource where
 * fewer principals lose a role: a review with a missing step or a wrong setting must not report that nobody loses access.
 *
 * @returns the facts that belong to no policy of the rehearsal.
 */
function noteAnnouncedLosses({ announced, steps }: Plan, { inOrder }: Tasks, records: PolicyRecords): Uncertainty[] {
  // The provider previews a resource also when `--target` makes the engine skip it.
  const untouched = new Set(steps.filter(({ op }) => op === "same").map(({ urn }) => urn));
  return announced.flatMap(({ urn, resource, principals }) => {
    if (untouched.has(urn)) return [];
    // An old resource that an earlier update left to delete has the same URN.
    const wanted = inOrder.find((task) => task.wanted && task.step.step.urn === urn)?.wanted;
    const record = wanted && records.of(wanted);
    const policy = record?.options.policy;
    // An unreadable policy is already noted.
    if (record && !policy) return [];
    const found = policy ? countPrincipals(accessChange(policy.live, policy.current).lost) : 0;
    if (found >= principals) return [];
    const uncertainty: Uncertainty = {
      code: "differs from preview",
      message:
        `It is unknown who loses access to ${resource}: the preview reported ${counted(principals, "principal")}, and this review finds ` +
        `${found}. The access policy may have changed since the preview: run both again`,
      ...(urn === "" ? {} : { step: urn }),
    };
    record?.noteUnknown(uncertainty);
    return record ? [] : [uncertainty];
  });
}
