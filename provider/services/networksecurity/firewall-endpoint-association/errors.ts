import { tokenOf } from "../../../core/definition";
import { AlreadyExistsError, apiError, ApiError, NotFoundError, NotReadyError } from "../../../core/errors";
import type { Values } from "../../../core/unknown";
import type { Operation } from "../../../operations/operation";
import { firewallEndpointAssociation as definition, looksLikeZone } from "./definition";

import { DOING, nameFromInputs, type Inputs, type State } from "./values";

/** Inputs that some clients of the API never change in place (docs/wire.md section 6, "Mutability"). */
const PERHAPS_IMMUTABLE = ["network", "firewallEndpoint"];

/** How to take over an association that exists already. */
export function howToTakeOver(name: string, canImport: boolean): string {
  if (canImport) return `import it: pulumi import ${tokenOf(definition)} <name> ${name}`;
  return (
    `import it with the plugin: this front does not support pulumi import. To use it without managing it, read it with ` +
    `${definition.name}.get("<name>", "${name}")`
  );
}

/** Adds what the user can do to a refused create. Returns the error to throw. */
export function explainCreate(error: unknown, inputs: Inputs, canImport: boolean): unknown {
  if (error instanceof AlreadyExistsError) {
    return error.withHint(
      `To manage the existing one, ${howToTakeOver(nameFromInputs(inputs) ?? "{name}", canImport)}`,
    );
  }
  if (error instanceof ApiError && error.httpStatus === 400 && !looksLikeZone(inputs.location)) {
    return error.withHint(
      `location is "${inputs.location}": an association belongs to the zone of its firewall endpoint, such as us-central1-a`,
    );
  }
  return error;
}

/** The error when the program's request id brings back the operation of another create. */
export function staleRequestId(requestId: string, name: string, { error: failed }: Operation): ApiError {
  return apiError({
    doing: DOING.create,
    resource: name,
    request: `requestId ${requestId}`,
    status: "FAILED_PRECONDITION",
    message:
      "the API returned the operation of an earlier create with the same requestId" +
      (failed
        ? `, which failed: ${failed.message}`
        : ", whose association does not exist, is different, or belongs to another resource"),
    hint: "For at least 60 minutes the API ignores a repeated requestId: use a new requestId, or omit it",
  });
}

/** The error when an operation succeeded, and reads do not show what it made. */
export function notThere(name: string, operation: Operation): ApiError {
  return apiError({
    doing: DOING.create,
    resource: name,
    request: `operation ${operation.name}`,
    status: "NOT_FOUND",
    message: "its operation ended without an error, but the association does not exist",
  });
}

/**
 * Explains the "not found" of an update: somebody else deleted the association, or it was never created. Only a refresh solves
 * that.
 *
 * @param failed why the operation failed that should have made it.
 * @returns the error to throw.
 */
export function explainGone(error: unknown, failed?: ApiError): unknown {
  if (!(error instanceof NotFoundError)) return error;
  const next = "pulumi refresh notices it, and the next pulumi up creates it again";
  return failed
    ? failed.withHint(`It does not exist:  ${next}`)
    : error.withHint(`If the association is gone, ${next}`);
}

/** The state in which a failed create leaves an association. A disabled one is in it too (docs/wire.md section 6). */
const HALF_MADE = "INACTIVE";

export function isHalfMade(live: Values): boolean {
  return live.state === HALF_MADE && live.disabled !== true;
}

/** The error that keeps a half-made association in the state. @param failed the error of its create, if it is known. */
export function halfMade(name: string, state: State, failed: ApiError | undefined): NotReadyError {
  const advice =
    `The association ${name} is in state ${HALF_MADE}: its create did not complete, and an update cannot repair it. ` +
    "Remove it with pulumi destroy --target <urn>, and the next pulumi up creates it again";
  return new NotReadyError(name, state, [...(failed ? [failed.message] : []), advice], { cause: failed });
}

/** Explains a refused update. Returns the error to throw. */
export function explainUpdate<E>(error: E, changed: readonly string[]): E | ApiError {
  if (!(error instanceof ApiError) || !["INVALID_ARGUMENT", "FAILED_PRECONDITION"].includes(error.status)) return error;
  const suspects = changed.filter((property) => PERHAPS_IMMUTABLE.includes(property));
  if (suspects.length === 0) return error;
  return error.withHint(
    `If the API does not allow changing ${suspects.join(" and ")} in place, replace the association: ` +
      `set the resource option replaceOnChanges to [${suspects.map((each) => JSON.stringify(each)).join(", ")}], or run ` +
      "pulumi up --replace <urn>",
  );
}

/** Says why an association is not deleted. @param by the identity of the other resource, if it is known. */
export function declaredByAnother(name: string, by: string | undefined): string {
  return (
    `Refused to delete ${name}: ${by ?? "another resource of the program"} declares the same association, but could not ` +
    "create it. If that resource replaces this one, give it an alias of this one (the resource option aliases)"
  );
}
