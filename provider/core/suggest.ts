import { closest, distance } from "fastest-levenshtein";

/** ` (did you mean "location"?)` when a known word is near enough to be what was meant, else an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const comparable = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, "");
  const candidates = known.map(comparable);
  const nearest = closest(comparable(word), candidates);
  const allowed = Math.max(1, Math.floor(Math.max(word.length, nearest.length) / 3));
  // Two letters that changed places are one mistake, which counts as two replaced ones.
  if (distance(comparable(word), nearest) > allowed && !sameLetters(comparable(word), nearest)) return "";
  return ` (did you mean "${known[candidates.indexOf(nearest)]}"?)`;
}

function sameLetters(left: string, right: string): boolean {
  return [...left].sort().join("") === [...right].sort().join("");
}
