import { closest, distance } from "fastest-levenshtein";

/** ` (did you mean "location"?)` when a known word is near enough to be what was meant, else an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const comparable = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, "");
  const candidates = known.map(comparable);
  const nearest = closest(comparable(word), candidates);
  const allowed = Math.max(1, Math.floor(Math.max(word.length, nearest.length) / 3));
  if (distance(comparable(word), nearest) > allowed) return "";
  return ` (did you mean "${known[candidates.indexOf(nearest)]}"?)`;
}
