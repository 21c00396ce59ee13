import { PACKAGE_NAME, tokenOf } from "../../provider/core/definition";
import { textOf } from "../../provider/core/unknown";
import { GRANT_KINDS, isGrant } from "./grant-kinds";
import type { PlanStep } from "./plan";

/** A step of a plan on a grant of an API that the provider knows. */
export interface GrantStep {
  step: PlanStep;
  /** The token of the provider's own resource, as `Provider` takes it. */
  token: string;
  /** The front that declared it: the plugin, the npm front, or the google-native provider. */
  front: "plugin" | "npm" | "google-native";
  /** Of google-native: its types for one member, for all members of a role, and for the whole policy. */
  nativeKind?: "member" | "binding" | "policy";
  /** The identity that the front gives to the provider: the URN for the plugin and google-native, `__identity` for npm. */
  identity: string;
}

const NPM_PREFIX = "pulumi-nodejs:dynamic/";
/** The package of google-native: the first part of its types, and the last part of the type of its providers. */
export const NATIVE = "google-native";
const NATIVE_KINDS = { IamMember: "member", IamBinding: "binding", IamPolicy: "policy" } as const;
/** A type of google-native has its API, version and name: `google-native:healthcare/v1beta1:DatasetFhirStoreIamMember`. */
const NATIVE_TYPE = /^google-native:([^/:]+)\/[^/:]+:(\w+?)(IamMember|IamBinding|IamPolicy)$/;

const grants = GRANT_KINDS.map(({ definition }) => definition);

/**
 * The step on a grant, or undefined for other steps. It accepts google-native's types of every version of an API, because all
 * versions have the same policies.
 */
export function grantStepOf(step: PlanStep): GrantStep | undefined {
  const { type, urn } = step;
  if (isGrant(type)) return { step, token: type, front: "plugin", identity: urn };
  if (type.startsWith(NPM_PREFIX)) {
    const token = `${PACKAGE_NAME}:${type.slice(NPM_PREFIX.length)}`;
    return isGrant(token) ? { step, token, front: "npm", identity: npmIdentityOf(step) } : undefined;
  }
  const native = nativeGrantOf(type);
  return native && { step, ...native, front: NATIVE, identity: urn };
}

/** The npm front keeps the identity of a resource among its inputs. */
function npmIdentityOf({ old, new: planned, urn }: PlanStep): string {
  return textOf(planned?.inputs.__identity) || textOf(old?.inputs.__identity) || urn;
}

function nativeGrantOf(type: string): (Pick<GrantStep, "token"> & Required<Pick<GrantStep, "nativeKind">>) | undefined {
  const [, api, resource, suffix] = NATIVE_TYPE.exec(type) ?? [];
  const definition = grants.find(({ service, name }) => service.api === api && name === `${resource}IamMember`);
  const nativeKind = Object.entries(NATIVE_KINDS).find(([each]) => each === suffix)?.[1];
  return definition && nativeKind && { token: tokenOf(definition), nativeKind };
}

/**
 * Whether the type is another provider's grant on a kind of resource whose grants this provider also has, so that what the review
 * predicts for the resource is incomplete without the step: `gcp:healthcare/fhirStoreIamMember:FhirStoreIamMember`.
 */
export function isGrantOfKnownKind(type: string): boolean {
  const [, api, resource] = /^gcp:([^/:]+)\/\w+:(\w+?)I(?:am|AM)(?:Member|Binding|Policy)$/.exec(type) ?? [];
  return grants.some(
    ({ service, name }) => resource !== undefined && service.api === api && name.endsWith(`${resource}IamMember`),
  );
}
