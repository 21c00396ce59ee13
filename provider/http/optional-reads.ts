import { ApiError, BadAnswerError, isExpected, type PerimeterError } from "../core/errors";
import { getOrCompute } from "../core/once";
import { asCall, type Call } from "./call";

/** How long a call waits for an answer, in milliseconds: a network may not let requests to this API through. */
const LONGEST_MS = 10_000;

/**
 * Reads of an API that the work does not depend on. Each is sent once, and its failure is kept as its result. After one without a
 * response, no more are sent, because each would take as long.
 */
export class OptionalReads<K, T> {
  private readonly results = new Map<K, Promise<T | PerimeterError>>();
  private unreachable: PerimeterError | undefined;

  /**
   * @param read sends the request.
   * @returns its result, or why there is none.
   * @throws what is not a failure of a request.
   */
  get(key: K, { clock }: Pick<Call, "clock">, read: (call: Call) => Promise<T>): Promise<T | PerimeterError> {
    return getOrCompute(this.results, key, async () => {
      if (this.unreachable) return this.unreachable;
      try {
        return await asCall(clock, LONGEST_MS, read);
      } catch (error) {
        if (!isExpected(error)) throw error;
        const isResponse = error instanceof ApiError || error instanceof BadAnswerError;
        if (!isResponse) this.unreachable ??= error;
        return error;
      }
    });
  }
}
