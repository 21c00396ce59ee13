import { PACKAGE_NAME, tokenOf } from "../../provider/core/definition";
import { variablesIn } from "../../provider/core/reference";
import { textOf } from "../../provider/core/unknown";
import { policyKinds, type PolicyKind } from "../../provider/iam/kinds/kinds";
import { ANY_MEMBER, GRANT_KINDS, grantKindOf, isGrant, isMemberGrant } from "./grant-kinds";
import { GCP, NATIVE, type OtherProvider } from "../result/packages";
import { gcpGrantOf, type GcpResourceName, type GrantForm } from "./gcp-types";
import { isOnComponent, type PlanStep } from "./plan";

/** A step of a plan on a grant of an API that the provider knows. */
export interface GrantStep {
  step: PlanStep;
  /** The token of the provider's own resource, as `Provider` takes it. */
  token: string;
  /** The front that declared it: the plugin, the npm front, or another provider. */
  front: "plugin" | "npm" | OtherProvider;
  /** Of another provider: its types for one member, for all members of a role, and for the whole policy. */
  form?: GrantForm;
  /** Of google-native: the kind of resource, if its grants have no type of their own here. */
  kind?: PolicyKind;
  /** Of `@pulumi/gcp`: how its inputs name the resource. */
  named?: GcpResourceName;
  /** The identity that the front gives to the provider: `__identity` for npm, the URN for the others. */
  identity: string;
}

const NPM_PREFIX = "pulumi-nodejs:dynamic/";
/** A type of google-native has its API, version and name: `google-native:healthcare/v1beta1:DatasetFhirStoreIamMember`. */
const NATIVE_TYPE = /^google-native:([^/:]+)\/[^/:]+:(\w+?)Iam(Member|Binding|Policy)$/;

/** Parts of a name that google-native's types leave out: `TopicIamMember` for `projects/{project}/topics/{topic}`. */
const PLACES = ["project", "location", "region", "zone"];

const grants = GRANT_KINDS.map(({ definition }) => definition);

/**
 * The step on a grant, or undefined for other steps. It accepts google-native's types of every version of an API, because all
 * versions have the same policies.
 */
export function grantStepOf(step: PlanStep): GrantStep | undefined {
  const { type, urn } = step;
  if (isOnComponent(step)) return undefined;
  if (isGrant(type)) return { step, token: type, front: "plugin", identity: urn };
  if (type.startsWith(NPM_PREFIX)) {
    const token = `${PACKAGE_NAME}:${type.slice(NPM_PREFIX.length)}`;
    return isGrant(token) ? { step, token, front: "npm", identity: npmIdentityOf(step) } : undefined;
  }
  const gcp = gcpGrantOf(type);
  if (gcp) return { step, token: ANY_MEMBER, form: gcp.form, named: gcp.name, front: GCP, identity: urn };
  const native = nativeGrantOf(type);
  return native && { step, ...native, front: NATIVE, identity: urn };
}

/** Whether `grantMode` decides what a grant does: not that of another provider, nor one that is added in each mode. */
export function hasGrantMode({ form, token }: GrantStep): boolean {
  return form === undefined && !grantKindOf(token).targets.alwaysMerges;
}

/** The npm front keeps the identity of a resource among its inputs. */
function npmIdentityOf({ old, new: planned, urn }: PlanStep): string {
  return textOf(planned?.inputs.__identity) || textOf(old?.inputs.__identity) || urn;
}

function nativeGrantOf(type: string): Pick<GrantStep, "token" | "form" | "kind"> | undefined {
  const [, api, resource, suffix] = NATIVE_TYPE.exec(type) ?? [];
  if (suffix === undefined) return undefined;
  const form = suffix.toLowerCase() as GrantForm;
  const definition = grants.find(({ service, name }) => service.api === api && name === `${resource}IamMember`);
  if (definition) return { token: tokenOf(definition), form };
  const kind = nativeKindNamed(api, resource);
  return kind && { token: ANY_MEMBER, form, kind };
}

/**
 * The kind of a type of resource of google-native: `google-native:pubsub/v1:Topic`. The types of resources have the name of the
 * last collection alone, those of grants have all: `spanner/v1:Database`, and `spanner/v1:InstanceDatabaseIamMember`.
 */
export function nativeKindOf(type: string): PolicyKind | undefined {
  const [, api, resource] = /^google-native:([^/:]+)\/[^/:]+:(\w+)$/.exec(type) ?? [];
  const ofApi = policyKinds().filter((each) => each.api === api);
  const isNamed = ({ path: { template } }: PolicyKind) => capitalized(variablesIn(template).at(-1) ?? "") === resource;
  return nativeKindNamed(api, resource) ?? ofApi.find(isNamed);
}

function nativeKindNamed(api: string | undefined, resource: string | undefined): PolicyKind | undefined {
  return api === undefined
    ? undefined
    : policyKinds().find((each) => each.api === api && nativeNameOf(each) === resource);
}

/** What a grant takes from everybody whom it does not name: nothing, its role under its condition, or the whole policy. */
export function ownershipOf({ form, token }: GrantStep): "nothing" | "role" | "policy" {
  if (form === "policy") return "policy";
  return (form === undefined ? isMemberGrant(token) : form === "member") ? "nothing" : "role";
}

/** `DatasetFhirStore` for `projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}`. */
function nativeNameOf({ path: { template } }: PolicyKind): string {
  const variables = variablesIn(template);
  const own = variables.filter((name) => !PLACES.includes(name));
  return (own.length > 0 ? own : variables).map(capitalized).join("");
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
