import { endOf, onAbort, type Call } from "../http/call";
import type { PolicyAdmins } from "./lockout";
import type { Policy } from "./policy";

/** A change of a policy, with its restrictions. */
export interface PolicyChange {
  /** A pure function. It returns the same object when nothing changes. */
  apply(policy: Policy): Policy;
  /** The change is refused if it would lock out one of these. Absent when the change may remove any grant. */
  admins?: PolicyAdmins;
}

/**
 * A change that has no outcome yet. The outcome is the changed policy, an error, or the end of its own call, whichever comes
 * first.
 */
export class PendingChange {
  readonly outcome: Promise<Policy>;
  /** Whether a write with this change was sent, and its result is unknown. */
  isUncertain = false;
  /**
   * The time when the API first refused the change because it did not know the identity yet, in milliseconds since the epoch.
   */
  unknownSince?: number;
  private settled = false;
  private fulfil!: (policy: Policy) => void;
  private refuse!: (error: unknown) => void;
  private readonly removeListener: () => void;

  /** @param doing for messages: "change the access policy of the FHIR store projects/…". */
  constructor(
    readonly change: PolicyChange,
    readonly call: Call,
    private readonly doing: string,
  ) {
    this.outcome = new Promise<Policy>((resolve, reject) => {
      this.fulfil = resolve;
      this.refuse = reject;
    });
    this.removeListener = onAbort(call.signal, () => this.end());
  }

  /** Whether the change has no outcome yet. Writes contain only such changes. */
  get isOpen(): boolean {
    return !this.settled;
  }

  resolve(policy: Policy): void {
    this.settled = true;
    this.removeListener();
    this.fulfil(policy);
  }

  reject(error: unknown): void {
    this.settled = true;
    this.removeListener();
    this.refuse(error);
  }

  private end(): void {
    this.settled = true;
    this.removeListener?.();
    this.refuse(endOf(this.call, this.doing, this.isUncertain ? "unknown" : "none"));
  }
}
