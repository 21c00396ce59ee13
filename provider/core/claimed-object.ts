import { getOrCompute } from "./once";

/** An unknown identity of a resource. It equals no other identity, not even itself. */
export const UNKNOWN_IDENTITY = "";

/** The facts of one resource about one object. */
export type Claim = Record<"declared" | "held" | "making" | "made", boolean>;

/** An object with the claims on it. */
export class ClaimedObject {
  /** By the identity of the resource. */
  readonly claims = new Map<string, Claim>();
  /**
   * The identities of the resources whose newest record in the state is of this object: an import or a read found it, or the
   * state has had it since the resource's last check. Engines check a resource again before they replace it.
   */
  readonly current = new Set<string>();
  /** The ids of the removals in progress. */
  readonly removals = new Set<string>();
  /** The number of completed removals. */
  removed = 0;

  /** @param project its key in the facts. */
  constructor(readonly project: string) {}

  of(identity: string): Claim {
    return getOrCompute(this.claims, identity, () => ({ declared: false, held: false, making: false, made: false }));
  }

  is(what: keyof Claim): boolean {
    return [...this.claims.values()].some((claim) => claim[what]);
  }
}

/** The claims of all other resources. */
export function othersOf({ claims }: ClaimedObject, identity: string): [string, Claim][] {
  return [...claims].filter(([by]) => by !== identity || by === UNKNOWN_IDENTITY);
}

export function holds({ held, made }: Claim): boolean {
  return held || made;
}
