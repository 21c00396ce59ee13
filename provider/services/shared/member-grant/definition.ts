import { z } from "zod";
import { defineResource, type ServiceDefinition } from "../../../core/definition";
import { field, objectType } from "../../../core/field";
import type { NameTemplate, ReferenceKind } from "../../../core/reference";
import { memberProblem, sameMember } from "../../../iam/member";
import { referenceTo } from "../references";

/** A kind of resource on which a member can be granted a role: all that tells one grant resource from another. */
export interface GrantParent {
  service: ServiceDefinition;
  /** Name of the grant resource: `MigrationJobIamMember`. */
  grantName: string;
  /** With its article: "a migration job". */
  kind: string;
  name: NameTemplate;
  /** Predefined roles on it that can change its policy, beside those that can everywhere. */
  policyAdminRoles: readonly string[];
  /** What the caller needs on it to make and delete grants. */
  permissions: readonly string[];
  /** How many policy writes a minute the service allows, where that is known. */
  policyWritesPerMinute?: number;
}

/** Spec section 2.6: the definition of the member grant on one kind of resource. */
export function defineMemberGrant(parent: GrantParent) {
  const reference: ReferenceKind = { kind: parent.kind, api: parent.service.api, templates: [parent.name] };
  const condition = objectType("Condition", "Condition of a binding: the grant applies only where it evaluates true.", {
    description: field(z.string().optional(), "Longer description of the expression."),
    expression: field(notEmpty(), "Condition expression text in Common Expression Language (CEL)."),
    title: field(notEmpty(), "Short purpose of the expression. Part of what tells one condition from another."),
  });
  return defineResource({
    service: parent.service,
    name: parent.grantName,
    description:
      `Grants one member one role on ${parent.kind}. Sets the access policy on the resource and **replaces any existing ` +
      "policy**; set the provider's `grantMode` to `merge` to add to the policy instead. Deleting a grant removes only " +
      "this member from this role and condition, in either mode.",
    inputs: z.strictObject({
      condition: field(condition.optional(), "Condition of this binding. Changing it replaces the grant.", {
        change: "replace",
      }),
      member: field(
        z.string().superRefine((text, context) => {
          const problem = memberProblem(text);
          if (problem) context.addIssue({ code: "custom", message: problem });
        }),
        "Identity granted the role: `user:{emailid}`, `serviceAccount:{emailid}`, `group:{emailid}` or " +
          "`domain:{domain}`; as an extension `principal://…`, `principalSet://…` and " +
          "`serviceAccount:{projectid}.svc.id.goog[{namespace}/{service-account}]`. Changing it replaces the grant.",
        { change: "replace", same: sameMember },
      ),
      name: field(
        referenceTo(reference),
        `Name of the resource whose policy is managed: \`${parent.name.template}\`. Changing it replaces the grant.`,
        { change: "replace", reference },
      ),
      role: field(
        z
          .string()
          .regex(
            /^(?:(?:projects|organizations)\/[^/\s]+\/)?roles\/[\w.]+$/,
            "must be a role: roles/{role}, projects/{project}/roles/{role} or organizations/{organization}/roles/{role}",
          ),
        "Role to apply, such as `roles/viewer`. Changing it replaces the grant.",
        { change: "replace" },
      ),
    }),
    outputs: z.object({
      etag: field(z.string(), "Etag of the resource's policy after the last change or refresh."),
      project: field(z.string(), "The project of the resource.", { shows: ["name"] }),
    }),
    presentWhenOmitted: [],
    idShows: ["condition", "member", "name", "role"],
    importIds: [
      `${parent.name.template}/{role}/{member}[/{title}/{description}/{expression}]`,
      `"${parent.name.template} {role} {member}[ {title}]"`,
    ],
    aliases: [`google-native:${parent.service.api}/${parent.service.version}:${parent.grantName}`],
  });
}

function notEmpty() {
  return z.string().min(1, "must not be empty");
}
