import { isRecord } from "../../provider/core/unknown";

/**
 * Replaces every text in a value.
 *
 * @param replace gets the text and the property that it is in, also as an element of a list.
 */
export function mapTexts<T>(value: T, replace: (text: string, property: string) => string, property?: string): T;
export function mapTexts(value: unknown, replace: (text: string, property: string) => string, property = ""): unknown {
  if (typeof value === "string") return replace(value, property);
  if (Array.isArray(value)) return value.map((each) => mapTexts<unknown>(each, replace, property));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, replace, key)]));
}
