import { nameInId, sameName } from "../../provider/core/reference";
import { textOf, type Values } from "../../provider/core/unknown";
import { accessChange } from "../../provider/iam/policy";
import { ANY_MEMBER, GRANT_KINDS, grantKindOn, resourceOfGrant } from "../meaning/grant-kinds";
import { canBeFull, hasAccessList, isContainer, sourceOfStaying } from "../meaning/meaning";
import { iapNameOf } from "../meaning/iap-names";
import type { PlanStep } from "../plan/plan";
import type { Step } from "../plan/steps";
import type { ResourceKind } from "../meaning/gcp-types";
import { containsPolicies, resourceIn } from "../meaning/resource-kinds";
import { groupedBy } from "../result/order";
import { connectorKindIn } from "../result/packages";
import { shortNameOf } from "../result/urn";
import type { PlannedState } from "../plan/planned-state";
import type { Uncertainty } from "../result/result";
import type { AccessPolicies } from "../live/access-policies";
import { namedFrom, type PlannedGrant } from "../plan/planned-grant";
import type { PreviewSettings } from "./preview-settings";
import type { RehearsalRequest, Task, Tasks } from "./tasks";

/** A resource in the cloud that another provider deletes, perhaps to make it again. */
interface DeletedResource {
  verb: "deletes" | "replaces";
  urn: string;
  /** Its settings say where it is. */
  provider: Pick<PlanStep, "type" | "provider">;
  /** The kind of a resource that has an access policy, or contains others that have one. */
  kind?: ResourceKind;
  /** As in answers: relative, or full where a name could be of several APIs. Empty if nothing names it. */
  names: string[];
  /** Its state. */
  values: Values;
}

/** A grant on a resource that goes, and the resource. */
interface Gone {
  planned: PlannedGrant;
  deleted: DeletedResource;
  /** Whether the names show that the resource goes. */
  isSure: boolean;
}

/** Types whose ids are projects that they do not own: `google_project_default_service_accounts`. */
const IS_PROJECT = /:Project$/;

/** The resources that a plan deletes together with their access policies. */
export class DeletedResources {
  private readonly all: DeletedResource[];
  /** By the key of each of their names. */
  private readonly byName: ReadonlyMap<string, { deleted: DeletedResource; name: string }[]>;
  private readonly byUrn: ReadonlyMap<string, DeletedResource[]>;
  /** Sentences about the resources that stay in the cloud with their access policies. */
  readonly notes: string[];
  /** Whether the plan omits unchanged grants, and no state has them. */
  private readonly hidesGrants: boolean;

  constructor({ plan, steps, state, settings }: RehearsalRequest) {
    this.hidesGrants = !plan.hasUnchanged && state === undefined;
    const placesOf = (step: PlanStep) => settings.of(step).places ?? {};
    this.all = steps.flatMap((step) => deletedBy(step, placesOf));
    this.notes = steps.flatMap(({ urn, meaning, old, removal }) => {
      const source = old && removal !== "never" ? sourceOfStaying(meaning, valuesOf(old)) : undefined;
      if (source === undefined) return [];
      return [
        `${shortNameOf(urn)} stays in the cloud with its access policy: its provider only removes it from the state (${source})`,
      ];
    });
    this.byUrn = groupedBy(this.all, ({ urn }) => urn);
    const named = this.all.flatMap((deleted) => deleted.names.map((name) => ({ deleted, name })));
    this.byName = groupedBy(named, ({ name }) => keyOfName(name));
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
    const planned = new Set(inOrder.flatMap(({ old, wanted }) => [old?.resource, wanted?.resource]));
    return this.all.flatMap((deleted) =>
      deleted.names.flatMap((name) => {
        if (planned.has(name)) return [];
        const token = isFull(name) ? ANY_MEMBER : grantKindOn(name)?.token;
        return token === undefined || !resourceOfGrant(token, name)
          ? []
          : [{ planned: grantOfNobody(deleted, name, token), deleted, isSure: true }];
      }),
    );
  }

