/**
 * Who gains and who loses access in a plan, for programs that drive Pulumi (`import { review } from
 * "pulumi-perimeter/review"`). docs/review.md has it for users.
 */
import "../require-node.cjs";

export {
  access,
  accessOfStack,
  readAccess,
  readStackAccess,
  type AccessOfStackOptions,
  type AccessOptions,
  type ReadAccessOptions,
  type StackAccessOptions,
} from "./access";
export type { Adoption, ImportedResource, ImportFile, SeededResource, StackSeed } from "./files/stack-files";
export { ConfigurationError, InputError } from "../provider/core/errors";
export type { AlertOptions } from "./formats/alerts";
export { codeQualityText } from "./formats/code-quality";
export { githubText } from "./formats/github";
export { htmlPage } from "./formats/html";
export { jsonText } from "./formats/json";
export { junitText } from "./formats/junit";
export { markdownText } from "./formats/markdown";
export { sarifText } from "./formats/sarif";
export { terminalText } from "./formats/terminal";
export type { TerminalOptions } from "./formats/terminal-page";
export { unusedAllowances } from "./gate/judge";
export { maskedCopy, maskMessage, maskPrincipals, type MaskOptions } from "./formats/masked-principals";
export { readPolicy } from "./gate/read-policy";
export type { ReviewPolicy, Rules, RulesFile } from "./gate/rules";
export {
  checkedAnswer,
  type AccessChanged,
  type Answer,
  type Judgement,
  type Refusal,
  type ReviewedGrant,
  type ReviewedResource,
  type StackAnswer,
  type Uncertainty,
  type Verdict,
} from "./result/result";
export {
  review,
  reviewInFolder,
  reviewStack,
  reviewStacks,
  type ReviewInFolderOptions,
  type ReviewOptions,
  type ReviewStackOptions,
  type ReviewStacksOptions,
  type StackInFolder,
} from "./review";
export { PulumiError, type PulumiOptions } from "./plan/run-pulumi";
export { projectFolderIn, readStack, type StackInputs } from "./plan/stack";
