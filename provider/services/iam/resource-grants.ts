import * as z from "zod";
import { defineLookup, type Documentation } from "../../core/definition";
import { field } from "../../core/field";
import type { NameTemplate } from "../../core/reference";
import { SERVICES } from "../../core/services";
import { BugError } from "../../core/errors";
import { policyResource } from "../../iam/kinds/kinds";
import { lookupDocumentation } from "../shared/lookups";
import { defineMemberGrant, defineRoleBinding, type GrantSubject } from "../shared/member-grant/definition";
import { bindingForm, memberForm } from "../shared/member-grant/forms";
import { grantResource } from "../shared/member-grant/lifecycle";
import { lookupOfPolicy, policyResult, requestedPolicyVersion } from "../shared/policy-lookup";
import type { Resource } from "../shared/resource";
import { anyResource } from "./any-resource";

/** Grants and the lookup of a policy for every kind of resource, by its full name. */

const KIND = "any resource with an access policy";
const TOPIC = "//pubsub.googleapis.com/projects/demo-project/topics/orders";
const TOPICS = "pubsub.topics";
/** Where the permissions of the example are needed. */
const ON = "a topic, and the same permission of the API on another kind of resource";
const ROLE = "roles/pubsub.publisher";
const MEMBER = "group:orders@example.com";

/** A full resource name. */
const fullName = () =>
  z.string().superRefine((text, context) => {
    const found = policyResource(text);
    if (typeof found === "string") context.addIssue({ code: "custom", message: found });
  });

const NAME = "Full name of the resource whose policy is";
const FORM = "`//{api}.googleapis.com/{name}`, such as `//pubsub.googleapis.com/projects/p/topics/t`, or its URL";

/** Whether two spellings of a full name are one resource. */
function sameResource(left: string, right: string): boolean {
  const [one, other] = [anyResource.find(left)?.name, anyResource.find(right)?.name];
  return one === undefined ? left === right : one === other;
}

const subject: GrantSubject = {
  service: SERVICES.iam,
  name: "Resource",
  kind: KIND,
  input: anyResource.input,
  resourceField: (use) =>
    use === "list"
      ? field(fullName(), `${NAME} read: ${FORM}.`)
      : field(fullName(), `${NAME} managed: ${FORM}. Changing it replaces the ${use}.`, {
          change: "replace",
          same: sameResource,
        }),
  idForm: "{resource}",
  effect:
    "Adds to the resource's policy: **in each `grantMode`, also in `replace`, the other grants stay**. Deleting a grant removes " +
    "only this member from this role and condition.",
  isOfAnyApi: true,
  aliasesOf: () => [],
  documentation,
};

function documentation(noun: "grant" | "binding"): Documentation {
  const outputs = { etag: "etag" };
  const values = { resource: TOPIC, role: ROLE };
  const text =
    "The `id` of a resource of another provider is often its name. Put `//{api}.googleapis.com/` in front of it, with " +
    "`pulumi.interpolate` in TypeScript, `pulumi.Output.concat` in Python, `pulumi.Sprintf` in Go, and `${topic.id}` in YAML.";
  const example =
    noun === "grant"
      ? { title: "Grant a role on a topic", text, variable: "orders", values: { ...values, member: MEMBER }, outputs }
      : {
          title: "Own a role on a topic",
          text: `A preview names the members that join and leave. Declare all members that must keep the role. ${text}`,
          variable: "owned",
          values: { ...values, role: "roles/pubsub.viewer", members: [MEMBER, "user:oncall@example.com"] },
          outputs,
        };
  return {
    guide: { title: "Grants on any resource", file: "any-resource.md" },
    examples: [example],
    permissions: [
      { permission: `${TOPICS}.getIamPolicy`, on: ON, for: "preview, create, refresh, import, list and delete" },
      { permission: `${TOPICS}.setIamPolicy`, on: ON, for: "create and delete" },
    ],
    errors: [
      {
        code: "INPUT",
        when: "an input breaks its rule, or the full name fits no kind of resource with an access policy",
        remedy: "Change the input that the message names. The message suggests the nearest kind.",
      },
      {
        code: "API",
        status: "NOT_FOUND",
        when: "there is no such resource",
        remedy: "Check the name, and create the resource first: let the grant depend on it.",
      },
      {
        code: "API",
        status: "INVALID_ARGUMENT",
        when: "the API does not accept the role, the member or the condition on this resource",
        remedy: "Change what the message names. If the identity is new, the provider repeats the request for a minute.",
      },
      {
        code: "REFUSED",
        when: "the change would remove the provider's own role that can change the policy, or the policy would exceed a limit",
        remedy: "Grant the role to a group, or set `perimeter:allowLockout` to `true` if the lock-out is intended.",
      },
    ],
  };
}

/** `ResourceIamMember` and `ResourceIamBinding`. */
export const resourceGrants: readonly Resource[] = [
  grantResource(defineMemberGrant(subject), memberForm, anyResource),
  grantResource(defineRoleBinding(subject), bindingForm, anyResource),
];

const byName: NameTemplate<"resource"> = {
  template: "{resource}",
  parse: (resource) => ({ resource }),
  format: ({ resource }) => resource,
};

const definition = defineLookup({
  service: SERVICES.iam,
  name: "getResourceIamPolicy",
  description: `Gets the access-control policy of ${KIND}. When the resource has no policy, an empty policy is returned.`,
  documentation: {
    ...lookupDocumentation("the resource", `${TOPICS}.getIamPolicy`),
    examples: [
      {
        title: "See who has access to a topic",
        variable: "topicPolicy",
        values: { resource: TOPIC },
        outputs: { bindings: "bindings", etag: "etag" },
      },
    ],
  },
  resource: byName,
  isOfAnyApi: true,
  args: z.strictObject({
    optionsRequestedPolicyVersion: requestedPolicyVersion(),
    resource: field(fullName(), `${NAME} read: ${FORM}.`),
  }),
  result: policyResult(),
});

/** The lookup of the policy of any resource. */
export const resourcePolicyLookup = lookupOfPolicy(definition, "the resource", (name) => {
  const place = anyResource.find(name);
  if (!place) throw new BugError(`${name} was looked up without a check`);
  return { ...place.parent, path: place.path };
});
