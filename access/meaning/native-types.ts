import { tokenOf } from "../../provider/core/definition";
import { variablesIn } from "../../provider/core/reference";
import { policyKinds, type PolicyKind } from "../../provider/iam/kinds/kinds";
import { capitalized } from "../result/visible";
import type { GrantForm } from "./gcp-types";
import { ANY_MEMBER, GRANT_KINDS } from "./grant-kinds";

/** The types of google-native: grants, and resources with access policies. */

/** A grant of google-native. */
export interface NativeGrant {
  /** The token of the provider's own resource, as `Provider` takes it. */
  token: string;
  form: GrantForm;
  /** The kind of resource, if its grants have no type of their own here. */
  kind?: PolicyKind;
}

/** A type of google-native has its API, version and name: `google-native:healthcare/v1beta1:DatasetFhirStoreIamMember`. */
const NATIVE_TYPE = /^google-native:([^/:]+)\/[^/:]+:(\w+?)Iam(Member|Binding|Policy)$/;

/** Parts of a name that google-native's types leave out: `TopicIamMember` for `projects/{project}/topics/{topic}`. */
const PLACES = ["project", "location", "region", "zone"];

const grants = GRANT_KINDS.map(({ definition }) => definition);

/** A type of grant of any version of an API, because all versions have the same policies; undefined for all other types. */
export function nativeGrantOf(type: string): NativeGrant | undefined {
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

/** `DatasetFhirStore` for `projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStore}`. */
function nativeNameOf({ path: { template } }: PolicyKind): string {
  const variables = variablesIn(template);
  const own = variables.filter((name) => !PLACES.includes(name));
  return (own.length > 0 ? own : variables).map(capitalized).join("");
}
