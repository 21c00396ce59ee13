const SLASH = 47;
/** The steps of a glob that are no characters. */
const STAR = -1;
const DOUBLE_STAR = -2;

/**
 * A glob for a whole text: `**` matches any characters, and `*` matches any characters except `/`. A list may have 100,000 globs.
 * So a glob is prepared in one pass over its text, and a text is first compared with what stands before the first star and
 * after the last one.
 */
export function glob(source: string): (text: string) => boolean {
  const parts = source.split(/(\*+)/);
  const [start = ""] = parts;
  if (parts.length === 1) return (text) => text === source;
  const end = parts.at(-1) ?? "";
  const steps = parts
    .slice(1, -1)
    .flatMap((part) =>
      part === "*"
        ? STAR
        : part.startsWith("**")
          ? DOUBLE_STAR
          : Array.from(part.split(""), (each) => each.charCodeAt(0)),
    );
  return (text) =>
    text.length >= start.length + end.length &&
    text.startsWith(start) &&
    text.endsWith(end) &&
    matches(steps, text.slice(start.length, text.length - end.length));
}

/** Tries all ways to match at once, so the time is at most the product of the two lengths. */
function matches(steps: readonly number[], text: string): boolean {
  /** By the number of steps: whether so many of the first steps match the text so far. */
  const reached = new Uint8Array(steps.length + 1);
  reached[0] = 1;
  steps.forEach((step, index) => (reached[index + 1] = step < 0 ? (reached[index] ?? 0) : 0));
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    let before = reached[0] ?? 0;
    reached[0] = 0;
    for (let count = 1; count <= steps.length; count++) {
      const step = steps[count - 1] ?? 0;
      const here = reached[count] ?? 0;
      reached[count] =
        step < 0
          ? (reached[count - 1] ?? 0) | (step === DOUBLE_STAR || character !== SLASH ? here : 0)
          : step === character
            ? before
            : 0;
      before = here;
    }
  }
  return reached[steps.length] === 1;
}
