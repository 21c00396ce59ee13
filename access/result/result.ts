import * as z from "zod";
import { finding, resource, uncertainty } from "./resource-schema";

/**
 * The answer of a review, and about the current access, as `--format json` prints it. It is the source of the types and of
 * docs/review.schema.json. Principals, roles and resources are spelled as in policies.
 */

/** Increased when a field changes its meaning or is removed. New fields do not increase it. */
export const ANSWER_VERSION = 1;

const refusal = z.strictObject({
  step: z.string().describe("URN of the step that the provider would refuse."),
  resource: z.string().optional(),
  reason: z.string().describe("The provider's message."),
  finding,
});

const source = z.strictObject({
  file: z
    .string()
    .describe(
      "With forward slashes, relative to the root of the git repository; without a repository, to the project's folder.",
    ),
  line: z.int().min(1),
  component: z
    .string()
    .optional()
    .describe("The type of the component that makes the resource: `Readers`. The line then declares the component."),
  gone: z
    .literal(true)
    .optional()
    .describe(
      "The step deletes the resource. The line declared it at the last update; in YAML, it is that of the key, if that is still there.",
    ),
});

const judged = z
  .strictObject({
    number: z
      .int()
      .describe(
        "`finding` of the change, the refused step or the unknown fact, in the same stack. Judgements on one kept or unmanaged grant " +
          "share a number of their own.",
      ),
    kind: z.enum(["gained", "lost", "condition", "kept", "unmanaged", "refused", "unknown"]),
    api: z.string().optional().describe("The API of the resource."),
    steps: z.array(z.string()).describe("URNs of the steps that it is about."),
  })
  .describe("What was found and judged. Absent for a judgement on the rules themselves.");

const judgement = z.strictObject({
  effect: z
    .enum(["refuses", "warns", "allows"])
    .describe(
      "`refuses`: a violation, which gives exit code 2, or 3 for an unknown fact. `warns`: it does not change the exit code. " +
        "`allows`: an option, the policy file or the approved review allows what would give 2 or 3 otherwise.",
    ),
  finding: judged.optional(),
  rule: z
    .string()
    .describe(
      "`loss`, `gain`, `unknown`, `refused`, `unmanaged`, `expected` (a difference from the review), or the rule of the policy file: `forbiddenRoles[0]`.",
    ),
  file: z.string().optional().describe("The policy file of the rule, if several apply."),
  message: z.string().describe("A sentence about what was found, and for a violation about the rule."),
  reason: z.string().optional().describe("The reason for the rule, from the policy file."),
  resource: z.string().optional(),
  principal: z.string().optional(),
  role: z.string().optional(),
  unsure: z
    .literal(true)
    .optional()
    .describe("It is unknown whether the rule applies. Without another reason for 2, the exit code is 3."),
});

const exitCode = z.union([z.literal(0), z.literal(2), z.literal(3)]);

const summary = z.strictObject({
  gained: z.int(),
  lost: z.int(),
  conditions: z.int(),
  unchanged: z.int(),
  noAccessLeft: z.int(),
  refused: z.int(),
  unknown: z.int(),
});

const stackAnswer = z.strictObject({
  project: z.string().optional(),
  stack: z.string().optional().describe("Absent for `access` of named resources, and where the plan names no stack."),
  resources: z
    .array(resource)
    .describe("By name. Only resources with changed grants or unknown facts; for `access`, all resources."),
  refused: z.array(refusal),
  unknown: z.array(uncertainty).describe("Unknown facts that belong to none of these resources."),
  sources: z
    .record(z.string(), source)
    .optional()
    .describe(
      "The lines of the program that declare the resources of steps, by the URN of the step. It has the steps that this answer " +
        "names and whose line is known. Absent without any.",
    ),
  notes: z
    .array(z.string())
    .describe("The limits of this answer, as sentences: inherited access, groups, steps of other providers."),
  summary,
  verdict: z
    .strictObject({
      exitCode: exitCode.describe(
        "0: nobody loses access. 2: somebody loses access, somebody gains access where that needs an allowance, something violates a rule of the policy file, or the provider " +
          "would refuse a step. 3: something is unknown. 2 takes precedence over 3, except that an incomplete plan is always 3.",
      ),
      judgements: z
        .array(judgement)
        .describe(
          "What the rules say about the findings: first what they refuse, then warnings, then what they allow.",
        ),
      rules: z
        .string()
        .nullable()
        .optional()
        .describe(
          "Path of the policy file, of the nearest one if several apply; null without one. Absent if a program passed the rules.",
        ),
      rulesAbove: z
        .array(z.string())
        .optional()
        .describe("Paths of the policy files above, which also apply: that of the root first."),
      rulesRevision: z
        .string()
        .optional()
        .describe("The git revision that the policy files were read from (`--policy-from`)."),
    })
    .describe("The verdict of the gate by the rules of this stack."),
});

