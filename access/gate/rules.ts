import * as z from "zod";

/**
 * The rules for judging a review. This schema of `.perimeter-review.yaml` is the source of its types, checks and
 * docs/review-policy.schema.json. The command line adds more rules.
 */

/** Increased when a property changes its meaning or is removed. */
export const POLICY_VERSION = 1;

const LONGEST_PATTERN = 1000;

const patterns = (of: string, example: string) =>
  z
    .array(
      z.string().min(1, "must not be empty").max(LONGEST_PATTERN, `must have at most ${LONGEST_PATTERN} characters`),
    )
    .min(1, "must have an entry: without one it would match nothing")
    .describe(`${of}; \`*\` stands for any text, also an empty one. Such as \`${example}\`.`);

const principals = () => patterns("Members as policies spell them", "group:*@example.com");
const roles = () => patterns("Roles", "roles/healthcare.*");
const resources = () => patterns("Relative names of resources", "projects/example-prod/*");
const reason = () =>
  z.string().min(1, "must say why the rule is there").describe("Why the rule is there: shown with what violates it.");
const alsoExisting = () =>
  z
    .boolean()
    .optional()
    .describe("Look also at grants that the plan leaves as they are, on the resources of the review. Default: false.");

const gainRule = z
  .strictObject({ principals: principals(), roles: roles(), resources: resources().optional(), reason: reason() })
  .describe("A gain that is allowed: all that is given here must match.");

const protectedPrincipals = z
  .strictObject({
    principals: principals(),
    roles: roles().optional(),
    resources: resources().optional(),
    reason: reason(),
  })
  .describe("Principals that may not lose these roles on these resources (default: any). No allowance overrides it.");

const roleRule = (description: string) =>
  z
    .strictObject({
      roles: roles(),
      principals: principals().optional(),
      resources: resources().optional(),
      alsoExisting: alsoExisting(),
      reason: reason(),
    })
    .describe(description);

const lossRule = z
  .strictObject({
    principals: principals().optional(),
    roles: roles().optional(),
    resources: resources().optional(),
    reason: reason(),
  })
  .refine(
    (rule) => rule.principals !== undefined || rule.roles !== undefined || rule.resources !== undefined,
    "must have `principals`, `roles` or `resources`: without one it would allow every loss",
  )
  .describe("A loss that is allowed: all that is given here must match.");

/**
 * The content of `.perimeter-review.yaml`.
 *
 * @internal
 */
export const reviewPolicy = z
  .strictObject({
    version: z.literal(POLICY_VERSION).describe("Version of this form."),
    mayGain: z
      .array(gainRule)
      .optional()
      .describe("Who may gain what. Where it is present, any other gain violates it: an empty list allows none."),
    protectedPrincipals: z.array(protectedPrincipals).optional().describe("Who may not lose access."),
    forbiddenRoles: z
      .array(roleRule("Roles that nobody (or none of these principals) may gain."))
      .optional()
      .describe("Roles that may not be granted."),
    conditionRequired: z
      .array(roleRule("Roles that may be granted under a condition only."))
      .optional()
      .describe("Roles that need a condition."),
    allowLoss: z.array(lossRule).optional().describe("Expected losses."),
    unknown: z
      .enum(["fail", "allow"])
      .optional()
      .describe("Whether something may be unknown: `fail` (the default) is exit code 3, `allow` lets it pass."),
  })
  .describe("Rules for `perimeter review`: .perimeter-review.yaml");

/**
 * Checks the content of a policy file. Its return type does not use zod, as explained in `../result.ts`. @throws ZodError for
 * mistakes
 */
export function checkedPolicy(content: unknown) {
  return reviewPolicy.parse(content);
}

export type ReviewPolicy = ReturnType<typeof checkedPolicy>;

/** The rules for judging a review. By default, no loss is expected, and nothing may be unknown. */
export interface Rules {
  /**
   * Principals, roles or relative names of resources whose losses are allowed. They must be equal; patterns are not supported.
   */
  allowLoss?: readonly string[];
  policy?: ReviewPolicy;
  /** The file that `policy` was read from, for the result. */
  file?: string;
}

/** The JSON schema of `.perimeter-review.yaml`, for editors (`# yaml-language-server: $schema=…`). */
export function reviewPolicyJsonSchema(): object {
  return z.toJSONSchema(reviewPolicy, { target: "draft-7" });
}
