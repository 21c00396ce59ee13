import { DEFAULT_EXPIRES_WITHIN, periodInWords } from "../condition/period";
import { grantsIn } from "../result/grants";
import type { Expiry, ReviewResult } from "../result/result";
import { visible } from "../result/visible";

/** What the text forms say about the end of grants. */

type State = Expiry["state"];

/** A grant with its end. */
interface EndingGrant {
  principal: string;
  role: string;
  resource: string;
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

/** The current grants of an answer, by their state. Those under no condition never expire. */
function grantsByState({ resources }: ReviewResult): Record<State, EndingGrant[]> {
  const grants = resources.flatMap(({ resource, after }) =>
    grantsIn(after).map(({ principal, role, expires: end = { state: "never" } }) => ({
      principal,
      role,
      resource,
      end,
    })),
  );
  const of = (state: State) => grants.filter(({ end }) => end.state === state);
  return { expired: of("expired"), soon: of("soon"), later: of("later"), never: of("never"), unknown: of("unknown") };
}

/** A list of grants that have something in common. */
export interface EndingList {
  title: string;
  /** Whether the grants need attention. */
  isUrgent: boolean;
  grants: Array<{ principal: string; role: string; resource: string; /** A clause. */ detail?: string }>;
}

/**
 * What an answer says about the ends of its grants.
 *
 * @returns `headline`: `1 has expired, 2 expire within 30 days, 14 never expire`; absent without a grant, and if no grant can end and
 * the caller did not give `expiresWithin`. `lists`: the grants that never expire are listed only if the caller gave it, because most never do.
 */
export function endsOf(result: ReviewResult): { headline?: string; lists: EndingList[] } {
  const { expiresWithin } = result;
  const within = periodInWords(expiresWithin ?? DEFAULT_EXPIRES_WITHIN);
  const { expired, soon, later, never, unknown } = grantsByState(result);
  const canEnd = expired.length + soon.length + later.length + unknown.length > 0;
  const part = ({ length }: readonly EndingGrant[], one: string, many: string) =>
    length === 0 ? [] : [`${length.toLocaleString("en-US")} ${length === 1 ? one : many}`];
  const parts = [
    ...part(expired, "has expired", "have expired"),
    ...part(soon, `expires within ${within}`, `expire within ${within}`),
    ...part(later, "expires later", "expire later"),
    ...part(never, "never expires", "never expire"),
    ...part(unknown, "expires at an unknown time", "expire at an unknown time"),
  ];
  const lists = [
    listOf("Expired: these grants give no access, and can be removed", true, expired),
    listOf(`Expires within ${within}`, true, soon),
    listOf("Expires at an unknown time", true, unknown),
    ...(expiresWithin === undefined ? [] : [listOf("Never expires", false, never)]),
  ];
  return {
    ...(parts.length > 0 && (canEnd || expiresWithin !== undefined) ? { headline: parts.join(", ") } : {}),
    lists: lists.filter((list) => list.grants.length > 0),
  };
}

function listOf(title: string, isUrgent: boolean, grants: readonly EndingGrant[]): EndingList {
  const shown = grants.map(({ principal, role, resource, end }) => ({
    principal: visible(principal),
    role: visible(role),
    resource: visible(resource),
    ...detailOf(end),
  }));
  return { title, isUrgent, grants: shown };
}

function detailOf({ state, at, unread }: Expiry): { detail?: string } {
  if (unread !== undefined) return { detail: `this part of the condition cannot be read: ${visible(unread)}` };
  if (at !== undefined) return { detail: `it ${state === "expired" ? "expired" : "expires"} on ${visible(at)}` };
  return state === "expired" ? { detail: "the condition holds at no time" } : {};
}