/** @internal */
export const answerSchema = z.strictObject({
  version: z.literal(ANSWER_VERSION).describe("Version of this format. New fields do not increase it."),
  operation: z.enum(["update", "destroy", "access"]).describe("`access`: the current access, without a plan."),
  masked: z
    .literal(true)
    .optional()
    .describe(
      "`--mask-principals`: numbers stand for the names of principals. Such an answer cannot be compared with another.",
    ),
  expiresWithin: z
    .string()
    .optional()
    .describe("The value of `--expires-within`, such as `30d`. The text forms then list what never expires, too."),
  stacks: z
    .array(stackAnswer)
    .min(1)
    .describe(
      "What was found about each stack, and judged by its own rules, in the order in which they were named. `access` of named " +
        "resources has one entry without a name.",
    ),
  notes: z.array(z.string()).describe("Sentences about all stacks together, such as who declares the same grant."),
  summary: summary.describe("The counts of all stacks together."),
  exitCode: exitCode.describe(
    "That of the worst stack: 2 takes precedence over 3, except that an incomplete plan is always 3.",
  ),
});

/**
 * Checks a value that may be an answer, for example from a file. The public types derive from its return type: `z.infer` would
 * put zod's types into the package's declaration files, and TypeScript refuses them without `esModuleInterop` or
 * `skipLibCheck`.
 *
 * @throws ZodError if it is not an answer
 */
export function checkedAnswer(value: unknown) {
  return answerSchema.parse(value);
}

export type Answer = ReturnType<typeof checkedAnswer>;
/** The part of an answer that is about one stack. */
export type StackAnswer = Answer["stacks"][number];
export type ReviewedResource = StackAnswer["resources"][number];
export type ReviewedGrant = ReviewedResource["unmanaged"][number];
export type Condition = NonNullable<ReviewedGrant["condition"]>;
export type AccessChanged = ReviewedResource["changes"][number];
export type Binding = NonNullable<ReviewedResource["after"]>[number];
export type Expiry = NonNullable<Binding["expires"]>;
export type Uncertainty = StackAnswer["unknown"][number];
export type Refusal = StackAnswer["refused"][number];
/** The lines of a program that declare resources, by URN. */
export type Sources = NonNullable<StackAnswer["sources"]>;
export type Verdict = StackAnswer["verdict"];
/** What a rule says about a finding. */
export type Judgement = Verdict["judgements"][number];
/** The names of a stack, as far as they are known. */
export type StackNames = Pick<StackAnswer, "project" | "stack">;
/** What was found about a stack, before the gate. */
export type Found = Omit<StackAnswer, "summary" | "verdict"> & Pick<Answer, "operation">;

/** The counts of what was found about a stack. */
export function summaryOf({
  resources,
  refused,
  unknown,
}: Pick<Found, "resources" | "refused" | "unknown">): StackAnswer["summary"] {
  const changes = resources.flatMap((each) => each.changes);
  const count = (kind: string) => changes.filter((each) => each.change === kind && !isWithoutEffect(each)).length;
  const sum = (counts: number[]) => counts.reduce((total, each) => total + each, 0);
  return {
    gained: count("gained"),
    lost: count("lost"),
    conditions: count("condition"),
    unchanged: sum(resources.map((each) => each.unchanged)),
    noAccessLeft: sum(resources.map((each) => each.noAccessLeft.length)),
    refused: refused.length,
    unknown: unknown.length + sum(resources.map((each) => each.unknown.length)),
  };
}

/** The judgements of a verdict that have an effect. */
export function judgementsWith({ judgements }: Pick<Verdict, "judgements">, effect: Judgement["effect"]): Judgement[] {
  return judgements.filter((each) => each.effect === effect);
}

/** Whether a judgement is that something is unknown, also whether its rule applies. */
export function isUnsure({ rule, unsure }: Judgement): boolean {
  return rule === "unknown" || unsure === true;
}

/** Whether a grant was removed that gave nobody access. */
export function isWithoutEffect({ change, gaveNoAccess }: AccessChanged): boolean {
  return change === "lost" && gaveNoAccess !== undefined;
}

/** Whether the plan of a review misses steps, so that anybody may lose access. */
export function isIncomplete(operation: Answer["operation"], { unknown }: Pick<StackAnswer, "unknown">): boolean {
  return operation !== "access" && unknown.some(({ code }) => code === "incomplete plan");
}

/**
 * Whether somebody may be able to do less afterwards. Conditions are not compared, so a grant with another condition counts
 * as a loss. A grant that has no condition any more does not, and neither does one that gave no access.
 */
export function isLoss({ change, condition, gaveNoAccess }: AccessChanged): boolean {
  if (gaveNoAccess !== undefined) return false;
  return change === "lost" || (change === "condition" && isConditional(condition));
}

/** Whether somebody may be able to do more afterwards. A new condition on a grant that had none gives nobody more. */
export function isGain({ change, conditionBefore }: AccessChanged): boolean {
  return change === "gained" || (change === "condition" && conditionBefore !== null);
}

/** Whether the principal of a loss has no access left. A hidden principal does not count: it may be one of those with access. */
export function hasNoAccessLeft(
  { noAccessLeft }: ReviewedResource,
  { change, principal, hidden }: AccessChanged,
): boolean {
  return change === "lost" && hidden === undefined && noAccessLeft.includes(principal);
}

/** Whether a grant has a condition. As in policies, an empty expression is not a condition. */
export function isConditional(condition: Condition | undefined): boolean {
  return condition !== undefined && condition.expression !== "";
}
