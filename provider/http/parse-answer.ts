import { BadAnswerError, NotFoundError, type Effect } from "../core/errors";
import type { Values } from "../core/unknown";
import { WireShapeError } from "../core/wire";

/**
 * Reads an answer with a mapping that may find it malformed.
 *
 * @param doing for the message, to be read on from "Could not".
 * @param effect what an answer without meaning proves: of a read, the default, nothing was changed.
 * @throws BadAnswerError in place of the mapping's WireShapeError: it says which request that was.
 */
export function parseAnswer<T>(doing: string, resource: string, map: () => T, effect: Effect = "none"): T {
  try {
    return map();
  } catch (error) {
    if (!(error instanceof WireShapeError)) throw error;
    throw new BadAnswerError(
      `Could not ${doing} ${resource}: the API's answer has an unexpected shape: ${error.message}`,
      { effect },
    );
  }
}

/**
 * An answer that is a resource, which has a name whatever else it has.
 *
 * @throws BadAnswerError for an object without a name: something other than the API may have answered.
 */
export function requireName(doing: string, resource: string, answer: Values): Values {
  return parseAnswer(doing, resource, () => {
    if (typeof answer.name !== "string" || answer.name === "") throw new WireShapeError("name", "a string");
    return answer;
  });
}

/** What a request answers, or undefined where the API says NOT_FOUND. */
export async function undefinedIfNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
