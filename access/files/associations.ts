import { tokenOf } from "../../provider/core/definition";
import { errorInfoReason, InputError, messageOf, PermissionDeniedError } from "../../provider/core/errors";
import { quote } from "../../provider/core/problem";
import type { Listing } from "../../provider/core/listing";
import { nameTemplate, normalName } from "../../provider/core/reference";
import { asCall, silentReporter } from "../../provider/http/call";
import type { ApiClient } from "../../provider/http/client";
import { systemClock } from "../../provider/http/clock";
import { listAssociations } from "../../provider/services/networksecurity/firewall-endpoint-association/associations";
import { firewallEndpointAssociation } from "../../provider/services/networksecurity/firewall-endpoint-association/definition";
import { READ_TIMEOUT_MS } from "../live/reads";
import { oneLine } from "../result/visible";

export const ASSOCIATION = tokenOf(firewallEndpointAssociation);
export const associationService = firewallEndpointAssociation.service;

const LOCATION = nameTemplate("projects/{project}/locations/{location}");

/**
 * Returns the relative name of a location.
 *
 * @throws InputError for a text that does not name a location.
 */
export function locationNamed(text: string): string {
  const name = normalName(text);
  if (LOCATION.parse(name)) return name;
  const reason = `must look like ${LOCATION.template}; got ${quote(text)}`;
  throw new InputError("No location has this name", [{ path: "--associations", reason }]);
}

const LIST_PERMISSION = "networksecurity.firewallEndpointAssociations.list";

/** The error in one line, for a command. PERMISSION_DENIED also has other reasons, such as an API that is not enabled. */
function failureOf(error: unknown, failed: string): Error {
  const isDenied = error instanceof PermissionDeniedError;
  const lacks = isDenied && (errorInfoReason(error) ?? "IAM_PERMISSION_DENIED") === "IAM_PERMISSION_DENIED";
  const reason = `PERMISSION_DENIED: the caller lacks the permission ${LIST_PERMISSION}`;
  return new Error(lacks ? `${failed}: ${reason}` : oneLine(messageOf(error)), { cause: error });
}

/**
 * Returns the names of all associations in a location, with the user's spelling of the project. It reads every page.
 *
 * @param warn gets a sentence if the API could not reach all of them
 */
export async function associationsIn(
  location: string,
  client: ApiClient,
  warn: (sentence: string) => void,
): Promise<string[]> {
  const query = LOCATION.parse(location) ?? {};
  const reporter = { ...silentReporter, warning: warn };
  const names: string[] = [];
  for (let token: string | undefined = ""; token !== undefined;) {
    const from = { size: undefined, token };
    const page: Listing = await asCall(
      systemClock,
      READ_TIMEOUT_MS,
      (call) => listAssociations(client, query, from, call),
      reporter,
    ).catch((error: unknown) => {
      throw failureOf(error, `Could not list the firewall endpoint associations in ${location}`);
    });
    names.push(...page.found.map(({ id }) => id));
    token = page.next === "" ? undefined : page.next;
  }
  return names;
}
