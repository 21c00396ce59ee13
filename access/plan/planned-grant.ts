import { isPolicyPath, nameInId, normalName } from "../../provider/core/reference";
import { isRecord, listOf, textOf, type Values } from "../../provider/core/unknown";
import { grantsOf, type Binding, type Expr, type Grant } from "../../provider/iam/policy";
import { grantKindOf, resourceOfGrant } from "./grant-kinds";
import { grantStepOf, type GrantStep } from "./grant-steps";
import { stepOn } from "./plan";
import type { PlannedState } from "./planned-state";
import { hiddenReasonOf, type HiddenValues } from "./hidden-values";
import type { HiddenReason } from "../result/texts";
import { grantsOfNative, type NativeGrant } from "./native-policy";

/** A resource of the plan that grants access, before or after the update: what it grants and where, as far as this is known. */
export interface PlannedGrant {
  state: PlannedState;
  /** The step, with the provider of this grant: a replacement may move to another one. */
  step: GrantStep;
  /** The resource with the policy, by its name in answers; undefined when the plan does not show it. */
  resource: string | undefined;
  /** The properties of the resource, with placeholders for hidden ones. */
  values: Values;
  /** Empty when the state does not show the grants. */
  grants: Grant[];
  native?: NativeGrant;
  /** The hidden inputs, with the reasons. */
  hidden: Map<string, HiddenReason>;
}

/**
 * Reads the grant of a step, before or after the update.
 *
 * @param given the inputs of a future resource, or the inputs and outputs of an existing one.
 * @param owner distinguishes the hidden values of this grant from those of others.
 */
export function plannedGrant(
  grant: GrantStep,
  state: PlannedState,
  given: Values,
  owner: string,
  hiddenValues: HiddenValues,
): PlannedGrant {
  const { token, nativeKind } = grant;
  const { provider } = state;
  const step = provider === undefined ? grant : { ...grant, step: { ...grant.step, provider } };
  const hidden = reasonsIn(given);
  const filled = hiddenValues.fill(owner, given);
  const { condition } = filled;
  const values = condition === undefined ? filled : { ...filled, condition: conditionOf(condition) };
  const known = { state, step, resource: nameOf(state, given, token), values, hidden };
  if (nativeKind === undefined) return { ...known, grants: ownGrants(values) };
  const native = nativeGrant(nativeKind, values);
  return { ...known, grants: native ? grantsOfNative(native) : [], ...(native ? { native } : {}) };
}

/**
 * The properties of a resource that describe its grant.
 *
 * @param isOld whether it exists: then its outputs count, too.
 */
export function propertiesOf(
  { token, nativeKind }: GrantStep,
  { inputs, outputs }: PlannedState,
  isOld: boolean,
): Values {
  const { definition } = grantKindOf(token);
  const isOwn = (name: string) => Object.hasOwn(definition.inputs.shape, name);
  return nativeKind === undefined
    ? { ...picked(inputs, isOwn), ...(isOld ? picked(outputs, isOwn) : {}) }
    : picked(inputs, (name) => !name.startsWith("__"));
}

function picked(values: Values, isWanted: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}

/** The grants that a stack manages, by its state. */
export function grantsOfState(state: readonly PlannedState[], hidden: HiddenValues): PlannedGrant[] {
  return state.flatMap((each) => {
    const grant = each.delete || each.external ? undefined : grantStepOf(stepOn(each, "same"));
    return grant ? [plannedGrant(grant, each, propertiesOf(grant, each, true), each.urn, hidden)] : [];
  });
}

function reasonsIn(values: Values): Map<string, HiddenReason> {
  const reasons = new Map<string, HiddenReason>();
  for (const [name, value] of Object.entries(values)) {
    const reason = hiddenReasonOf(value);
    if (reason !== undefined) reasons.set(name, reason);
  }
  return reasons;
}

/** The name from the properties, from an id of google-native, or built from google-native's properties for its parts. */
function nameOf({ id }: PlannedState, given: Values, token: string): string | undefined {
  const { targets, template } = grantKindOf(token);
  const parts = template?.template.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const values = parts.map((part): [string, string] => [part, textOf(given[part]) || textOf(given[`${part}Id`])]);
  const named = [
    textOf(given[targets.input]),
    id !== undefined && isPolicyPath(id) ? nameInId(id) : "",
    template && values.every(([, value]) => value) ? template.format(Object.fromEntries(values)) : "",
  ];
  const names = named.map((name) => (template ? normalName(name.trim()) : name));
  return names.map((name) => resourceOfGrant(token, name)?.resource).find((name) => name !== undefined);
}

/** The grants of a resource of this provider: of one member, or of all members of a role. */
function ownGrants(values: Values): Grant[] {
  if (values.members === undefined) return memberGrant(values);
  return typeof values.role === "string" ? grantsOf({ bindings: [bindingOf(values)] }) : [];
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
  // A hidden list is a single placeholder and not a list. Then the policy is unknown.
  if (values.bindings !== undefined && !Array.isArray(values.bindings)) return undefined;
  return { kind, bindings: listOf(values.bindings).filter(isRecord).map(bindingOf) };
}

/** The role, the members and the condition in the properties of a grant. */
export function bindingOf({ role, members, condition }: Values): Binding {
  const names = typeof members === "string" ? [members] : listOf(members).map(textOf);
  return {
    role: textOf(role),
    members: names.filter((each) => each !== ""),
    ...(condition === undefined ? {} : { condition: conditionOf(condition) }),
  };
}

/** A completely hidden condition is a text. */
function conditionOf(value: unknown): Expr {
  if (!isRecord(value)) return { title: textOf(value), expression: textOf(value) };
  const { title, description, expression } = value;
  return {
    title: textOf(title),
    expression: textOf(expression),
    ...(textOf(description) ? { description: textOf(description) } : {}),
  };
}
