import { apiError, type ApiError } from "../../../core/errors";
import { operationError, type Operation } from "../../../http/operations";
import { DOING } from "./explain";

/** A request id brought back an operation that is not this create's: its resource is another, failed, or gone. */
export class StaleRequestError extends Error {
  constructor(
    readonly association: string,
    readonly requestId: string,
    readonly operation: Operation,
  ) {
    super("stale request id");
  }

  explained(): ApiError {
    const failed = this.operation.error;
    return apiError({
      doing: DOING.create,
      resource: this.association,
      request: `requestId ${this.requestId}`,
      status: "FAILED_PRECONDITION",
      message:
        "the API answered with the operation of an earlier create that had the same requestId" +
        (failed ? `, which failed: ${failed.message}` : ", and its association is not there or is another one"),
      hint: "For at least 60 minutes the API ignores a repeated requestId: give a new one, or none",
    });
  }

  /** What it means that every request id brings back an operation that has ended: this is how the creates end. */
  asOwnFailure(): ApiError {
    const failed = operationError(this.operation, DOING.create, this.association);
    return failed ?? missing(this.association, this.operation);
  }
}

/** An operation succeeded, and what it made is not to be seen. */
export function missing(association: string, operation: Operation): ApiError {
  return apiError({
    doing: DOING.create,
    resource: association,
    request: `operation ${operation.name}`,
    status: "NOT_FOUND",
    message: "its operation ended without an error, but the association is not there",
  });
}
