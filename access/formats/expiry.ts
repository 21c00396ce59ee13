import { DEFAULT_EXPIRES_WITHIN, periodInWords } from "../condition/period";
import { grantsIn } from "../result/grants";
import { groupedBy } from "../result/order";
import type { Answer, Expiry } from "../result/result";
import type { NamedGrant } from "../result/sentences";
import { together } from "../result/stacks";
import { visible } from "../result/visible";
import type { Section, Tone } from "./sections";

/** What the text forms say about the end of grants. */

type State = Expiry["state"];

/** A grant with its end. */
interface EndingGrant extends NamedGrant {
  end: Expiry;
}

const WORDS: Readonly<Record<State, string | undefined>> = {
  expired: "expired",
  soon: "expires soon",
  later: undefined,
  never: "never expires",
  unknown: "it is unknown when it expires",
};

/** The words after a condition; undefined if the condition says it all. */
export function endInWords(end: Expiry | undefined): string | undefined {
  return end && WORDS[end.state];
}

/** The current grants of an answer. Those under no condition never expire. */
function endingIn({ stacks }: Answer): EndingGrant[] {
  return together(stacks).resources.flatMap(({ resource, after }) =>
    grantsIn(after).map(({ principal, role, expires: end = { state: "never" } }) => ({
      principal,
      role,
      resource,
      end,
    })),
  );
}

/**
 * What an answer says about the ends of its grants.
 *
 * @returns `headline`: `1 has expired, 2 expire within 30 days, 14 never expire`; absent without a grant, and if no grant can end and
 * the caller did not give `expiresWithin`. `sections`: the grants that never expire are listed only if the caller gave it, because most never do.
 */
export function endsOf(answer: Answer): { headline?: string; sections: Section[] } {
  const { expiresWithin } = answer;
  const within = periodInWords(expiresWithin ?? DEFAULT_EXPIRES_WITHIN);
  const grants = endingIn(answer);
  const canEnd = grants.some(({ end }) => end.state !== "never");
  const byState = groupedBy(grants, ({ end }) => end.state);
  const part = (state: State, one: string, many: string) => {
    const { length } = byState.get(state) ?? [];
    return length === 0 ? [] : [`${length.toLocaleString("en-US")} ${length === 1 ? one : many}`];
  };
  const parts = [
    ...part("expired", "has expired", "have expired"),
    ...part("soon", `expires within ${within}`, `expire within ${within}`),
    ...part("later", "expires later", "expire later"),
    ...part("never", "never expires", "never expire"),
    ...part("unknown", "expires at an unknown time", "expire at an unknown time"),
  ];
  const sections = [
    section("Expired: these grants give no access, and can be removed", "warn", byState.get("expired")),
    section(`Expires within ${within}`, "warn", byState.get("soon")),
    section("Expires at an unknown time", "warn", byState.get("unknown")),
    ...(expiresWithin === undefined ? [] : [section("Never expires", "soft", byState.get("never"))]),
  ];
  return {
    ...(parts.length > 0 && (canEnd || expiresWithin !== undefined) ? { headline: parts.join(", ") } : {}),
    sections: sections.filter(({ entries }) => entries.length > 0),
  };
}

function section(title: string, tone: Tone, grants: readonly EndingGrant[] = []): Section {
  const entries = grants.map(({ principal, role, resource, end }) => {
    const named = (text: string) => ({ name: visible(text) });
    const text = [named(principal), " has ", named(role), " on ", named(resource), ...clauseOf(end)];
    return { text, details: [], steps: [] };
  });
  return { title, tone, entries };
}

function clauseOf({ state, at, unread }: Expiry): string[] {
  if (unread !== undefined) return [`; this part of the condition cannot be read: ${visible(unread)}`];
  if (at !== undefined) return [`; it ${state === "expired" ? "expired" : "expires"} on ${visible(at)}`];
  return state === "expired" ? ["; the condition holds at no time"] : [];
}
