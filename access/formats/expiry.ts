import { DEFAULT_EXPIRES_WITHIN, periodInWords } from "../condition/period";
import type { Expiry, ReviewResult } from "../result";
import { visible } from "../visible";

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
    (after ?? []).flatMap(({ role, members, expires }) =>
      members.map((principal) => ({ principal, role, resource, end: expires ?? ({ state: "never" } as const) })),
    ),
  );
  const of = (state: State) => grants.filter(({ end }) => end.state === state);
  return { expired: of("expired"), soon: of("soon"), later: of("later"), never: of("never"), unknown: of("unknown") };
}

/** `1 has expired, 2 expire within 30 days, 14 never expire`; undefined if nothing ends, and nobody asked. */
export function endsHeadline(result: ReviewResult): string | undefined {
  const { expired, soon, later, never, unknown } = grantsByState(result);
  if (result.expiresWithin === undefined && expired.length + soon.length + later.length + unknown.length === 0) {
    return undefined;
  }
  const part = ({ length }: readonly EndingGrant[], one: string, many: string) =>
    length === 0 ? [] : [`${length.toLocaleString("en-US")} ${length === 1 ? one : many}`];
  return [
    ...part(expired, "has expired", "have expired"),
    ...part(soon, `expires within ${periodOf(result)}`, `expire within ${periodOf(result)}`),
    ...part(later, "expires later", "expire later"),
    ...part(never, "never expires", "never expire"),
    ...part(unknown, "expires at an unknown time", "expire at an unknown time"),
  ].join(", ");
}

function periodOf({ expiresWithin = DEFAULT_EXPIRES_WITHIN }: ReviewResult): string {
  return periodInWords(expiresWithin);
}

/** A list of grants that have something in common. */
export interface EndingList {
  title: string;
  /** Whether the grants need attention. */
  isUrgent: boolean;
  grants: Array<{ principal: string; role: string; resource: string; /** A clause. */ detail?: string }>;
}

/** What never expires is listed if somebody asked for it (`expiresWithin`): most grants do not. */
export function endingLists(result: ReviewResult): EndingList[] {
  const { expired, soon, never, unknown } = grantsByState(result);
  const list = (title: string, isUrgent: boolean, grants: readonly EndingGrant[]): EndingList[] => {
    const shown = grants.map(({ principal, role, resource, end }) => ({
      principal: visible(principal),
      role: visible(role),
      resource: visible(resource),
      ...detailOf(end),
    }));
    return shown.length === 0 ? [] : [{ title, isUrgent, grants: shown }];
  };
  return [
    ...list("Expired: these grants give no access, and can be removed", true, expired),
    ...list(`Expires within ${periodOf(result)}`, true, soon),
    ...list("Expires at an unknown time", true, unknown),
    ...(result.expiresWithin === undefined ? [] : list("Never expires", false, never)),
  ];
}

function detailOf({ state, at, unread }: Expiry): { detail?: string } {
  if (unread !== undefined) return { detail: `this part of the condition cannot be read: ${visible(unread)}` };
  if (at !== undefined) return { detail: `it ${state === "expired" ? "expired" : "expires"} on ${visible(at)}` };
  return state === "expired" ? { detail: "the condition holds at no time" } : {};
}
