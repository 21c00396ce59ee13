/**
 * Who gains and who loses access in a plan, for programs that drive Pulumi (`import { review } from
 * "pulumi-perimeter/review"`). docs/review.md has it for users.
 */
import "../require-node.cjs";

export { access, accessOfStack, type AccessOfStackOptions, type AccessOptions } from "./now/access";
export { readAccess, type ReadAccessOptions } from "./now/named-access";
export { readStackAccess, type StackAccessOptions } from "./now/stack-access";
export type { Adoption, ImportedResource, ImportFile, SeededResource, StackSeed } from "./now/stack-files";
export { ConfigurationError, InputError } from "../provider/core/errors";
export { htmlPage, jsonText, markdownText, terminalText, type TerminalOptions } from "./formats";
export { unusedAllowances } from "./gate/judge";
export { maskedCopy, maskMessage, maskPrincipals, type MaskOptions } from "./masked-principals";
export { readPolicy } from "./gate/read-policy";
export type { ReviewPolicy, Rules, RulesFile } from "./gate/rules";
export {
  checkedResult,
  type AccessChanged,
  type Violation,
  type Refusal,
  type ReviewedGrant,
  type ReviewedResource,
  type ReviewResult,
  type Uncertainty,
  type Verdict,
} from "./result";
export { review, reviewStack, type ReviewOptions, type ReviewStackOptions } from "./review";
export { PulumiError, type PulumiOptions } from "./plan/run-pulumi";
export { projectFolderIn, readStack, readStackOfPlan, type StackInputs, type StackOfPlan } from "./plan/stack";