  /**
   * Empties the policy of each resource that is replaced, before the steps that make grants on its replacement; and of each that
   * is deleted, after all other steps, because the engine deletes last. All who have a grant on it lose it. Where only a
   * dependency says that the resource goes, the loss is unknown.
   */
  empty(which: DeletedResource["verb"], tasks: Tasks, policies: AccessPolicies, previewed: PreviewSettings): void {
    const gone = [...tasks.inOrder.flatMap((task) => this.of(task)), ...this.withoutGrants(tasks)];
    const all = gone.flatMap(({ planned, ...each }) => {
      const policy = policies.of(planned);
      return policy ? [{ ...each, planned, policy }] : [];
    });
    // A resource with two names has one policy.
    const sure = new Set(all.filter(({ isSure }) => isSure).map(({ policy }) => policy));
    for (const { deleted, planned, policy } of all.filter(({ deleted }) => deleted.verb === which)) {
      previewed.noteDoubts(policy, planned);
      const { verb, urn } = deleted;
      if (!sure.has(policy)) {
        const message =
          `It is unknown who keeps access to ${policy.resource}: the plan ${verb} ${shortNameOf(urn)}, and the access ` +
          "policy is deleted with it";
        policy.noteUnknown({ code: "deleted resource", message, step: urn });
      } else if (policy.after) {
        policy.wrote(urn, accessChange(policy.after, {}));
        policy.write({});
      }
    }
  }

  /** Those with an access list, which goes with them. */
  get withLists(): DeletedResource[] {
    return this.all.filter(({ provider: { type }, values }) => hasAccessList(type, values));
  }

  /** Each of them by each of its names. */
  get named(): { urn: string; type: string; name: string }[] {
    return this.all.flatMap(({ urn, provider: { type }, names }) => names.map((name) => ({ urn, type, name })));
  }

  /** What goes with a resource and this review does not read: policies of others in it, an access list, a policy of an unknown name. */
  get unknown(): Uncertainty[] {
    return this.all.flatMap(({ verb, urn, kind, names, values, provider: { type } }): Uncertainty[] => {
      const does = `the plan ${verb} ${shortNameOf(urn)}`;
      const doubt = (what: string, why: string): Uncertainty[] => [
        { code: "deleted resource", message: `It is unknown who loses access to ${what}: ${does}, ${why}`, step: urn },
      ];
      if (this.hidesGrants && names.some(mayHaveGrants)) {
        const message =
          `It is unknown who loses access: ${does}, and does not show the unchanged grants that may be on it. Print the plan ` +
          "with --show-sames, or review it with the stack's state";
        return [{ code: "incomplete plan", message, step: urn }];
      }
      const [name = shortNameOf(urn)] = names;
      if (hasAccessList(type, values)) return doubt(name, "and with it its access list and all that is in it");
      if (kind && names.length === 0)
        return doubt(name, "its access policy goes with it, and neither the plan nor the state names it");
      const holds = kind && containsPolicies(kind) && canBeFull(type, values);
      const contains = holds || names.some(mayContainGrants) || isContainer(type, values);
      return contains ? doubt(`what is in ${name}`, "and all in it with it") : [];
    });
  }

  /** It is not sure that the resource goes where only a dependency says so, or another spelling of the project. */
  private of({ old, wanted }: Task): Gone[] {
    return [old, wanted].flatMap((planned) => {
      if (!planned) return [];
      const gone = new Map<DeletedResource, boolean>();
      for (const within of prefixesOf(planned.resource)) {
        for (const { deleted, name } of this.byName.get(keyOfName(within)) ?? []) {
          if (name === within) gone.set(deleted, true);
          else if (!gone.has(deleted) && sameName(within, name)) gone.set(deleted, false);
        }
      }
      const stays = wanted?.resource !== undefined && (old === undefined || old.resource === wanted.resource);
      const sources = stays ? namedFrom(wanted.step, wanted.state).flatMap((urn) => this.byUrn.get(urn) ?? []) : [];
      for (const deleted of sources) if (!gone.has(deleted)) gone.set(deleted, false);
      return [...gone].map(([deleted, isSure]) => ({ planned, deleted, isSure }));
    });
  }
}

