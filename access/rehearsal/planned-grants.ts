import { isPolicyPath, nameInId, normalName, type NameTemplate } from "../../provider/core/reference";
import { containsUnknown, isRecord, listOf, textOf, type Values } from "../../provider/core/unknown";
import { grantsOf, type Binding, type Expr, type Grant } from "../../provider/iam/policy";
import { grantKindOf } from "../plan/grant-kinds";
import type { GrantStep } from "../plan/grant-steps";
import { containsSecret } from "../plan/plan-values";
import type { PlannedState } from "../plan/planned-state";
import type { HiddenReason, HiddenValues } from "./hidden-values";
import { grantsOfNative, type NativeGrant } from "./native-policy";

/** What a resource of a plan grants, and on what, as far as the plan says it. */
export interface PlannedGrants {
  /** Relative name of the resource whose policy it is in; undefined where the plan does not say. */
  resource: string | undefined;
  /** The properties of the resource, with a stand-in for each that is hidden. */
  values: Values;
  /** Empty where the state does not say what it grants. */
  grants: Grant[];
  native?: NativeGrant;
  /** The inputs that the plan hides, and why. */
  hidden: Map<string, HiddenReason>;
}

/**
 * Reads what one side of a step grants.
 *
 * @param given inputs of a resource to be; inputs and outputs of one that is.
 * @param owner tells the hidden values of this side from those of others.
 */
export function plannedGrants(
  { token, nativeKind }: GrantStep,
  state: PlannedState,
  given: Values,
  owner: string,
  hiddenValues: HiddenValues,
): PlannedGrants {
  const { template } = grantKindOf(token);
  const hidden = reasonsIn(given);
  const filled = hiddenValues.fill(owner, given);
  const { condition } = filled;
  const values = condition === undefined ? filled : { ...filled, condition: conditionOf(condition) };
  const resource = nameOf(state, given, template);
  if (nativeKind === undefined) return { resource, values, grants: memberGrant(values), hidden };
  const native = nativeGrant(nativeKind, values);
  return { resource, values, grants: native ? grantsOfNative(native) : [], hidden, ...(native ? { native } : {}) };
}

function reasonsIn(values: Values): Map<string, HiddenReason> {
  const reasons = new Map<string, HiddenReason>();
  for (const [name, value] of Object.entries(values)) {
    if (containsSecret(value)) reasons.set(name, "secret");
    else if (containsUnknown(value)) reasons.set(name, "known after the update");
  }
  return reasons;
}

/** The name among the properties, in an id of google-native, or made of google-native's properties for its parts. */
function nameOf({ id }: PlannedState, given: Values, template: NameTemplate): string | undefined {
  const parts = template.template.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const values = parts.map((part): [string, string] => [part, textOf(given[part]) || textOf(given[`${part}Id`])]);
  const named = [
    textOf(given.name),
    id !== undefined && isPolicyPath(id) ? nameInId(id) : "",
    values.every(([, value]) => value) ? template.format(Object.fromEntries(values)) : "",
  ];
  return named.map((name) => normalName(name.trim())).find((name) => template.parse(name));
}

function memberGrant({ role, member, condition }: Values): Grant[] {
  if (typeof role !== "string" || typeof member !== "string") return [];
  const [grant] = grantsOf({ bindings: [bindingOf({ role, members: [member], condition })] });
  return grant ? [grant] : [];
}

function nativeGrant(kind: NonNullable<GrantStep["nativeKind"]>, values: Values): NativeGrant | undefined {
  if (kind === "member") {
    const [grant] = memberGrant(values);
    return grant && { kind, grant };
  }
  if (kind === "binding") {
    return values.role === undefined || values.members === undefined ? undefined : { kind, binding: bindingOf(values) };
  }
  // A hidden list is one stand-in, which is no list: then nothing is known of the policy.
  if (values.bindings !== undefined && !Array.isArray(values.bindings)) return undefined;
  return { kind, bindings: listOf(values.bindings).filter(isRecord).map(bindingOf) };
}

function bindingOf({ role, members, condition }: Values): Binding {
  const names = typeof members === "string" ? [members] : listOf(members).map(textOf);
  return {
    role: textOf(role),
    members: names.filter((each) => each !== ""),
    ...(condition === undefined ? {} : { condition: conditionOf(condition) }),
  };
}

/** A condition that is hidden as a whole is a text. */
function conditionOf(value: unknown): Expr {
  if (!isRecord(value)) return { title: textOf(value), expression: textOf(value) };
  const { title, description, expression } = value;
  return {
    title: textOf(title),
    expression: textOf(expression),
    ...(textOf(description) ? { description: textOf(description) } : {}),
  };
}
