import { createHash } from "node:crypto";
import { propertyOf } from "../../provider/core/field";
import { normalName } from "../../provider/core/reference";
import { textOf } from "../../provider/core/unknown";
import { grantId, grantsWithId, resourceOfGrantId } from "../../provider/iam/grant-id";
import { bindingKey, sameGrant, type Grant } from "../../provider/iam/policy";
import { matchesGlob } from "../gate/glob";
import { matches } from "../gate/matches";
import { isHidden } from "../hidden-values";
import { GRANT_KINDS, isMemberGrant, type GrantKind } from "../plan/grant-kinds";
import { grantStepOf, type GrantStep } from "../plan/grant-steps";
import type { PlannedState } from "../plan/planned-state";
import { isDefaultProvider, urnOf } from "../plan/provider-settings";
import { bindingOf } from "../rehearsal/planned-grant";
import type { ReviewedGrant, ReviewedResource } from "../result";
import { ASSOCIATION } from "./associations";
import type { Adoption, ImportedResource } from "./stack-files";
import { counted, oneLine } from "../visible";

export interface Adoptable {
  /** The resources of the answer about the stack. */
  resources: readonly ReviewedResource[];
  /** The resources of the stack's export. */
  state: readonly PlannedState[];
  /** Names of associations, whether the stack has them or not. */
  associations: readonly string[];
  /** Patterns: a grant is chosen if one of them matches its principal, role or resource. Empty: all are chosen. */
  only: readonly string[];
}

/** The import file of the unmanaged grants of an answer, and of the associations that the stack does not have. */
export function adoptionOf({ resources, state, associations, only }: Adoptable): Adoption {
  const chosen = resources.flatMap((resource) =>
    resource.unmanaged
      .filter((grant) => isChosen(only, resource, grant))
      .map((grant) => ({ ...candidateOf(resource, grant), grant, resource })),
  );
  const providers = new StackProviders(state);
  const leftOut: string[] = [];
  const ofNpm = { grants: 0, associations: 0 };
  const adopted: ImportedResource[] = [];
  for (const { kind, id, problem, grant, resource } of chosen) {
    const provider = kind && providers.of(resource.resource);
    if (providers.ownsRole(resource.resource, grant)) leftOut.push(refusal(resource, grant, OF_A_BINDING));
    else if (!kind) leftOut.push(refusal(resource, grant, problem));
    else if (provider === "npm front") ofNpm.grants += 1;
    else adopted.push({ type: kind.token, name: nameOf(resource.resource, grant), id, ...provider });
  }
  for (const name of associations) {
    if (providers.has(name) || (only.length > 0 && !only.some((pattern) => matchesGlob(pattern, name)))) continue;
    const id = name.split("/").at(-1) ?? "";
    const provider = providers.ofAssociations(name);
    if (provider === "npm front") ofNpm.associations += 1;
    else adopted.push({ type: ASSOCIATION, name: withLetterFirst(name, id), id: name, ...provider });
  }
  leftOut.push(...refusalsOfNpm(ofNpm));
  const taken = [...adopted.map(({ name }) => name), ...state.map(({ urn }) => urn.split("::").at(-1) ?? "")];
  const unique = adopted.map((each) => {
    const isTaken = taken.filter((name) => name === each.name).length > 1;
    return isTaken ? { ...each, name: `${each.name}-${digest(each.id)}` } : each;
  });
  return { file: { nameTable: providers.table, resources: unique }, leftOut };
}

const OF_A_BINDING = "a binding of the stack owns the role under this condition: add the member to its `members`";

/** One sentence for all, because the reason is the stack's. */
function refusalsOfNpm({ grants, associations }: Record<"grants" | "associations", number>): string[] {
  const all = [
    ...(grants > 0 ? [counted(grants, "unmanaged grant")] : []),
    ...(associations > 0 ? [counted(associations, "association")] : []),
  ];
  if (all.length === 0) return [];
  const isOne = grants + associations === 1;
  return [
    `${all.join(" and ")} ${isOne ? "is" : "are"} left out: the stack declares such resources with the npm package, and Pulumi ` +
      "imports resources of the plugin only. Move the stack to the plugin first (docs/fronts.md)" +
      (grants > 0 ? ", or declare the grants in the program with the grant mode merge" : ""),
  ];
}