function deletedBy(step: Step, placesOf: (step: PlanStep) => Values): DeletedResource[] {
  const { op, urn, type, old, meaning, removal } = step;
  if (!old || removal === "never" || type.startsWith("pulumi:")) return [];
  if (sourceOfStaying(meaning, valuesOf(old)) !== undefined) return [];
  // A step on what means something itself is reviewed as such. The delete of a setting is not.
  const means = meaning.kinds.some(({ onlyUpdates, isSetting }) => !onlyUpdates && !isSetting);
  if (step.grant || (means && !meaning.resource && !hasAccessList(type))) return [];
  const provider = { type, ...(old.provider === undefined ? {} : { provider: old.provider }) };
  const places = placesOf(step);
  // The id of a Kubernetes object names the object, and not the resource in the cloud.
  const isOfConnector = connectorKindIn(type) !== undefined;
  const found = isOfConnector ? resourceIn(type, { inputs: {}, outputs: {} }) : resourceIn(type, old, places);
  const values = valuesOf(old);
  const ofProxy = iapNameOf(type, found?.name, { ...places, ...values });
  const kind = found && { kind: found.kind };
  return [
    {
      verb: op === "delete" ? "deletes" : "replaces",
      urn,
      provider,
      ...kind,
      values,
      names: [...namesOf(old, type, found?.name), ...(ofProxy === undefined ? [] : [ofProxy])],
    },
  ];
}

function valuesOf({ inputs, outputs }: PlannedState): Values {
  return { ...inputs, ...outputs };
}

/**
 * The names of a resource. A resource of an unknown type has its relative name in the id, the output `name` or the URL `selfLink`.
 *
 * @param full that its kind says
 */
function namesOf({ id = "", inputs, outputs }: PlannedState, type: string, full: string | undefined): string[] {
  const named = full === undefined ? undefined : (resourceOfGrant(ANY_MEMBER, full)?.resource ?? full);
  const names = [id, outputs.name, outputs.selfLink, inputs.name]
    .map((each) => nameInId(textOf(each)))
    .filter((name) => /^projects\/[^/]+(\/|$)/.test(name))
    .filter((name) => name.split("/").length > 2 || IS_PROJECT.test(type));
  return [...new Set(named === undefined || IS_PROJECT.test(type) ? names : [named, ...names])];
}

/** A name in which any project stands for its id and for its number. */
function keyOfName(name: string): string {
  return name.replace(/(^|\/)projects\/[^/]+/, "$1projects/-");
}

/** The names of a resource and of all that it is in. The same path can be of several APIs, except that of a project. */
function prefixesOf(resource: string | undefined): string[] {
  if (resource === undefined) return [];
  const host = /^\/\/[^/]+\//.exec(resource)?.[0] ?? "";
  const parts = resource.slice(host.length).split("/");
  const all = parts.map((_part, at) => host + parts.slice(0, at + 1).join("/"));
  return host !== "" && parts[0] === "projects" ? [...all, parts.slice(0, 2).join("/")] : all;
}

function isFull(name: string): boolean {
  return name.startsWith("//");
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

/** The policy of a resource, in the form in which it is looked up. The settings are those of its provider. */
function grantOfNobody({ urn, provider }: DeletedResource, name: string, token: string): PlannedGrant {
  return {
    state: { urn, type: token, inputs: {}, outputs: {} },
    step: { op: "delete", urn, ...provider, token, front: "plugin", identity: urn },
    resource: name,
    values: {},
    grants: [],
    hidden: new Map(),
  };
}
