import * as z from "zod";
import { defineResource, type ResourceDefinition } from "../../../core/definition";
import { field, objectType } from "../../../core/field";
import { conditionProblem } from "../../../iam/condition-syntax";
import { sameMembers } from "../../../iam/policy";
import { memberProblem, sameMember } from "../../../iam/member";
import { referenceTo } from "../fields";
import type { GrantParent } from "../parent";
import { bindingDocumentation, grantDocumentation } from "./documentation";

const MEMBER_FORMS =
  "Identity granted the role: `user:{emailid}`, `serviceAccount:{emailid}`, `group:{emailid}` or " +
  "`domain:{domain}`; as an extension `principal://…`, `principalSet://…` and " +
  "`serviceAccount:{projectid}.svc.id.goog[{namespace}/{service-account}]`";

/**
 * The inputs that grants of a member and of a whole role have in common.
 *
 * @param resource "grant" or "binding", for descriptions
 */
function grantFields(parent: GrantParent, resource: string) {
  const { reference, template } = parent;
  const expr = objectType("Condition", "Condition of a binding: the grant applies only where it evaluates true.", {
    description: field(z.string().optional(), "Longer description of the expression."),
    expression: field(
      notEmpty().superRefine((text, context) => {
        const problem = text === "" ? undefined : conditionProblem(text);
        if (problem) context.addIssue({ code: "custom", message: problem });
      }),
      "Condition expression text in Common Expression Language (CEL).",
    ),
    title: field(notEmpty(), "Short purpose of the expression. Conditions with different titles are different."),
  });
  const member = z.string().superRefine((text, context) => {
    const problem = memberProblem(text);
    if (problem) context.addIssue({ code: "custom", message: problem });
  });
  const name = field(
    referenceTo(reference),
    `Name of the resource whose policy is managed: \`${template}\`. Changing it replaces the ${resource}.`,
    { change: "replace", reference },
  );
  const role = field(
    z
      .string()
      .regex(
        /^(?:(?:projects|organizations)\/[^/\s]+\/)?roles\/[\w.]+$/,
        "must be a role: roles/{role}, projects/{project}/roles/{role} or organizations/{organization}/roles/{role}",
      ),
    `Role to apply, such as \`roles/viewer\`. Changing it replaces the ${resource}.`,
    { change: "replace" },
  );
  const condition = field(expr.optional(), `Condition of this ${resource}. Changing it replaces the ${resource}.`, {
    change: "replace",
  });
  return { condition, member, name, role };
}

function grantOutputs() {
  return z.object({
    etag: field(z.string(), "Etag of the resource's policy after the last change or refresh."),
    project: field(z.string(), "The project of the resource.", { contains: ["name"] }),
  });
}

/** The definition of a role with all of its members on one kind of resource. */
export function defineRoleBinding(parent: GrantParent): ResourceDefinition {
  const { condition, member, name, role } = grantFields(parent, "binding");
  return defineResource({
    service: parent.service,
    name: `${parent.name}IamBinding`,
    description:
      `Owns one role under one condition on ${parent.kind}: exactly its members have the role. **Other members of this role ` +
      "and condition are removed**, which a preview shows. Other roles, and the same role under other conditions, are never " +
      "changed, in either `grantMode`. Deleting the binding removes the role from its members; others that were added since keep it.",
    documentation: bindingDocumentation(parent),
    inputs: z.strictObject({
      condition,
      members: field(
        z.array(member).min(1, "must name at least one member: without members, delete the binding"),
        `All members with the role, in any order. ${MEMBER_FORMS}.`,
        { sameList: sameMembers },
      ),
      name,
      role,
    }),
    outputs: grantOutputs(),
    computedInputs: [],
    idContains: ["condition", "name", "role"],
    importIds: [
      `${parent.template}/{role}[/{title}/{description}/{expression}]`,
      `"${parent.template} {role}[ {title}]"`,
    ],
    aliases: [aliasOf(parent, `${parent.name}IamBinding`)],
  });
}

/** The type of google-native, whose names are the same. */
function aliasOf({ service }: GrantParent, name: string): string {
  return `google-native:${service.api}/${service.version}:${name}`;
}

/** The definition of the member grant on one kind of resource (spec section 2.6). */
export function defineMemberGrant(parent: GrantParent): ResourceDefinition {
  const { condition, member, name, role } = grantFields(parent, "grant");
  return defineResource({
    service: parent.service,
    name: `${parent.name}IamMember`,
    description:
      `Grants one member one role on ${parent.kind}. Sets the access policy on the resource and **replaces any existing ` +
      "policy**; set the provider's `grantMode` to `merge` to add to the policy instead. Deleting a grant removes only " +
      "this member from this role and condition, in either mode.",
    documentation: grantDocumentation(parent),
    inputs: z.strictObject({
      condition,
      member: field(member, `${MEMBER_FORMS}. Changing it replaces the grant.`, {
        change: "replace",
        same: sameMember,
      }),
      name,
      role,
    }),
    outputs: grantOutputs(),
    computedInputs: [],
    idContains: ["condition", "member", "name", "role"],
    importIds: [
      `${parent.template}/{role}/{member}[/{title}/{description}/{expression}]`,
      `"${parent.template} {role} {member}[ {title}]"`,
    ],
    aliases: [aliasOf(parent, `${parent.name}IamMember`)],
  });
}

function notEmpty() {
  return z.string().min(1, "must not be empty");
}
