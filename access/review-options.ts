import type { Environment } from "../provider/core/environment";
import type { Rules } from "./gate/rules";
import type { PulumiOptions } from "./plan/run-pulumi";
import type { PreviewOptions } from "./plan/stack";

export interface ReviewOptions {
  /** The output of `pulumi preview --json` or `pulumi destroy --preview-only --json`, best with `--show-sames`. */
  plan: string;
  /** Whether the plan is of `pulumi destroy`, which a plan does not say. @default false */
  destroy?: boolean;
  /**
   * The output of `pulumi stack export` before the plan is carried out. With `--show-secrets`, the review also follows grants
   * with a secret member, without showing it. Without a state, facts that the plan does not show are unknown.
   */
  state?: string;
  /**
   * Settings of the stack with secrets in plain text, which a plan does not have: `{ "perimeter:accessToken": "…" }`. A key
   * without a namespace belongs to the provider. These settings override the plan's.
   */
  configuration?: Readonly<Record<string, unknown>>;
  /** Environment variables from which the provider takes settings and credentials. @default process.env */
  environment?: Environment;
  /** The rules for the verdict. @default no loss is expected, and nothing may be unknown */
  rules?: Rules;
  /** Whether the policies above the resources are read, too: of the dataset, the project, folders, the organization. @default true */
  inherited?: boolean;
  /** Whether resources whose grants do not change are reviewed, too. @default false */
  all?: boolean;
  /** The folder of the plan's project, or a folder below. With it, the result names the lines of the program. */
  cwd?: string;
}

export interface ReviewInFolderOptions
  extends Pick<ReviewOptions, "plan" | "destroy" | "rules" | "inherited" | "all">, PulumiOptions {}

export interface ReviewStackOptions extends PreviewOptions, Pick<ReviewOptions, "rules" | "inherited" | "all"> {}
