import { PACKAGE_NAME } from "../../provider/core/definition";
import { propertyOf } from "../../provider/core/field";
import { digest, grantName, withLetterFirst } from "../../provider/core/program-name";
import { grantId, grantsWithId } from "../../provider/iam/grant-id";
import { sameGrant } from "../../provider/iam/policy";
import { matchesGlob } from "../result/glob";
import { matches } from "../gate/matches";
import { namesOf } from "../gate/resource-names";
import { policyGrant } from "../result/grants";
import { isHidden } from "../result/texts";
import { GCP } from "../result/packages";
import { memberGrantOn, resourceNamed, type GrantKind } from "../meaning/grant-kinds";
import { groupedBy } from "../result/order";
import { shortNameOf } from "../result/urn";
import type { PlannedState } from "../plan/planned-state";
import type { ReviewedGrant, ReviewedResource } from "../result/result";
import { mapBounded } from "../live/reads";
import type { StackNow } from "../live/stack-now";
import { ASSOCIATION, associationService, associationsIn } from "./associations";
import type { AdoptAs, Adoption, ImportedResource } from "./stack-files";
import { StackProviders } from "./stack-providers";
import { principalText } from "../result/sentences";
import { counted, oneLine } from "../result/visible";

export interface Adoptable {
  /** The resources of the answer about the stack. */
  resources: readonly ReviewedResource[];
  /** The resources of the stack's export. */
  state: readonly PlannedState[];
  /** Those of the state. */
  providers: StackProviders;
  /** Names of associations, whether the stack has them or not. */
  associations: readonly string[];
  /** The provider whose types the grants get. @default that with which the stack declares grants on the resource */
  as?: AdoptAs | undefined;
  /** Patterns: a grant is chosen if one of them matches its principal, role or resource. Empty: all are chosen. */
  only: readonly string[];
}

/** A resource of the file. Its endpoint distinguishes it from a resource of the same name in another cloud. */
type Adopted = ImportedResource & { endpoint: string | undefined };

/**
 * The import file of a stack, for what it does not manage of these resources.
 *
 * @param locations whose associations are adopted, too
 */
export async function adoptionFor(
  stack: StackNow,
  resources: readonly ReviewedResource[],
  { locations, only, as }: Pick<Adoptable, "only" | "as"> & { locations: readonly string[] },
): Promise<Adoption> {
  const { state, clouds } = stack;
  const providers = StackProviders.of(stack);
  const warnings: string[] = [];
  const found = await mapBounded(locations, (location) => {
    const cloud = clouds.of(providers.associationBeside(`${location}/`));
    return associationsIn(location, cloud.client(associationService), (sentence) => warnings.push(sentence));
  });
  const { file, leftOut } = adoptionOf({ resources, state, providers, associations: found.flat(), only, as });
  return { file, leftOut: [...warnings, ...leftOut] };
}

/** The import file of the unmanaged grants of an answer, and of the associations that the stack does not have. */
export function adoptionOf({ resources, state, providers, associations, only, as }: Adoptable): Adoption {
  const chosen = resources
    .filter(({ ofStack }) => ofStack !== false)
    .flatMap((resource) =>
      resource.unmanaged
        .filter((grant) => isChosen(only, resource, grant))
        .map((grant) => ({ ...candidateOf(resource, grant), grant, resource })),
    );
  const leftOut: string[] = [];
  const ofNpm = { grants: 0, associations: 0 };
  let ofReplace = 0;
  const adopted: Adopted[] = [];
  for (const { kind, id, problem, grant, resource } of chosen) {
    const provider = kind && providers.of(resource);
    const gcp = as === PACKAGE_NAME ? undefined : providers.ofGcp(resource);
    const owner = providers.ownerOf(resource, grant);
    if (owner) leftOut.push(refusal(resource, grant, owner.delete ? OF_THE_DELETED : OF_A_BINDING));
    else if (!kind) leftOut.push(refusal(resource, grant, problem));
    else if (as === GCP && !gcp) leftOut.push(refusal(resource, grant, NOT_OF_GCP));
    else if (gcp) {
      const { principal, role, condition } = grant;
      // The id for an import has blanks between the parts, of which the first is the name as the provider writes it.
      const parts = [gcp.within, role, principal, ...(condition ? [condition.title] : [])];
      const { endpoint } = resource;
      adopted.push({ ...gcp.entry, name: nameOf(resource.resource, grant), id: parts.join(" "), endpoint });
    } else if (provider === "npm front") ofNpm.grants += 1;
    else if (!kind.targets.alwaysMerges && providers.replacesPolicyOf(resource)) ofReplace += 1;
    else {
      const { endpoint } = resource;
      adopted.push({ type: kind.token, name: nameOf(resource.resource, grant), id, ...provider, endpoint });
    }
  }
  for (const name of associations) {
    if (providers.has(name) || (only.length > 0 && !only.some((pattern) => matchesGlob(pattern, name)))) continue;
    const id = name.split("/").at(-1) ?? "";
    const provider = providers.ofAssociations(name);
    if (provider === "npm front") ofNpm.associations += 1;
    else
      adopted.push({ type: ASSOCIATION, name: withLetterFirst(name, id), id: name, ...provider, endpoint: undefined });
  }
  leftOut.push(...refusalsOfNpm(ofNpm), ...refusalsOfReplace(ofReplace));
  const taken = groupedBy(
    [...adopted.map(({ name }) => name), ...state.map(({ urn }) => shortNameOf(urn))],
    (name) => name,
  );
  const unique = adopted.map(({ endpoint = "", ...each }) => {
    return (taken.get(each.name) ?? []).length > 1
      ? { ...each, name: `${each.name}-${digest(endpoint + each.id)}` }
      : each;
  });
  return { file: { nameTable: providers.table, resources: unique }, leftOut };
}

