import type { ReviewedGrant } from "./result";

/** The texts of a result that stand for hidden values: `[secret]` and `[known after the update]`. */

/** The reason why a value is hidden, as in results. */
export type HiddenReason = NonNullable<ReviewedGrant["hidden"]>;

const PLACEHOLDER = /\[(?:secret|known after the update)\]/;
/** A whole principal or role, such as `user:[secret]`. */
const HIDDEN_NAME = new RegExp(String.raw`^(?:(?:deleted:)?\w+:)?${PLACEHOLDER.source}$`);

/**
 * Whether a text of a result stands for a hidden value. A real principal or role may contain the same characters, so only the
 * whole text counts. The name of a real resource cannot contain them, and may be hidden in part.
 */
export function isHidden(text: string): boolean {
  return HIDDEN_NAME.test(text) || (text.startsWith("projects/") && PLACEHOLDER.test(text));
}

/** The parts of a text around its hidden values. */
export function partsAroundHidden(text: string): string[] {
  return text.split(PLACEHOLDER);
}
