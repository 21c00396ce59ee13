import { WireShapeError } from "../core/wire";
import type { Call } from "../http/call";
import type { ApiRequest } from "../http/api-request";
import type { DatedApiClient } from "../http/client";
import { parseAnswer } from "../http/parse-answer";
import { operationOf, type Operation } from "./operation";

/** An operation as the API answers the request that begins it. */
export interface Begun extends Operation {
  /**
   * True where the operation began before the request was first sent: the server had seen the request id before, and so
   * answered with the operation of an older request. False where the times do not prove that, undefined where the answer
   * has no times.
   */
  earlier?: boolean;
}

/** Milliseconds by which two clocks of the API may differ: that of its front end, and that of its operations. */
const CLOCKS_APART_MS = 250;

/**
 * Sends a request that begins an operation: a create, patch or delete with a request id.
 *
 * @throws BadAnswerError, with an unknown effect, for an answer without the operation's name: nobody could wait for it.
 *   What the client throws.
 */
export async function begin(client: DatedApiClient, request: ApiRequest, call: Call): Promise<Begun> {
  const sent = client.clock.now();
  const { body, date } = await client.exchange(request, call);
  const elapsed = client.clock.now() - sent;
  const named = () => {
    const operation = operationOf(body);
    if (operation.name === "") throw new WireShapeError("name", "the name of an operation");
    return operation;
  };
  const operation = parseAnswer(request.doing, request.resource ?? request.path, named, "unknown");
  const earlier = isEarlier(operation, date, elapsed);
  return earlier === undefined ? operation : { ...operation, earlier };
}

/**
 * Whether an operation began before its request was first sent.
 *
 * An operation that is over, and took longer than the answer did, began before the request. Else the answer's date tells:
 * the request was first sent at most `elapsed` milliseconds before that date. The clock of this machine only measures how
 * long that was, so that it need not be right. The date is whole seconds, rounded down, which errs towards "not earlier".
 */
function isEarlier({ began, lasted = 0 }: Operation, date: number | undefined, elapsed: number): boolean | undefined {
  if (lasted > elapsed) return true;
  if (began === undefined || date === undefined) return undefined;
  return began < date - elapsed - CLOCKS_APART_MS;
}
