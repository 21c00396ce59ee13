import { nameInId, sameName } from "../../provider/core/reference";
import { textOf } from "../../provider/core/unknown";
import { accessChange } from "../../provider/iam/policy";
import { gcpResourceOf } from "../plan/gcp-types";
import { ANY_MEMBER, GRANT_KINDS, grantKindOn, resourceOfGrant } from "../plan/grant-kinds";
import { foreignKindOf } from "../plan/foreign-kinds";
import { grantStepOf } from "../plan/grant-steps";
import { deletesLeftIn, isOnComponent, type PlanStep } from "../plan/plan";
import { shortNameOf } from "../result/urn";
import type { PlannedState } from "../plan/planned-state";
import type { Uncertainty } from "../result/result";
import type { PolicyRecords } from "../live/policy-records";
import { namedFrom, type PlannedGrant } from "../plan/planned-grant";
import type { PreviewSettings } from "./preview-settings";
import type { RehearsalRequest, Task, Tasks } from "./tasks";

/** A resource in the cloud that another provider deletes, perhaps to make it again. */
interface DeletedResource {
  verb: "deletes" | "replaces";
  urn: string;
  /** Its settings say where it is. */
  provider: Pick<PlanStep, "type" | "provider">;
  /** As in answers: relative, or full where a name could be of several APIs. */
  names: string[];
}

/** A grant on a resource that goes, and the resource. */
interface Gone {
  planned: PlannedGrant;
  deleted: DeletedResource;
  /** Whether the names show that the resource goes. */
  isSure: boolean;
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
    this.all = [...plan.steps, ...deletesLeftIn(state ?? [], plan)].flatMap(deletedBy);
  }

  /** Whether a step of the plan deletes the resource of one of the task's policies. */
  concern(task: Task): boolean {
    return this.of(task).length > 0;
  }

  /** The policies to read: of the deleted resources of a known kind on which the plan has no grant. */
  targets(tasks: Tasks): PlannedGrant[] {
    return this.withoutGrants(tasks).map(({ planned }) => planned);
  }

  private withoutGrants({ inOrder }: Tasks): Gone[] {
    const planned = inOrder.flatMap(({ old, wanted }) => [old?.resource, wanted?.resource]);
    return this.all.flatMap((deleted) =>
      deleted.names.flatMap((name) => {
        if (planned.includes(name)) return [];
        const token = isFull(name) ? ANY_MEMBER : grantKindOn(name)?.token;
        return token === undefined ? [] : [{ planned: grantOfNobody(deleted, name, token), deleted, isSure: true }];
      }),
    );
  }

  /**
   * Empties the policy of each resource that is replaced, before the steps that make grants on its replacement; and of each that
   * is deleted, after all other steps, because the engine deletes last. All who have a grant on it lose it. Where only a
   * dependency says that the resource goes, the loss is unknown.
   */
  empty(which: DeletedResource["verb"], tasks: Tasks, records: PolicyRecords, previewed: PreviewSettings): void {
    const gone = [...tasks.inOrder.flatMap((task) => this.of(task)), ...this.withoutGrants(tasks)];
    const all = gone.flatMap(({ planned, ...each }) => {
      const record = records.of(planned);
      return record ? [{ ...each, planned, record }] : [];
    });
    // A resource with two names has one record.
    const sure = new Set(all.filter(({ isSure }) => isSure).map(({ record }) => record));
    for (const { deleted, planned, record } of all.filter(({ deleted }) => deleted.verb === which)) {
      previewed.noteDoubts(record, planned);
      const { policy } = record.options;
      const { verb, urn } = deleted;
      if (!sure.has(record)) {
        const message =
          `It is unknown who keeps access to ${record.resource}: the plan ${verb} ${shortNameOf(urn)}, and the access ` +
          "policy is deleted with it";
        record.noteUnknown({ code: "deleted resource", message, step: urn });
      } else if (policy) {
        record.wrote(urn, accessChange(policy.current, {}));
        records.policies.write(policy, {});
      }
    }
  }

  /** Resources with others in them, whose policies the review does not find all. */
  get unknown(): Uncertainty[] {
    return this.all.flatMap(({ verb, urn, names }): Uncertainty[] => {
      const does = `the plan ${verb} ${shortNameOf(urn)}`;
      if (this.hidesGrants && names.some(mayHaveGrants)) {
        const message =
          `It is unknown who loses access: ${does}, and does not show the unchanged grants that may be on it. Print the plan ` +
          "with --show-sames, or review it with the stack's state";
        return [{ code: "incomplete plan", message, step: urn }];
      }
      if (!names.some(mayContainGrants)) return [];
      const message = `It is unknown who loses access to what is in ${names[0]}: ${does}, and all in it with it`;
      return [{ code: "deleted resource", message, step: urn }];
    });
  }

  /** It is not sure that the resource goes where only a dependency says so, or another spelling of the project. */
  private of(task: Task): Gone[] {
    const { old, wanted } = task;
    return [old, wanted].flatMap((planned) =>
      this.all.flatMap((deleted) => {
        const isSure = deleted.names.some((name) => isWithin(planned?.resource, name));
        const mayGo = isSure || (planned && isIn(planned, deleted)) || isNamedBy(task, deleted);
        return planned && mayGo ? [{ planned, deleted, isSure }] : [];
      }),
    );
  }
}

