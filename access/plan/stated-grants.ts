import { jsonIn } from "../../provider/core/json";
import { isRecord, listOf, textOf, type Values } from "../../provider/core/unknown";
import { hiddenReasonOf, shownText } from "./hidden-values";
import type { ReviewedGrant } from "../result/result";

/**
 * The grants that the inputs of another provider's resource state: `role` with `member` or `members`, a whole policy
 * (`policyData`, `bindings`), or entries of an access list. Empty where the inputs state none, such as those of a custom role.
 */
export function statedGrants(inputs: Values): ReviewedGrant[] {
  const { role, policyData, bindings, roleEntities } = inputs;
  if (policyData !== undefined) return ofPolicy(policyData);
  if (bindings !== undefined) return listOf(bindings).flatMap(ofBinding);
  if (roleEntities !== undefined) return listOf(roleEntities).map(ofRoleEntity);
  const entries = ["accesses", "access", "acl"].flatMap((name) => listOf(inputs[name]));
  if (entries.length > 0) return entries.flatMap((each) => (isRecord(each) ? ofEntry(each) : []));
  return role === undefined ? [] : [...ofBinding(inputs), ...ofEntry(inputs)];
}

function ofPolicy(data: unknown): ReviewedGrant[] {
  if (hiddenReasonOf(data) !== undefined) return [grant(data, data, undefined)];
  const policy = typeof data === "string" ? jsonIn(data) : data;
  return isRecord(policy) ? listOf(policy.bindings).flatMap(ofBinding) : [];
}

function ofBinding(binding: unknown): ReviewedGrant[] {
  if (!isRecord(binding)) return [];
  const { role, member, members, condition } = binding;
  const all =
    members === undefined ? (member === undefined ? [] : [member]) : Array.isArray(members) ? members : [members];
  return all.map((each) => grant(each, role, condition));
}

/** The inputs of an entry of an access list that name somebody, with the beginning of the member. */
const ENTITIES: Readonly<Record<string, string>> = {
  userByEmail: "user:",
  groupByEmail: "group:",
  domain: "domain:",
  specialGroup: "",
  iamMember: "",
  entity: "",
};

function ofEntry(entry: Values): ReviewedGrant[] {
  return Object.entries(ENTITIES).flatMap(([name, prefix]) => {
    const named = entry[name];
    if (named === undefined) return [];
    return [grant(typeof named === "string" ? memberOf(prefix + named) : named, entry.role, entry.condition)];
  });
}

/** `READER:user-ada@example.com`, of an access control list. */
function ofRoleEntity(text: unknown): ReviewedGrant {
  const [, role, entity] = /^([^:]+):(.+)$/.exec(textOf(text)) ?? [];
  return entity === undefined ? grant(text, text, undefined) : grant(memberOf(entity), role, undefined);
}

/** An entity of an access control list as a member: `user-ada@example.com`, `allUsers`, `project-owners-123`. */
function memberOf(entity: string): string {
  return entity.replace(/^(user|group|domain)-/, "$1:");
}

function grant(member: unknown, role: unknown, condition: unknown): ReviewedGrant {
  const hidden = [member, role, condition].map(hiddenReasonOf).find((each) => each !== undefined);
  return {
    principal: shownText(member),
    role: shownText(role),
    ...conditionOf(condition),
    ...(hidden === undefined ? {} : { hidden }),
  };
}

function conditionOf(condition: unknown): Pick<ReviewedGrant, "condition"> {
  // Terraform's blocks are lists of one.
  const one: unknown = Array.isArray(condition) ? condition[0] : condition;
  if (one === undefined || one === null) return {};
  const { title, description, expression }: Values = isRecord(one) ? one : { title: one, expression: one };
  const text = textOf(description);
  return {
    condition: { title: shownText(title), ...(text && { description: text }), expression: shownText(expression) },
  };
}
