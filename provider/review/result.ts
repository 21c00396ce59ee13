import { z } from "zod";

/**
 * What a review answers, and what `--format json` prints: the one source of the types and of docs/review.schema.json.
 * All names of principals, roles and resources are as policies spell them.
 */

/** Raised when a field changes its meaning or goes. Fields may be added without it. */
export const RESULT_VERSION = 1;

const condition = z.strictObject({
  title: z.string(),
  description: z.string().optional(),
  expression: z.string(),
});

/** In place of a principal, role or resource that the plan hides or does not know yet. */
const hidden = z.enum(["secret", "known after the update"]);

const grant = z.strictObject({
  /** A member as policies spell it; `[secret]` or `[known after the update]` where `hidden` says so. */
  principal: z.string(),
  role: z.string(),
  condition: condition.optional(),
  hidden: hidden.optional(),
});

const change = z.strictObject({
  ...grant.shape,
  /** `condition`: the principal keeps the role, and the condition of the grant is another one, came or went. */
  change: z.enum(["gained", "lost", "condition"]),
  /** Of a `condition` change: the condition before, null where the grant had none. */
  conditionBefore: condition.nullable().optional(),
  /** URNs of the steps that do it. Empty where nobody's step names it: a grant of others that a replaced policy drops. */
  steps: z.array(z.string()),
  /** Whether the stack's state had the grant, for `lost` and `condition`: false is access that others gave. */
  wasManaged: z.boolean().optional(),
});

const binding = z.strictObject({
  role: z.string(),
  members: z.array(z.string()),
  condition: condition.optional(),
});

const uncertainty = z.strictObject({
  code: z.enum([
    "secret", // an input is secret, and the plan does not show it
    "not known yet", // an input is the output of a resource that the plan is about to make
    "unreadable policy", // the policy could not be read
    "incomplete state", // a state does not say what was granted
    "incomplete plan", // steps are missing: the preview failed, or unchanged resources are not in it
    "unsupported", // a step of another tool's grant that this review cannot follow
  ]),
  /** A sentence for people. */
  message: z.string(),
  /** URN of the step, if one step is meant. */
  step: z.string().optional(),
});

const resource = z.strictObject({
  /** Relative name: `projects/…/fhirStores/records`. */
  resource: z.string(),
  /** What it is, with its article: "a FHIR store". */
  kind: z.string(),
  /** The API: `healthcare`. */
  api: z.string(),
  /** Where the API is, if not at Google's address: two clouds may have the same names. */
  endpoint: z.string().optional(),
  changes: z.array(change),
  /** How many grants stay as they are. */
  unchanged: z.int(),
  /** Principals that had access to the resource by its policy, and have none by it after the plan. */
  noAccessLeft: z.array(z.string()),
  /** Grants after the plan that no resource of the stack declares. */
  unmanaged: z.array(grant),
  /** The bindings before and after, for pictures; null where the policy could not be read. */
  before: z.array(binding).nullable(),
  after: z.array(binding).nullable(),
  /** What could not be told about this resource. */
  unknown: z.array(uncertainty),
});

const refusal = z.strictObject({
  /** URN of the step that the provider would refuse. */
  step: z.string(),
  resource: z.string().optional(),
  /** The provider's message. */
  reason: z.string(),
});

const bite = z.strictObject({
  /** `loss`, `unknown`, `refused`, or the rule of the policy file: `forbiddenRoles[0]`. */
  rule: z.string(),
  /** What the rule found, a sentence. */
  message: z.string(),
  /** Why the rule is there, as its author wrote it. */
  reason: z.string().optional(),
  resource: z.string().optional(),
  principal: z.string().optional(),
  role: z.string().optional(),
});

export const reviewResult = z.strictObject({
  version: z.literal(RESULT_VERSION),
  /** `access`: the access of now, no plan. */
  operation: z.enum(["update", "destroy", "access"]),
  stack: z.string().optional(),
  project: z.string().optional(),
  /** By name. Only those on which the plan changes a grant, or something is not known; all for `access`. */
  resources: z.array(resource),
  refused: z.array(refusal),
  /** What could not be told, that belongs to no resource above. */
  unknown: z.array(uncertainty),
  /** What this review never knows or did not look at, sentences: inherited access, groups, steps of other providers. */
  notes: z.array(z.string()),
  summary: z.strictObject({
    gained: z.int(),
    lost: z.int(),
    conditions: z.int(),
    unchanged: z.int(),
    noAccessLeft: z.int(),
    refused: z.int(),
    unknown: z.int(),
  }),
  /** What the gate says: the exit code, and each rule that bit. */
  verdict: z.strictObject({
    /** 0 nobody loses; 2 somebody loses, or a rule of the policy file bit; 3 something cannot be told. 2 goes before 3. */
    exitCode: z.union([z.literal(0), z.literal(2), z.literal(3)]),
    bites: z.array(bite),
    /** Losses that `--allow-loss` or the policy file allowed, sentences. */
    allowed: z.array(z.string()),
  }),
});

export type ReviewResult = z.infer<typeof reviewResult>;
export type ReviewedResource = z.infer<typeof resource>;
export type ReviewedGrant = z.infer<typeof grant>;
export type AccessChanged = z.infer<typeof change>;
export type Uncertainty = z.infer<typeof uncertainty>;
export type Refusal = z.infer<typeof refusal>;
export type Bite = z.infer<typeof bite>;
export type Verdict = ReviewResult["verdict"];
/** What the gate judges: everything but the verdict. */
export type Unjudged = Omit<ReviewResult, "verdict">;