function isChosen(
  only: readonly string[],
  { resource }: ReviewedResource,
  { principal, role }: ReviewedGrant,
): boolean {
  if (only.length === 0) return true;
  const subject = { principal, role, resource };
  return only.some((pattern) =>
    [{ principals: [pattern] }, { roles: [pattern] }, { resources: [pattern] }].some((each) => matches(each, subject)),
  );
}

type Candidate =
  { kind: GrantKind; id: string; problem?: undefined } | { kind?: undefined; id?: undefined; problem: string };

/** The grant as the provider's resource, with the id that imports it; or the reason why it cannot be imported. */
function candidateOf(resource: ReviewedResource, { principal, role, condition, hidden }: ReviewedGrant): Candidate {
  const name = resource.resource;
  const kind = GRANT_KINDS.find(
    ({ reference, token }) =>
      isMemberGrant(token) && reference.api === resource.api && reference.templates.some((each) => each.parse(name)),
  );
  if (hidden !== undefined || isHidden(name)) return { problem: "the stack keeps a value of it secret" };
  if (!kind) return { problem: "no resource of the provider grants access to it" };
  const values = { name, role, member: principal, ...(condition ? { condition } : {}) };
  const problem = Object.entries(values)
    .map(([property, value]) => {
      const issue = propertyOf(kind.definition.inputs, property)?.safeParse(value).error?.issues[0];
      return issue && `${[property, ...issue.path].join(".")} ${issue.message}`;
    })
    .find(Boolean);
  if (problem !== undefined) return { problem };
  const grant: Grant = { role, member: principal, ...(condition ? { condition } : {}) };
  const id = grantId(name, grant);
  const bindings = resource.after ?? [];
  const found = resourceOfGrantId(kind.template, id) === name ? grantsWithId(name, { bindings }, id) : [];
  // The parts of an id are not quoted, so two grants may have the same id.
  if (found.length === 0 || found.some((each) => !sameGrant(each, grant))) {
    return { problem: "its id would not name exactly this grant" };
  }
  return { kind, id };
}

function refusal({ resource }: ReviewedResource, { principal, role }: ReviewedGrant, problem: string): string {
  return oneLine(`${principal} ${role} on ${resource} is left out: ${problem}`);
}

/** Returns a name such as `records-fhirResourceReader-ada-example-com`. It depends on the grant alone, so it never changes. */
function nameOf(resource: string, { principal, role, condition }: ReviewedGrant): string {
  const shortRole = role.split("/").at(-1)?.split(".").at(-1) ?? role;
  const identity = principal.replace(/^(?:\w+:)?(?:\/\/)?/, "");
  const parts = [resource.split("/").at(-1) ?? "", shortRole, identity, condition?.title ?? ""]
    .map((part) => part.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, ""))
    .filter((part) => part !== "");
  return withLetterFirst(resource, parts.join("-"));
}

/** Pulumi generates a variable of this name, and a wrong program where it begins with a digit: `fhirStore-7-days-…`. */
function withLetterFirst(resource: string, name: string): string {
  const collection = resource.split("/").at(-2) ?? "";
  return /^\d/.test(name) ? `${collection.replace(/s$/, "")}-${name}` : name;
}

function digest(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 8);
}

const NPM_ASSOCIATION = ASSOCIATION.replace(/^perimeter:/, "pulumi-nodejs:dynamic/");

type ProviderEntry = Pick<ImportedResource, "provider" | "version" | "pluginDownloadUrl">;

/** The providers with which a stack declares its resources. */
export class StackProviders {
  readonly table: Record<string, string> = {};
  private readonly grants: readonly (GrantStep & { state: PlannedState })[];
  private readonly state: readonly PlannedState[];

