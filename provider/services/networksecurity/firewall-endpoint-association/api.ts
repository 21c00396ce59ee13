import type { Values } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import type { DatedApiClient } from "../../../http/client";
import { requireName } from "../../../http/parse-answer";
import { doingTo } from "../../../operations/long-running";
import { begin, type Begun } from "../../../operations/begin";

/**
 * The methods of `networksecurity.projects.locations.firewallEndpointAssociations`, and nothing else: docs/wire.md
 * section 6. Each throws ApiError and the transport's other errors.
 */

export const DOING = doingTo("the firewall endpoint association");

export function createAssociation(
  client: DatedApiClient,
  request: { parent: string; id?: string; requestId: string; body: Values },
  call: Call,
): Promise<Begun> {
  const { parent, id, requestId, body } = request;
  return begin(
    client,
    {
      kind: "change",
      method: "POST",
      path: `${parent}/firewallEndpointAssociations`,
      query: { firewallEndpointAssociationId: id, requestId },
      body,
      doing: DOING.create,
      resource: id ? `${parent}/firewallEndpointAssociations/${id}` : `in ${parent}`,
    },
    call,
  );
}

/** @throws BadAnswerError for an answer without the association's name. */
export async function getAssociation(client: DatedApiClient, name: string, call: Call): Promise<Values> {
  const request = { kind: "read", method: "GET", path: name, doing: DOING.read } as const;
  return requireName(DOING.read, name, await client.request(request, call));
}

export function patchAssociation(
  client: DatedApiClient,
  request: { name: string; updateMask: readonly string[]; requestId: string; body: Values },
  call: Call,
): Promise<Begun> {
  const { name, updateMask, requestId, body } = request;
  const query = { updateMask: updateMask.join(","), requestId };
  return begin(client, { kind: "change", method: "PATCH", path: name, query, body, doing: DOING.update }, call);
}

export function deleteAssociation(
  client: DatedApiClient,
  request: { name: string; requestId: string },
  call: Call,
): Promise<Begun> {
  const { name, requestId } = request;
  return begin(
    client,
    { kind: "change", method: "DELETE", path: name, query: { requestId }, doing: DOING.delete },
    call,
  );
}
