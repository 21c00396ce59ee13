import { closest, distance } from "fastest-levenshtein";

/** ` (did you mean "location"?)` when a known word is similar enough, else an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const comparable = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, "");
  const candidates = known.map(comparable);
  // The comparison takes time in proportion to both lengths, and a much longer word is never similar.
  if (comparable(word).length > 2 * Math.max(...candidates.map(({ length }) => length))) return "";
  const nearest = closest(comparable(word), candidates);
  const allowed = Math.max(1, Math.floor(Math.max(word.length, nearest.length) / 3));
  // Two swapped letters are one mistake, but would count as two replacements.
  if (distance(comparable(word), nearest) > allowed && !hasSameLetters(comparable(word), nearest)) return "";
  return ` (did you mean "${known[candidates.indexOf(nearest)]}"?)`;
}

function hasSameLetters(left: string, right: string): boolean {
  return [...left].sort().join("") === [...right].sort().join("");
}