const NOT_OF_GCP = "the stack does not declare the grants of this resource with @pulumi/gcp alone";
const OF_THE_DELETED = "a binding of the stack owns the role under this condition, and the next update is to delete it";
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

/** One sentence for all, because one setting is the reason. */
function refusalsOfReplace(grants: number): string[] {
  if (grants === 0) return [];
  return [
    `${counted(grants, "unmanaged grant")} ${grants === 1 ? "is" : "are"} left out: with the grant mode replace, one grant of the ` +
      "stack is the whole policy of its resource, and a preview refuses a second one. Set the provider's grantMode to merge first " +
      "(pulumi config set perimeter:grantMode merge; for an explicit provider in the program, then pulumi up), and run this again",
  ];
}

function isChosen(only: readonly string[], resource: ReviewedResource, { principal, role }: ReviewedGrant): boolean {
  if (only.length === 0) return true;
  const subject = { principal, role, resource: resource.resource, ...namesOf(resource) };
  return only.some((pattern) =>
    [{ principals: [pattern] }, { roles: [pattern] }, { resources: [pattern] }].some((each) => matches(each, subject)),
  );
}

type Candidate =
  { kind: GrantKind; id: string; problem?: undefined } | { kind?: undefined; id?: undefined; problem: string };

/** The grant as the provider's resource, with the id that imports it; or the reason why it cannot be imported. */
function candidateOf(resource: ReviewedResource, { principal, role, condition, hidden }: ReviewedGrant): Candidate {
  const name = resource.resource;
  if (hidden !== undefined || isHidden(name)) return { problem: "the stack keeps a value of it secret" };
  const kind = memberGrantOn(resourceNamed(name));
  const { targets } = kind;
  const values = { [targets.input]: name, role, member: principal, ...(condition ? { condition } : {}) };
  const problem = Object.entries(values)
    .map(([property, value]) => {
      const issue = propertyOf(kind.definition.inputs, property)?.safeParse(value).error?.issues[0];
      return issue && `${[property, ...issue.path].join(".")} ${issue.message}`;
    })
    .find(Boolean);
  if (problem !== undefined) return { problem };
  const grant = policyGrant({ principal, role, ...(condition ? { condition } : {}) });
  const id = grantId(name, grant);
  const bindings = resource.after ?? [];
  const found = targets.inId(id)?.name === name ? grantsWithId(name, { bindings }, id) : [];
  // The parts of an id are not quoted, so two grants may have the same id.
  if (found.length === 0 || found.some((each) => !sameGrant(each, grant))) {
    return {
      problem:
        "the title of its condition does not tell it from the other grants in an import id; give the condition another title",
    };
  }
  return { kind, id };
}

function refusal({ resource }: ReviewedResource, { principal, role }: ReviewedGrant, problem: string): string {
  return oneLine(`${principalText(principal)} ${role} on ${resource} is left out: ${problem}`);
}

function nameOf(resource: string, { principal, ...grant }: ReviewedGrant): string {
  return grantName(resource, { ...grant, member: principal });
}