function deletedBy(step: PlanStep): DeletedResource[] {
  const { op, urn, type, old } = step;
  const kind = foreignKindOf(type);
  const isOther = grantStepOf(step) === undefined && (kind === undefined || kind.isMove) && !type.startsWith("pulumi:");
  if (!isOther || isOnComponent(step) || !DELETES.includes(op) || !old || old.external || old.retainOnDelete) return [];
  const provider = { type, ...(old.provider === undefined ? {} : { provider: old.provider }) };
  return [{ verb: op === "delete" ? "deletes" : "replaces", urn, provider, names: namesOf(old, type) }];
}

/** The providers of Google Cloud have the relative name in the id, the output `name` or the URL `selfLink`. */
function namesOf({ id = "", inputs, outputs }: PlannedState, type: string): string[] {
  const inGcp = gcpResourceOf(type, id);
  const named = inGcp === undefined ? undefined : resourceOfGrant(ANY_MEMBER, inGcp)?.resource;
  const names = [id, outputs.name, outputs.selfLink, inputs.name]
    .map((each) => nameInId(textOf(each)))
    .filter((name) => /^projects\/[^/]+(\/|$)/.test(name))
    .filter((name) => name.split("/").length > 2 || IS_PROJECT.test(type));
  return [...new Set(named === undefined || IS_PROJECT.test(type) ? names : [named, ...names])];
}

function isFull(name: string): boolean {
  return name.startsWith("//");
}

/** A resource in the form of a name. The same path can be of several APIs, except that of a project. */
function inFormOf(name: string, resource: string | undefined): string | undefined {
  if (resource === undefined || isFull(name) === isFull(resource)) return resource;
  return name.split("/").length === 2 ? resource.replace(/^\/\/[^/]+\//, "") : undefined;
}

/** Whether grants can be on a resource of this name or on one inside it. */
function mayHaveGrants(name: string): boolean {
  if (isFull(name)) return true;
  const segments = name.split("/");
  return GRANT_KINDS.some(({ template }) => {
    if (!template) return false;
    const parts = template.template.split("/");
    return segments.every((segment, at) => parts[at]?.startsWith("{") || parts[at] === segment);
  });
}

function mayContainGrants(name: string): boolean {
  return !isFull(name) && mayHaveGrants(name) && grantKindOn(name) === undefined;
}

/** The policy of a resource, in the form in which records take it. The settings are those of its provider. */
function grantOfNobody({ urn, provider }: DeletedResource, name: string, token: string): PlannedGrant {
  const step = { op: "delete", urn, ...provider };
  return {
    state: { urn, type: token, inputs: {}, outputs: {} },
    step: { step, token, front: "plugin", identity: urn },
    resource: name,
    values: {},
    grants: [],
    hidden: new Map(),
  };
}

function isWithin(resource: string | undefined, name: string): boolean {
  const own = inFormOf(name, resource);
  return own === name || own?.startsWith(`${name}/`) === true;
}

/** Whether the grant is on the deleted resource or on a resource inside it, such as a FHIR store in its dataset. */
function isIn({ resource }: PlannedGrant, { names }: DeletedResource): boolean {
  return names.some((name) => {
    const segments = inFormOf(name, resource)?.split("/") ?? [];
    return sameName(segments.slice(0, name.split("/").length).join("/"), name);
  });
}

/** Whether the grant stays, on a resource whose name comes from an output of the deleted one. */
function isNamedBy({ old, wanted }: Task, { urn }: DeletedResource): boolean {
  if (!wanted || !namedFrom(wanted.step, wanted.state).includes(urn)) return false;
  return wanted.resource !== undefined && (old === undefined || old.resource === wanted.resource);
}
