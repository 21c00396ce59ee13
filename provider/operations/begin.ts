import { WireShapeError } from "../core/wire";
import type { Call } from "../http/call";
import type { ApiRequest } from "../http/api-request";
import type { DatedApiClient } from "../http/client";
import { parseAnswer } from "../http/parse-answer";
import { operationOf, type Operation } from "./operation";

/** An operation as the request that begins it is answered. */
export interface Begun extends Operation {
  /**
   * True where the operation began before the request was first sent, by the server's clock: the request id was one that
   * the server knew. False where that is not proved. Undefined where the answer does not have the times.
   */
  earlier?: boolean;
}

/** How far the clocks of one server, that of its front end and that of its operations, may be apart. */
const CLOCKS_APART_MS = 250;

/**
 * Sends a request that begins an operation.
 *
 * @throws BadAnswerError for an answer without the operation's name: nobody could wait for it.
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
 * An operation that ended before its answer, and took longer than the answer did, began before the request. Else the
 * answer's date tells: the request was first sent at most `elapsed` before it. Our own clock only measures how long that
 * was, so that it need not be right. The date has no fractions of a second, which errs towards "not earlier".
 */
function isEarlier({ began, lasted = 0 }: Operation, date: number | undefined, elapsed: number): boolean | undefined {
  if (lasted > elapsed) return true;
  if (began === undefined || date === undefined) return undefined;
  return began < date - elapsed - CLOCKS_APART_MS;
}
