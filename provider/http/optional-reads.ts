import { ApiError, BadAnswerError, isExpected, type PerimeterError } from "../core/errors";
import { getOrCompute } from "../core/once";
import { asCall, endOf, unlessAborted, type Call } from "./call";
import type { ApiClient } from "./client";

/** How long a call waits for an answer, in milliseconds: a network may not let requests to this API through. */
const LONGEST_MS = 10_000;

/**
 * Reads of an API that the work does not depend on. Each is sent once, and its failure is kept as its result. After one without a
 * response, no more are sent to that API, because each would take as long.
 */
export class OptionalReads<K, T> {
  private readonly results = new Map<K, Promise<T | PerimeterError>>();
  private readonly unreachable = new Map<string, PerimeterError>();

  /** @param doing for messages, as the continuation of "trying to". */
  constructor(private readonly doing: string) {}

  /**
   * @param read sends the request.
   * @returns its result, or why there is none.
   * @throws CancelledError and TimeoutError when the call ends first, and what is not a failure of a request.
   */
  async get(
    key: K,
    { baseUrl }: Pick<ApiClient, "baseUrl">,
    call: Call,
    read: (call: Call) => Promise<T>,
  ): Promise<T | PerimeterError> {
    const result = getOrCompute(this.results, key, async () => {
      const known = this.unreachable.get(baseUrl);
      if (known) return known;
      try {
        return await asCall(call.clock, LONGEST_MS, read);
      } catch (error) {
        if (!isExpected(error)) throw error;
        const isResponse = error instanceof ApiError || error instanceof BadAnswerError;
        if (!isResponse) this.unreachable.set(baseUrl, error);
        return error;
      }
    });
    try {
      return await unlessAborted(call.signal, result);
    } catch (error) {
      throw call.signal.aborted ? endOf(call, this.doing) : error;
    }
  }
}
