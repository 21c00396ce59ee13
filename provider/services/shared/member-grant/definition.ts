import * as z from "zod";
import {
  defineResource,
  type Documentation,
  type ResourceDefinition,
  type ServiceDefinition,
} from "../../../core/definition";
import { field, objectType } from "../../../core/field";
import { conditionProblem } from "../../../iam/condition-syntax";
import { sameMembers } from "../../../iam/policy";
import { memberProblem, sameMember } from "../../../iam/member";
import { referenceTo } from "../fields";
import type { GrantParent, GrantTargets } from "../parent";
import { bindingDocumentation, grantDocumentation } from "./documentation";

const memberForms = ({ isOfAnyApi }: GrantSubject) =>
  "Identity granted the role: `user:{emailid}`, `serviceAccount:{emailid}`, `group:{emailid}` or " +
  "`domain:{domain}`; as an extension `principal://…`, `principalSet://…` and " +
  "`serviceAccount:{projectid}.svc.id.goog[{namespace}/{service-account}]`" +
  (isOfAnyApi ? ", `allUsers`, `allAuthenticatedUsers` and `projectOwner:{projectid}`" : "");

/** What the definitions of the two forms of a grant on one kind of resource, or on resources of all kinds, have in common. */
export interface GrantSubject {
  readonly service: ServiceDefinition;
  /** The prefix of the types: `MigrationJob` in `MigrationJobIamMember`. */
  readonly name: string;
  /** With its article: "a migration job". */
  readonly kind: string;
  /** The input that names the resource. */
  readonly input: GrantTargets["input"];
  /** The property of this input, and of a list of grants. */
  resourceField(use: "grant" | "binding" | "list"): z.ZodString;
  /** The name of a resource in the ids of an import. */
  readonly idForm: string;
  /** What a grant does to other grants in the policy, in sentences. */
  readonly effect: string;
  /** The types of other providers with the same resources as this type, `MigrationJobIamMember`. */
  aliasesOf(type: string): readonly string[];
  /** Whether resources of all APIs are meant, by their full names. Then members can be the public and the groups of a project. */
  readonly isOfAnyApi: boolean;
  documentation(noun: "grant" | "binding"): Documentation;
}

/** What the grants on one kind of resource have in common. */
export function subjectOf(parent: GrantParent): GrantSubject {
  const { service, name, kind, reference, template, targets } = parent;
  return {
    service,
    name,
    kind,
    input: targets.input,
    resourceField: (use) =>
      use === "list"
        ? field(referenceTo(reference), `Name of the resource whose grants are listed: \`${template}\`.`, { reference })
        : field(
            referenceTo(reference),
            `Name of the resource whose policy is managed: \`${template}\`. Changing it replaces the ${use}.`,
            { change: "replace", reference },
          ),
    idForm: template,
    effect:
      "Sets the access policy on the resource and **replaces any existing policy**; set the provider's `grantMode` to `merge` " +
      "to add to the policy instead. Deleting a grant removes only this member from this role and condition, in either mode.",
    isOfAnyApi: false,
    // The names of google-native's types are the same.
    aliasesOf: (type) => [`google-native:${service.api}/${service.version}:${type}`],
    documentation: (noun) => (noun === "grant" ? grantDocumentation(parent) : bindingDocumentation(parent)),
  };
}

/** The inputs that grants of a member and of a whole role have in common, except for the resource. */
function grantFields(resource: "grant" | "binding", { isOfAnyApi }: GrantSubject) {
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
    const problem = memberProblem(text, isOfAnyApi);
    if (problem) context.addIssue({ code: "custom", message: problem });
  });
  const role = field(roleName(), `Role to apply, such as \`roles/viewer\`. Changing it replaces the ${resource}.`, {
    change: "replace",
  });
  const condition = field(expr.optional(), `Condition of this ${resource}. Changing it replaces the ${resource}.`, {
    change: "replace",
  });
  return { condition, member, role };
}

/** The parts of the definition of both forms. */
function definitionOf(subject: GrantSubject, noun: "grant" | "binding", inputs: z.ZodRawShape) {
  const { idForm, input, service } = subject;
  const name = `${subject.name}${noun === "grant" ? "IamMember" : "IamBinding"}`;
  const shape = { ...inputs, [input]: subject.resourceField(noun) };
  const sorted = Object.entries(shape).sort(([left], [right]) => (left < right ? -1 : 1));
  const who = noun === "grant" ? "/{member}" : "";
  const named = noun === "grant" ? " {member}" : "";
  return {
    service,
    name,
    documentation: subject.documentation(noun),
    inputs: z.strictObject(Object.fromEntries(sorted)),
    outputs: z.object({
      etag: field(z.string(), "Etag of the resource's policy after the last change or refresh."),
      project: field(z.string(), "The project of the resource.", { contains: [input] }),
    }),
    listInputs: z.strictObject({
      [input]: subject.resourceField("list"),
      role: field(roleName().optional(), "Role whose grants are listed. Default: the grants of all roles."),
    }),
    computedInputs: [],
    importIds: [`${idForm}/{role}${who}[/{title}/{description}/{expression}]`, `"${idForm} {role}${named}[ {title}]"`],
    isOfAnyApi: subject.isOfAnyApi,
    aliases: subject.aliasesOf(name),
  };
}

/** The definition of a role with all of its members. */
export function defineRoleBinding(subject: GrantSubject): ResourceDefinition {
  const { condition, member, role } = grantFields("binding", subject);
  const members = field(
    z.array(member).min(1, "must name at least one member: without members, delete the binding"),
    `All members with the role, in any order. ${memberForms(subject)}.`,
    { sameList: sameMembers },
  );
  return defineResource({
    ...definitionOf(subject, "binding", { condition, members, role }),
    description:
      `Owns one role under one condition on ${subject.kind}: exactly its members have the role. **Other members of this role ` +
      "and condition are removed**, which a preview shows. Other roles, and the same role under other conditions, are never " +
      "changed, in either `grantMode`. Deleting the binding removes the role from its members; others that were added since keep it.",
    idContains: ["condition", subject.input, "role"],
  });
}

/** The definition of the grant of a role to a member (docs/grants.md; `setIamPolicy`, docs/wire.md section 9). */
export function defineMemberGrant(subject: GrantSubject): ResourceDefinition {
  const { condition, member, role } = grantFields("grant", subject);
  const shown = field(member, `${memberForms(subject)}. Changing it replaces the grant.`, {
    change: "replace",
    same: sameMember,
  });
  return defineResource({
    ...definitionOf(subject, "grant", { condition, member: shown, role }),
    description: `Grants one member one role on ${subject.kind}. ${subject.effect}`,
    idContains: ["condition", "member", subject.input, "role"],
  });
}

function roleName() {
  return z
    .string()
    .regex(
      /^(?:(?:projects|organizations)\/[^/\s]+\/)?roles\/[\w.]+$/,
      "must be a role: roles/{role}, projects/{project}/roles/{role} or organizations/{organization}/roles/{role}",
    );
}

function notEmpty() {
  return z.string().min(1, "must not be empty");
}