  constructor(state: readonly PlannedState[]) {
    this.state = state.filter((each) => !each.delete && !each.external);
    this.grants = this.state.flatMap((each) => {
      const grant = grantStepOf({ ...each, op: "same", old: each });
      return grant ? [{ ...grant, state: each }] : [];
    });
  }

  /** The provider of the first grant of the stack on the resource, as an entry of the file names it. */
  of(resource: string): ProviderEntry | "npm front" {
    const on = this.grantsOn(resource);
    const own = on.find(({ front }) => front === "plugin");
    if (!own && on.some(({ front }) => front === "npm")) return "npm front";
    return this.entryOf(own?.state.provider);
  }

  /** Whether a binding of the stack owns the role under the condition of a grant. */
  ownsRole(resource: string, { role, condition }: ReviewedGrant): boolean {
    const wanted = bindingKey({ role, ...(condition ? { condition } : {}) });
    return this.grantsOn(resource).some(
      ({ token, state }) => !isMemberGrant(token) && bindingKey(bindingOf(state.inputs)) === wanted,
    );
  }

  private grantsOn(resource: string): readonly (GrantStep & { state: PlannedState })[] {
    return this.grants.filter(({ state }) => normalName(textOf(state.inputs.name)) === resource);
  }

  /**
   * The provider of the stack's associations: of one in the same location, or else of any. Without one, it is the default
   * provider of the stack's grants, because the version of the plugin is the program's.
   */
  ofAssociations(name: string): ProviderEntry | "npm front" {
    const beside = this.associationBeside(name);
    if (beside) return this.entryOf(beside.provider);
    const ofPlugin = this.grants.filter(({ front }) => front === "plugin");
    const isOfNpm = this.associations.length > 0 || this.grants.some(({ front }) => front === "npm");
    if (isOfNpm && ofPlugin.length === 0) return "npm front";
    return this.entryOf(ofPlugin.map(({ state }) => state.provider).find((each) => this.isDefault(each)));
  }

  /** An association of the stack: one in the same location, if there is one. */
  associationBeside(name: string): PlannedState | undefined {
    const all = this.state.filter(({ type }) => type === ASSOCIATION);
    const location = name.split("/").slice(0, 4).join("/");
    return all.find(({ id }) => id?.startsWith(`${location}/`)) ?? all[0];
  }

  /** The stack's associations. */
  get associations(): PlannedState[] {
    return this.state.filter(({ type }) => type === ASSOCIATION || type === NPM_ASSOCIATION);
  }

  /** The first grant of the stack on a resource. */
  grantOn(resource: string): PlannedState | undefined {
    return this.grantsOn(resource)[0]?.state;
  }

  /** Whether the stack has a resource of this name. */
  has(name: string): boolean {
    return this.state.some(({ id }) => id === name);
  }

  private isDefault(reference: string | undefined): boolean {
    const provider = this.providerOf(reference);
    return provider !== undefined && isDefaultProvider(provider);
  }

  private providerOf(reference: string | undefined): PlannedState | undefined {
    const urn = reference === undefined ? undefined : urnOf(reference);
    return this.state.find((each) => each.urn === urn);
  }

  private entryOf(reference: string | undefined): ProviderEntry {
    const provider = this.providerOf(reference);
    if (!provider) return {};
    if (!isDefaultProvider(provider)) return { provider: this.nameIn(provider.urn) };
    // The engine has a default provider for each version and address of the plugin.
    const { version, pluginDownloadURL } = provider.inputs;
    return {
      ...(typeof version === "string" ? { version } : {}),
      ...(typeof pluginDownloadURL === "string" ? { pluginDownloadUrl: pluginDownloadURL } : {}),
    };
  }

  private nameIn(urn: string): string {
    const known = Object.entries(this.table).find(([, each]) => each === urn)?.[0];
    if (known !== undefined) return known;
    const name = urn.split("::").at(-1) ?? "";
    const free = Object.hasOwn(this.table, name) ? `${name}-${digest(urn)}` : name;
    this.table[free] = urn;
    return free;
  }
}
