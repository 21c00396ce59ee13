import { pooledSend } from "../../provider/http/pool";
import type { Send } from "../../provider/http/send";

/** The moments of a request at which a process can end, as far as the server can tell them apart. */
export const MOMENTS = ["before it is sent", "after its answer"] as const;
export type Moment = (typeof MOMENTS)[number];

/** A process that ends at one of its requests: it sends no more of them, and all that it knew is lost. */
export class DoomedProcess {
  readonly ended: Promise<void>;
  private requests = 0;
  private end!: () => void;

  /** @param last the number of its last request, from 1 */
  constructor(
    private readonly last: number,
    private readonly moment: Moment,
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
  }

  readonly send: Send = async (request) => {
    const isLast = ++this.requests === this.last;
    if (this.requests > this.last || (isLast && this.moment === "before it is sent")) return this.never();
    const response = await pooledSend(request);
    return isLast ? this.never() : response;
  };

  private never(): Promise<never> {
    this.end();
    return new Promise(() => {});
  }
}
