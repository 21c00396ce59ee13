import * as z from "zod";
import { period, PERIOD_FORM } from "../condition/period";
import type { Answer } from "../result/result";

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
    .min(1, "must have an entry, because an empty list matches nothing")
    .describe(`${of}; \`*\` matches any text, also an empty one. Example: \`${example}\`.`);

const principals = () =>
  patterns("Members, as in policies, or `google-service-agents` for Google's service agents", "group:*@example.com");
const roles = () => patterns("Roles", "roles/healthcare.*");
const resources = () =>
  patterns("Names of resources: relative or full ones, with the project's id or its number", "projects/example-prod/*");
const reason = () =>
  z.string().min(1, "must have a text").describe("The reason for the rule. Each violation shows it.");
const alsoExisting = () =>
  z
    .boolean()
    .optional()
    .describe("Whether the rule also applies to unchanged grants on the resources of the review. Default: false.");

/** The patterns that an entry of a list may have. */
const anyPatterns = () => ({
  principals: principals().optional(),
  roles: roles().optional(),
  resources: resources().optional(),
  reason: reason(),
});

const gainRule = z
  .strictObject({ ...anyPatterns(), principals: principals(), roles: roles() })
  .describe("An allowed gain. All patterns of the rule must match.");

const protectedPrincipals = z
  .strictObject({ ...anyPatterns(), principals: principals() })
  .describe(
    "Principals that must not lose these roles on these resources (default: all). Allowed losses do not override this rule.",
  );

const roleRule = z.strictObject({
  roles: roles(),
  principals: principals().optional(),
  resources: resources().optional(),
  alsoExisting: alsoExisting(),
  reason: reason(),
});

const conditionRule = z
  .strictObject({
    ...roleRule.shape,
    within: z
      .string()
      .refine((text) => period(text) !== undefined, PERIOD_FORM)
      .optional()
      .describe(
        "The condition must also end within this time of the review: hours, days or weeks, such as `90d`. A condition whose " +
          "end cannot be read violates the rule.",
      ),
  })
  .describe(
    "Roles that may only be granted under a condition that is not constant. Whether it refuses anything on the resource of the " +
      "grant is not decided.",
  );

const allowance = (what: string) =>
  z
    .strictObject(anyPatterns())
    .refine(
      (rule) => rule.principals !== undefined || rule.roles !== undefined || rule.resources !== undefined,
      `must have \`principals\`, \`roles\` or \`resources\`, because it would allow every ${what} otherwise`,
    )
    .describe(`An allowed ${what}. All patterns of the rule must match.`);

const foreignVerdict = z.enum(["unknown", "fail", "allow"]);

const foreignRule = z
  .strictObject({
    types: patterns("Types of resources of other providers", "gcp:storage/*"),
    verdict: foreignVerdict,
    reason: reason(),
  })
  .describe("A decision about steps of other providers. The first entry whose pattern matches the type decides.");

/**
 * The content of `.perimeter-review.yaml`.
 *
 * @internal
 */
export const reviewPolicy = z
  .strictObject({
    version: z.literal(POLICY_VERSION).describe("Version of this format."),
    mayGain: z
      .array(gainRule)
      .optional()
      .describe(
        "The allowed gains. If the rule is present, every other gain violates it: an empty list allows no gain.",
      ),
    gains: z
      .enum(["allow", "fail"])
      .optional()
      .describe(
        "`fail`: gains that no entry of `mayGain` allows give exit code 2, as losses do. `allow` (the default without " +
          "`mayGain`): they do not.",
      ),
    protectedPrincipals: z.array(protectedPrincipals).optional().describe("Principals that must not lose access."),
    forbiddenRoles: z
      .array(roleRule.describe("Roles that nobody may gain, or none of these principals."))
      .optional()
      .describe("Roles that must not be granted."),
    conditionRequired: z.array(conditionRule).optional().describe("Roles that need a condition."),
    allowLoss: z.array(allowance("loss")).optional().describe("Expected losses."),
    unmanaged: z
      .enum(["fail", "warn"])
      .optional()
      .describe(
        "For `perimeter access --stack`: unmanaged grants on the stack's resources violate this rule (`fail`), or are " +
          "warnings (`warn`). By default, they are only listed.",
      ),
    allowUnmanaged: z
      .array(allowance("unmanaged grant"))
      .optional()
      .describe("Expected unmanaged grants, which are exceptions from `unmanaged`."),
    otherProviders: z
      .union([foreignVerdict, z.array(foreignRule)])
      .optional()
      .describe(
        "Steps of other providers that can change who has access, such as `gcp:projects/iAMMember:IAMMember`. The review does not " +
          "evaluate them. `unknown` (the default): each is an unknown fact. `fail`: each violates this rule. `allow`: they are " +
          "listed only. A list decides by type, about every type that it names, also one that decides nothing about access; a type without " +
          "an entry is `unknown`. The other rules apply to the grants that a " +
          "step's inputs name, whatever this rule says. A loss that they name needs no allowance.",
      ),
    unknown: z
      .enum(["fail", "allow"])
      .optional()
      .describe("`fail` (the default): unknown facts give exit code 3. `allow`: they do not."),
  })
  .refine(({ gains, mayGain }) => gains !== "allow" || mayGain === undefined, {
    path: ["gains"],
    message: "must not be `allow` beside `mayGain`, which lists the only gains that are allowed",
  })
  .describe("Rules for `perimeter review`: .perimeter-review.yaml");

/**
 * Checks the content of a policy file. Its return type does not use zod: `checkedResult` says why.
 *
 * @throws ZodError for mistakes
 */
export function checkedPolicy(content: unknown) {
  return reviewPolicy.parse(content);
}

export type ReviewPolicy = ReturnType<typeof checkedPolicy>;

/** A policy file that was read. */
export interface RulesFile {
  /** Its name for the result: a path. */
  file: string;
  policy: ReviewPolicy;
}

/** The rules for judging a review. By default, no loss is expected, and nothing may be unknown. */
export interface Rules {
  /**
   * Principals, roles or relative names of resources whose losses are allowed. A value must equal the whole text; patterns are
   * not supported.
   */
  allowLoss?: readonly string[];
  /** The same for gains. */
  allowGain?: readonly string[];
  /** Whether gains that nothing allows give exit code 2, as losses do, whatever `gains` of the policy says. @default false */
  noNewAccess?: boolean;
  /** An approved review of the same plan: every change that it does not have is unexpected. @default nothing was approved */
  approved?: Answer;
  /** Whether every change is unexpected: the answer compares the current access with what a review expected. @default false */
  noChange?: boolean;
  policy?: ReviewPolicy;
  /** The time from which `within` of a rule counts, in milliseconds since 1970. @default the current time */
  now?: number;
  /** Policy files, that of the root first. Each of them and `policy` applies: what violates one of them violates the rules. */
  files?: readonly RulesFile[];
  /** The git revision that the files were read from, for the result. @default the files are those of the folder */
  revision?: string;
  /** Sentences about the files, for the warnings of the result. */
  warnings?: readonly string[];
}

/** The JSON schema of `.perimeter-review.yaml`, for editors (`# yaml-language-server: $schema=…`). */
export function reviewPolicyJsonSchema(): object {
  return z.toJSONSchema(reviewPolicy, { target: "draft-7" });
}
