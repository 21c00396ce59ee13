import * as z from "zod";

/** The part of an answer about a resource: its policy before and after, the changes, and the unknown facts. */

const condition = z.strictObject({
  title: z.string(),
  description: z.string().optional(),
  expression: z.string().describe("An expression of the Common Expression Language."),
});

const expires = z
  .strictObject({
    state: z
      .enum(["expired", "soon", "later", "never", "unknown"])
      .describe("`soon`: within the time of `--expires-within`. `never`: the condition sets no end."),
    at: z
      .string()
      .optional()
      .describe("The latest end that the condition allows: a time of RFC 3339 in UTC. Absent if it never holds."),
    unread: z.string().optional().describe("For `unknown`: the part of the condition that could not be read."),
  })
  .describe("For `access`: when the condition ends. A grant without a condition never ends.");

const hidden = z
  .enum(["secret", "known after the update"])
  .describe("Why a value of the grant is hidden. Its text is `[secret]` or `[known after the update]`.");

const grant = z.strictObject({
  principal: z.string().describe("A member, as in policies."),
  role: z.string(),
  condition: condition.optional(),
  hidden: hidden.optional(),
});

/** @internal because public types must not use zod's */
export const finding = z
  .int()
  .optional()
  .describe("The number of this finding among those of its stack: `finding` of a judgement has it.");

const change = z.strictObject({
  ...grant.shape,
  finding,
  change: z
    .enum(["gained", "lost", "condition"])
    .describe(
      "`condition`: the principal keeps the role, and the condition of the grant was added, changed or removed.",
    ),
  conditionBefore: condition
    .nullable()
    .optional()
    .describe("For `condition`: the previous condition; null if the grant had no condition."),
  steps: z
    .array(z.string())
    .describe(
      "URNs of the steps that write this change into the policy, also when they do not name the grant, as in replace mode. " +
        "Empty for `access`.",
    ),
  gaveNoAccess: z
    .enum(["expired", "deleted"])
    .optional()
    .describe(
      "For `lost` and `condition`: why the grant before gave no access. Then it is no loss of access. `expired`: its condition " +
        "could not be true any more. `deleted`: the identity of its principal does not exist any more.",
    ),
  wasManaged: z
    .boolean()
    .optional()
    .describe("For `lost` and `condition`: whether the stack managed the grant before the plan."),
});

const binding = z.strictObject({
  role: z.string(),
  members: z.array(z.string()),
  condition: condition.optional(),
  expires: expires.optional(),
});

/** @internal because public types must not use zod's */
export const uncertainty = z.strictObject({
  code: z.enum([
    "secret", // an input is secret, and the plan does not show it
    "not known yet", // an input is the output of a resource that the plan is about to make
    "unreadable policy", // the policy could not be read
    "incomplete state", // a state does not say what was granted
    "incomplete plan", // steps are missing: the preview failed, or unchanged resources are not in it
    "differs from preview", // the preview reported more losses than this review finds
    "unsupported", // a step of another tool's grant that this review cannot follow
    "other provider", // a step of another provider that can change who has access
    "deleted resource", // another provider deletes or replaces the resource, and its access policy with it
    "no order", // several steps write the access policy, and which of them is the last decides who has access
  ]),
  message: z.string().describe("A sentence."),
  quoted: z
    .string()
    .optional()
    .describe("For a failed preview: the end of `message`, which is what Pulumi or the program printed."),
  step: z.string().optional().describe("URN of the step, if the fact is about one step."),
  type: z.string().optional().describe("For `other provider`: the type of the step's resource."),
  digest: z
    .string()
    .nullable()
    .optional()
    .describe(
      "For a step that this review does not evaluate: SHA-256 of its operation and of the inputs that decide about access, before and " +
        "after, by which `--expect` compares it; null if one of them is hidden or known after the update, so that no approved review " +
        "has it. Empty with `--mask-principals`.",
    ),
  finding,
});

/** @internal because public types must not use zod's */
export const resource = z.strictObject({
  resource: z.string().describe("Relative name: `projects/…/fhirStores/records`."),
  kind: z.string().describe('The kind of resource, with its article: "a FHIR store".'),
  api: z.string().describe("The API: `healthcare`."),
  endpoint: z
    .string()
    .optional()
    .describe("The address of the API, if it is not Google's. Two clouds may have the same names."),
  project: z
    .strictObject({ id: z.string(), number: z.string() })
    .optional()
    .describe("The two names of the project in `resource`. Absent if the review did not read the project."),
  ofStack: z
    .literal(false)
    .optional()
    .describe(
      "For `access --stack`: false for a resource on which the stack has no grant any more. It is here because the earlier " +
        "answer or the review has it.",
    ),
  endpointVariable: z
    .string()
    .optional()
    .describe("The environment variable of the review's process that sets the endpoint, if any."),
  createdBy: z
    .array(z.string())
    .optional()
    .describe(
      "For a resource that the plan creates and whose name is known after the update: URNs of the resources that its name comes " +
        "from. They distinguish it from others whose name is hidden.",
    ),
  isAbove: z
    .literal(true)
    .optional()
    .describe(
      "In a comparison of two answers: the policy is above resources of the answer, such as that of their project. `changes` has the " +
        "grants that give access to them.",
    ),
  otherProvider: z
    .string()
    .optional()
    .describe(
      "`gcp`: steps of this provider are about the resource, and the review does not read its policy. `changes` has what their own " +
        "inputs say. `unknown` has the steps that may do more. The name of the resource is a guess if only inputs name it.",
    ),
  grantModes: z
    .array(
      z.strictObject({
        mode: z.enum(["replace", "merge"]),
        variable: z
          .string()
          .optional()
          .describe("The environment variable of the review's process that sets the mode, if any."),
      }),
    )
    .optional()
    .describe(
      "The grant mode that the review used for the grants on this resource; several if their providers differ. Absent " +
        "if it is unknown, for grants of google-native, and for `access`.",
    ),
  changes: z.array(change),
  unchanged: z.int().describe("The number of unchanged grants."),
  noAccessLeft: z
    .array(z.string())
    .describe(
      "Principals that have direct access to the resource before the plan, and none after it, neither directly nor from above. " +
        "Access lists of buckets, objects and datasets are not read.",
    ),
  accessLeftUnknown: z
    .array(z.string())
    .optional()
    .describe(
      "Principals that lose all direct access, and may still have access from above: a policy above could not be read.",
    ),
  inherited: z
    .array(
      z.strictObject({
        ...grant.shape,
        expires: expires.optional(),
        from: z.string().describe("`project demo-project`, `dataset clinic`."),
      }),
    )
    .optional()
    .describe("Grants of the policies above that give access to the resource. Absent if there is none."),
  unreadAbove: z
    .array(z.string())
    .optional()
    .describe("The resources and roles above that could not be read, so that `inherited` may be incomplete."),
  unmanaged: z.array(grant).describe("Grants after the plan that the stack does not manage."),
  before: z.array(binding).nullable().describe("The bindings before the plan; null if the policy is unknown."),
  after: z.array(binding).nullable().describe("The bindings after the plan; null if the policy is unknown."),
  unknown: z.array(uncertainty).describe("Unknown facts about this resource."),
});
