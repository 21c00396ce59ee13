import { InputError } from "../../../core/errors";
import type { CurrentOf } from "../../../core/lifecycle";
import { nameInId } from "../../../core/reference";
import type { Values } from "../../../core/unknown";
import { pause, type Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/parse-answer";
import { pollInterval } from "../../../operations/wait";
import { getAssociation } from "./api";
import type { Associations } from "./associations";
import { associationName, firewallEndpointAssociation as definition } from "./definition";
import { halfMade, isHalfMade } from "./explain";
import { inputsOf, stateOf, type Definition, type Known } from "./values";

/**
 * The name in an id, which may be a full name, a URL, or another provider's id.
 *
 * @param doing for the message: "Cannot import".
 * @throws InputError where it is none of an association: a request to anything else would be answered "not found", which
 * a delete would take for done.
 */
export function nameInAssociationId(id: string, doing: string): string {
  const name = nameInId(id);
  if (associationName.parse(name)) return name;
  const reason = `must look like ${definition.importIds.join(" or ")}`;
  throw new InputError(`${doing} ${JSON.stringify(id)}`, [{ path: "id", reason }]);
}

/** An association that nothing is remembered of. */
export async function importAssociation(
  { client }: Associations,
  name: string,
  call: Call,
): Promise<CurrentOf<Definition> | undefined> {
  const live = await undefinedIfNotFound(getAssociation(client, name, call));
  if (!live) return undefined;
  const inputs = inputsOf(name, live, undefined);
  return { id: name, inputs, state: stateOf(name, live, inputs) };
}

/** An association of ours, after what an earlier run began with it is over. */
export async function readAssociation(
  associations: Associations,
  { id: name, inputs: old, state: before }: Known,
  call: Call,
): Promise<CurrentOf<Definition> | undefined> {
  const resumed = await associations.longRunning.resume(name, before, call);
  const live = await undefinedIfNotFound(getUnlessDeleting(associations, name, call));
  if (!live) return undefined;
  const inputs = inputsOf(name, live, old ?? before);
  const state = stateOf(name, live, { ...inputs, requestId: before.requestId });
  // A refresh must not make a failed create look finished: engines forget the error otherwise.
  if (resumed?.failed && isHalfMade(live)) throw halfMade(name, state, resumed.failed);
  return { id: name, inputs, state };
}

/** What is there. One that an earlier run began to delete is waited for, until it is gone or stays. */
async function getUnlessDeleting({ client }: Associations, name: string, call: Call): Promise<Values> {
  const { clock } = client;
  const begun = clock.now();
  for (;;) {
    const live = await getAssociation(client, name, call);
    if (live.state !== "DELETING") return live;
    call.reporter.status("waiting for the delete that an earlier run began");
    const interval = pollInterval(clock.now() - begun, () => clock.random());
    await pause(call, clock, interval, `wait until ${name} is deleted`);
  }
}
