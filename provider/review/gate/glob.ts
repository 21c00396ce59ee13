import { caseMatters, comparableMember } from "../../iam/member";

/**
 * Whether a text is of a pattern's form: `*` stands for any text, also an empty one, and everything else for itself.
 *
 * Each piece between two stars is looked for once, from where the one before it ended. There is no going back, as a
 * regular expression may have: patterns come from files, texts from policies, and neither can make this slow.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** The same for a member: as policies compare members, the case of email addresses and domains makes no difference. */
export function matchesMember(pattern: string, member: string): boolean {
  if (matchesGlob(pattern, member)) return true;
  return !caseMatters(member) && matchesGlob(comparableMember(pattern), comparableMember(member));
}
