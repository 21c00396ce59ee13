import { isRecord } from "../../provider/core/unknown";
import type { ReviewedGrant } from "./result";

/** The texts of a result, some of which stand for hidden values: `[secret]` and `[known after the update]`. */

/** The reason why a value is hidden, as in results. */
export type HiddenReason = NonNullable<ReviewedGrant["hidden"]>;

/** In the place of a resource that no input of another package's type names. */
export const UNNAMED = "[unknown]";

const PLACEHOLDER = /\[(?:secret|known after the update)\]/;
/** A whole principal or role, such as `user:[secret]`. */
const HIDDEN_NAME = new RegExp(String.raw`^(?:(?:deleted:)?\w+:)?${PLACEHOLDER.source}$`);
/** The beginning of the name of a resource, and of no principal: `projects/`, `b/`, `//pubsub.googleapis.com/`. */
const RESOURCE = /^(?:\/\/|[\w-]+\/)/;

/**
 * Whether a text of a result stands for a hidden value. A real principal or role may contain the same characters, so only the
 * whole text counts. The name of a real resource cannot contain them, and may be hidden in part.
 */
export function isHidden(text: string): boolean {
  return HIDDEN_NAME.test(text) || (RESOURCE.test(text) && PLACEHOLDER.test(text));
}

/** The parts of a text around its hidden values. */
export function partsAroundHidden(text: string): string[] {
  return text.split(PLACEHOLDER);
}

/**
 * Replaces the texts in a value. The names of properties stay, except those that are URNs.
 *
 * @param replace gets the text and the property that it is in, also as an element of a list; for the URN of a property, `step`.
 */
export function mapTexts<T>(value: T, replace: (text: string, property: string) => string, property?: string): T;
export function mapTexts(value: unknown, replace: (text: string, property: string) => string, property = ""): unknown {
  if (typeof value === "string") return replace(value, property);
  if (Array.isArray(value)) return value.map((each) => mapTexts<unknown>(each, replace, property));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key.startsWith("urn:pulumi:") ? replace(key, "step") : key,
      mapTexts(each, replace, key),
    ]),
  );
}
