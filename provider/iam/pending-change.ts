import { endOf, onAbort, type Call } from "../http/call";
import type { PolicyAdmins } from "./lockout";
import type { Policy } from "./policy";

/** A change of a policy, and what it may do. */
export interface PolicyChange {
  /** Pure. Returns the very policy that it got where there is nothing to change. */
  apply(policy: Policy): Policy;
  /** Whom the change must not lock out, or else it is refused. Absent: it may take anything from anybody. */
  admins?: PolicyAdmins;
}

/** A change that waits for its outcome: the changed policy, an error, or the end of its own call, whichever comes first. */
export class PendingChange {
  readonly outcome: Promise<Policy>;
  /** True where a write with this change was sent, and nobody knows whether it was made. */
  isUncertain = false;
  /** When the change was first refused for an identity that the API does not know yet, in milliseconds since the epoch. */
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

  /** True as long as the change has no outcome; no write contains a change that has one. */
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
