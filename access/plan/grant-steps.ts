import { PACKAGE_NAME } from "../../provider/core/definition";
import { textOf } from "../../provider/core/unknown";
import type { PolicyKind } from "../../provider/iam/kinds/kinds";
import { ANY_MEMBER, grantKindOf, isGrant, isMemberGrant } from "../meaning/grant-kinds";
import { GCP, NATIVE, type OtherProvider } from "../result/packages";
import { gcpGrantOf, type GcpResourceName, type GrantForm } from "../meaning/gcp-types";
import { nativeGrantOf } from "../meaning/native-types";
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

/** What a grant takes from everybody whom it does not name: nothing, its role under its condition, or the whole policy. */
export function ownershipOf({ form, token }: GrantStep): "nothing" | "role" | "policy" {
  if (form === "policy") return "policy";
  return (form === undefined ? isMemberGrant(token) : form === "member") ? "nothing" : "role";
}
