import type { Values } from "../../../core/unknown";
import { WireShapeError } from "../../../core/wire";
import type { Call } from "../../../http/call";
import { named, understood, type ApiClient } from "../../../http/client";
import { operationOf, type Operation } from "../../../http/operations";

/** `networksecurity.projects.locations.firewallEndpointAssociations`: the methods, and nothing else. */

const WHAT = "the firewall endpoint association";

/** The operation that a request began; without its name nobody could wait for it. */
function begun(doing: string, resource: string, answer: Values): Operation {
  const read = () => {
    const operation = operationOf(answer);
    if (operation.name === "") throw new WireShapeError("name", "the name of an operation");
    return operation;
  };
  return understood(doing, resource, read, "unknown");
}

export async function createAssociation(
  client: ApiClient,
  request: { parent: string; id?: string; requestId: string; body: Values },
  call: Call,
): Promise<Operation> {
  const resource = request.id ? `${request.parent}/firewallEndpointAssociations/${request.id}` : `in ${request.parent}`;
  const answer = await client.request(
    {
      kind: "change",
      method: "POST",
      path: `${request.parent}/firewallEndpointAssociations`,
      query: { firewallEndpointAssociationId: request.id, requestId: request.requestId },
      body: request.body,
      doing: `create ${WHAT}`,
      resource,
    },
    call,
  );
  return begun(`create ${WHAT}`, resource, answer);
}

export async function getAssociation(client: ApiClient, name: string, call: Call): Promise<Values> {
  const doing = `read ${WHAT}`;
  return named(doing, name, await client.request({ kind: "read", method: "GET", path: name, doing }, call));
}

export async function patchAssociation(
  client: ApiClient,
  request: { name: string; updateMask: readonly string[]; requestId: string; body: Values },
  call: Call,
): Promise<Operation> {
  const answer = await client.request(
    {
      kind: "change",
      method: "PATCH",
      path: request.name,
      query: { updateMask: request.updateMask.join(","), requestId: request.requestId },
      body: request.body,
      doing: `update ${WHAT}`,
    },
    call,
  );
  return begun(`update ${WHAT}`, request.name, answer);
}

export async function deleteAssociation(
  client: ApiClient,
  request: { name: string; requestId: string },
  call: Call,
): Promise<Operation> {
  const answer = await client.request(
    {
      kind: "change",
      method: "DELETE",
      path: request.name,
      query: { requestId: request.requestId },
      doing: `delete ${WHAT}`,
    },
    call,
  );
  return begun(`delete ${WHAT}`, request.name, answer);
}

/** An operation that an earlier run began; undefined when the server no longer knows it. */
export async function getOperation(client: ApiClient, name: string, call: Call): Promise<Operation> {
  return operationOf(
    await client.request({ kind: "read", method: "GET", path: name, doing: "read the operation" }, call),
  );
}
