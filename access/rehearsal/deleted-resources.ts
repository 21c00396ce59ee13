import { nameInId, sameName } from "../../provider/core/reference";
import { textOf } from "../../provider/core/unknown";
import { GRANT_KINDS } from "../plan/grant-kinds";
import { foreignAccessOf, grantStepOf } from "../plan/grant-steps";
import type { PlanStep } from "../plan/plan";
import type { PlannedState } from "../plan/planned-state";
import type { Uncertainty } from "../result";
import type { PolicyRecords } from "./policy-records";
import type { RehearsalRequest } from "./request";
import type { PlannedGrant } from "./planned-grant";
import { shortNameOf, waitsForDelete, type Task, type Tasks } from "./tasks";

/** A resource in the cloud that another provider deletes, perhaps to make it again. */
interface DeletedResource {
  verb: "deletes" | "replaces";
  urn: string;
  /** Relative names. */
  names: string[];
}

const DELETES = ["delete", "replace", "delete-replaced", "import-replacement"];
/** Types whose ids are projects that they do not own: `google_project_default_service_accounts`. */
const IS_PROJECT = /:Project$/;

/** The resources that a plan deletes together with their access policies. */
export class DeletedResources {
  private readonly all: DeletedResource[];
  /** Whether the plan omits unchanged grants, and no state has them. */
  private readonly hidesGrants: boolean;

  constructor({ plan, state }: RehearsalRequest) {
    this.hidesGrants = !plan.hasUnchanged && state === undefined;
    const leftOver = (state ?? []).filter(waitsForDelete).map((old): PlanStep => ({ ...old, op: "delete", old }));
    this.all = [...(plan.operation === "access" ? [] : [...plan.steps, ...leftOver])].flatMap(deletedBy);
  }

  /** Whether a step of the plan deletes the resource of one of the task's policies. */
  concern(task: Task): boolean {
    return this.of(task).length > 0;
  }

  /** Notes on each policy the steps that delete its resource. It is unknown who has access to a resource that replaces it. */
  note({ inOrder }: Tasks, records: PolicyRecords): void {
    for (const task of inOrder) {
      for (const { planned, deleted } of this.of(task)) {
        const { verb, urn } = deleted;
        const record = records.of(planned);
        const message =
          `It is unknown who keeps access to ${record?.options.resource}: the plan ${verb} ${shortNameOf(urn)}, and the access ` +
          "policy is deleted with it";
        record?.noteUnknown({ code: "deleted resource", message, step: urn });
      }
    }
  }

  /** Resources that may have grants that the plan does not show. */
  get unknown(): Uncertainty[] {
    if (!this.hidesGrants) return [];
    return this.all
      .filter(({ names }) => names.some(mayHaveGrants))
      .map(({ verb, urn }) => {
        const message =
          `It is unknown who loses access: the plan ${verb} ${shortNameOf(urn)}, and does not show the unchanged grants that may ` +
          "be on it. Print the plan with --show-sames, or review it with the stack's state";
        return { code: "incomplete plan", message, step: urn };
      });
  }

  private of(task: Task): { planned: PlannedGrant; deleted: DeletedResource }[] {
    const { old, wanted } = task;
    return [old, wanted].flatMap((planned) =>
      this.all.flatMap((deleted) =>
        planned && (isIn(planned, deleted) || isNamedBy(task, deleted)) ? [{ planned, deleted }] : [],
      ),
    );
  }
}

function deletedBy(step: PlanStep): DeletedResource[] {
  const { op, urn, type, old } = step;
  const isOther = grantStepOf(step) === undefined && foreignAccessOf(step) === "none" && !type.startsWith("pulumi:");
  if (!isOther || !DELETES.includes(op) || !old || old.external || old.retainOnDelete) return [];
  return [{ verb: op === "delete" ? "deletes" : "replaces", urn, names: namesOf(old, type) }];
}

/** The providers of Google Cloud have the relative name in the id, the output `name` or the URL `selfLink`. */
function namesOf({ id, inputs, outputs }: PlannedState, type: string): string[] {
  return [id, outputs.name, outputs.selfLink, inputs.name]
    .map((each) => nameInId(textOf(each)))
    .filter((name) => /^projects\/[^/]+(\/|$)/.test(name))
    .filter((name) => name.split("/").length > 2 || IS_PROJECT.test(type));
}

/** Whether grants can be on a resource of this name or on one inside it. */
function mayHaveGrants(name: string): boolean {
  const segments = name.split("/");
  return GRANT_KINDS.some(({ template: { template } }) => {
    const parts = template.split("/");
    return segments.every((segment, at) => parts[at]?.startsWith("{") || parts[at] === segment);
  });
}

/** Whether the grant is on the deleted resource or on a resource inside it, such as a FHIR store in its dataset. */
function isIn({ resource }: PlannedGrant, { names }: DeletedResource): boolean {
  if (resource === undefined) return false;
  const segments = resource.split("/");
  return names.some((name) => sameName(segments.slice(0, name.split("/").length).join("/"), name));
}

/** Whether the grant stays, on a resource whose name comes from an output of the deleted one. */
function isNamedBy({ old, wanted }: Task, { urn }: DeletedResource): boolean {
  if (!wanted?.state.nameFrom?.includes(urn)) return false;
  return wanted.resource !== undefined && (old === undefined || old.resource === wanted.resource);
}
