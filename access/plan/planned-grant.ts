import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { isPolicyPath, nameInId, normalName, variablesIn } from "../../provider/core/reference";
import { isRecord, listOf, filterProperties, textOf, type Values } from "../../provider/core/unknown";
import { grantsOf, type Binding, type Expr, type Grant } from "../../provider/iam/policy";
import { jsonIn } from "../../provider/core/json";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import { grantKindOf, resourceOfGrant } from "../meaning/grant-kinds";
import { grantStepOf, type GrantStep } from "./steps";
import { stepOn, type PlanStep } from "./plan";
import { losesGrantsNext } from "./removals";
import type { PlannedState } from "./planned-state";
import { hiddenReasonOf, type HiddenValues } from "./hidden-values";
import type { HiddenReason } from "../result/texts";
import { gcpGrantResource, namingInputs } from "../meaning/gcp-types";
import { grantsOfOther, type OtherGrant, type WholePolicy } from "./other-policy";

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
  /** What a resource of another provider declares. */
  other?: OtherGrant;
  /** The hidden inputs, with the reasons. */
  hidden: Map<string, HiddenReason>;
  /** Why the plan does not show the name of the resource, where it is hidden. */
  nameHidden?: HiddenReason;
}

/** The default project, region and zone of the provider of a step, for a grant that names none. */
export type DefaultsOf = (step: Pick<PlanStep, "provider" | "type">) => Values;

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
  { hidden: hiddenValues, defaultsOf }: { hidden: HiddenValues; defaultsOf: DefaultsOf },
): PlannedGrant {
  const { form } = grant;
  const { provider } = state;
  const step = provider === undefined ? grant : { ...grant, provider };
  const hidden = reasonsIn(given);
  const filled = hiddenValues.fill(owner, given);
  const { condition } = filled;
  const values = condition === undefined ? filled : { ...filled, condition: conditionOf(condition) };
  const resource = nameOf(step, state, given, defaultsOf);
  const nameHidden = namesIn(grant)
    .map((name) => hidden.get(name))
    .find((reason) => reason !== undefined);
  const known = { state, step, resource, values, hidden, ...(nameHidden === undefined ? {} : { nameHidden }) };
  if (form === undefined) return { ...known, grants: grantsIn(values) };
  const declared = otherGrant(form, values);
  const other = declared?.kind === "policy" ? { ...declared, ...deletedAs(grant, state) } : declared;
  return { ...known, grants: other ? grantsOfOther(other) : [], ...(other ? { other } : {}) };
}

/** URNs of the resources whose outputs are in the name of the resource of a grant. */
export function namedFrom(grant: GrantStep, { inputsFrom = {} }: PlannedState): string[] {
  return namesIn(grant).flatMap((name) => inputsFrom[name] ?? []);
}

/** The inputs that name the resource of a grant. */
export function namesIn({ token, named, kind }: GrantStep): string[] {
  if (kind) return ["name"];
  return named ? namingInputs(named) : [grantKindOf(token).targets.input];
}

/**
 * The properties of a resource that describe its grant.
 *
 * @param isOld whether it exists: then its outputs count, too.
 */
export function propertiesOf(
  { token, form, named }: GrantStep,
  { inputs, outputs }: PlannedState,
  isOld: boolean,
): Values {
  const { definition } = grantKindOf(token);
  const ofGcp = named && [...GRANTED_BY_GCP, ...namingInputs(named)];
  const isOwn = (name: string) => ofGcp?.includes(name) ?? Object.hasOwn(definition.inputs.shape, name);
  // google-native's outputs have the whole policy.
  if (form !== undefined && !ofGcp) return filterProperties(inputs, (name) => !name.startsWith("__"));
  return { ...filterProperties(inputs, isOwn), ...(isOld ? filterProperties(outputs, isOwn) : {}) };
}

const GRANTED_BY_GCP: readonly string[] = ["role", "member", "members", "condition", "policyData"];

/** The grants that a stack manages, by its state, with those that the next update is to delete. */
export function grantsOfState(
  state: readonly PlannedState[],
  known: { hidden: HiddenValues; defaultsOf: DefaultsOf },
): PlannedGrant[] {
  return state.flatMap((each) => {
    const isLeft = each.external || (each.delete && !losesGrantsNext(each));
    const grant = isLeft ? undefined : grantStepOf(stepOn(each, "same"));
    return grant ? [plannedGrant(grant, each, propertiesOf(grant, each, true), each.urn, known)] : [];
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

/** The name from the properties, from an id of another provider, or built from its properties for the parts of the name. */
function nameOf(
  { token, named: inGcp, kind, ...step }: GrantStep,
  { id }: PlannedState,
  given: Values,
  defaultsOf: DefaultsOf,
): string | undefined {
  if (inGcp) {
    const name = gcpGrantResource(inGcp, { id }, given, defaultsOf(step));
    return name === undefined ? undefined : resourceOfGrant(token, name)?.resource;
  }
  const { targets, template = kind?.path } = grantKindOf(token);
  const parts = template ? variablesIn(template.template) : [];
  const values = parts.map((part): [string, string] => [part, textOf(given[part]) || textOf(given[`${part}Id`])]);
  const named = [
    textOf(given[kind ? "name" : targets.input]),
    id !== undefined && isPolicyPath(id) ? nameInId(id) : "",
    template && values.every(([, value]) => value) ? template.format(Object.fromEntries(values)) : "",
  ];
  const spelled = (name: string) => (kind ? fullNameIn(kind.api, normalName(name.trim())) : normalName(name.trim()));
  const names = named.map((name) => (template && name !== "" ? spelled(name) : name));
  return names.map((name) => resourceOfGrant(token, name)?.resource).find((name) => name !== undefined);
}

/** The grants of one member, or of all members of a role. */
function grantsIn({ role, member, members = typeof member === "string" ? [member] : [], condition }: Values): Grant[] {
  return typeof role === "string" ? grantsOf({ bindings: [bindingOf({ role, members, condition })] }) : [];
}

function otherGrant(kind: NonNullable<GrantStep["form"]>, values: Values): OtherGrant | undefined {
  if (kind === "member") {
    const [grant] = grantsIn({ ...values, members: undefined });
    return grant && { kind, grant };
  }
  if (kind === "binding") {
    return values.role === undefined || values.members === undefined ? undefined : { kind, binding: bindingOf(values) };
  }
  const policy = values.policyData === undefined ? values : jsonIn(textOf(values.policyData));
  // A hidden text or list is a single placeholder. Then the policy is unknown.
  if (!isRecord(policy) || (policy.bindings !== undefined && !Array.isArray(policy.bindings))) return undefined;
  return {
    kind,
    bindings: listOf(policy.bindings).filter(isRecord).map(bindingOf),
    ...(policy.auditConfigs === undefined ? {} : { auditConfigs: listOf(policy.auditConfigs) }),
  };
}

/** How `@pulumi/gcp` deletes a policy. */
function deletedAs({ named }: GrantStep, { outputs }: PlannedState): Pick<WholePolicy, "etag" | "isOfProject"> {
  if (!named) return {};
  if (named.api === RESOURCE_MANAGER.api && /^projects\/\{\w+\}$/.test(named.template)) return { isOfProject: true };
  const etag = textOf(outputs.etag);
  return etag === "" ? {} : { etag };
}

/** The role, the members and the condition in the properties of a grant. */
function bindingOf({ role, members, condition }: Values): Binding {
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
