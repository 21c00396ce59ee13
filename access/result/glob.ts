import { caseMatters, comparableMember } from "../../provider/iam/member";

/**
 * Whether a text matches a pattern. `*` matches any text, including an empty one; all other characters match themselves.
 *
 * Each piece between two stars is searched once, from the end of the piece before it. There is no backtracking, because
 * patterns from files and texts from policies must not make this slow.
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

/** The word that stands for all of Google's service agents among the patterns of principals. */
export const GOOGLE_SERVICE_AGENTS = "google-service-agents";

/**
 * The service accounts that Google creates and manages. Their domains are those of projects of Google's, which begin with
 * `gcp-sa-`, and `cloudservices`, of the Google APIs service agent: https://cloud.google.com/iam/docs/service-agents. Agents
 * with other domains are not recognized. The default service accounts of Compute Engine and App Engine are users' own:
 * https://cloud.google.com/iam/docs/service-account-types#default
 */
const SERVICE_AGENT =
  /^serviceAccount:(?:service-[a-z0-9-]+@gcp-sa-[a-z0-9-]+\.iam|\d+@cloudservices)\.gserviceaccount\.com$/i;

/**
 * Whether a member matches a pattern or is one of those that a word stands for. As in policies, the letter case of email
 * addresses and domains does not matter.
 */
export function matchesMember(pattern: string, member: string): boolean {
  if (pattern === GOOGLE_SERVICE_AGENTS) return SERVICE_AGENT.test(member);
  if (matchesGlob(pattern, member)) return true;
  return !caseMatters(member) && matchesGlob(comparableMember(pattern), comparableMember(member));
}

/** A part of a text: fixed characters, or one or more characters that each match an expression. */
export type TextPart = string | RegExp;

/**
 * Whether a text of these parts can match a pattern. It follows all possible positions in the pattern at once, so that no
 * input makes this slow.
 */
export function canMatchGlob(pattern: string, parts: readonly TextPart[]): boolean {
  let at = withStarsSkipped(pattern, new Set([0]));
  for (const part of parts) {
    if (typeof part === "string")
      for (const character of part.split("")) {
        at = after(pattern, at, (one) => one === character);
        // Most names differ from a pattern in their first characters.
        if (at.size === 0) return false;
      }
    else at = afterMany(pattern, at, part);
  }
  return at.has(pattern.length);
}

function afterMany(pattern: string, from: ReadonlySet<number>, characters: RegExp): Set<number> {
  const all = new Set<number>();
  let reached = after(pattern, from, (one) => characters.test(one));
  for (let known = -1; known < all.size; reached = after(pattern, reached, (one) => characters.test(one))) {
    known = all.size;
    for (const place of reached) all.add(place);
  }
  return all;
}

/** The positions in the pattern after one more character of the text. A star keeps its position. */
function after(pattern: string, from: ReadonlySet<number>, isOne: (character: string) => boolean): Set<number> {
  const next = new Set<number>();
  for (const place of from) {
    const character = pattern[place];
    if (character === "*") next.add(place);
    else if (character !== undefined && isOne(character)) next.add(place + 1);
  }
  return withStarsSkipped(pattern, next);
}

function withStarsSkipped(pattern: string, places: Set<number>): Set<number> {
  for (const place of places) if (pattern[place] === "*") places.add(place + 1);
  return places;
}
