import { randomUUID } from "node:crypto";
import { RefusedError } from "../../../core/errors";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/parse-answer";
import { deleteAndWait } from "../../../operations/delete";
import * as api from "./api";
import type { Associations } from "./associations";
import { declaredByAnother } from "./explain";
import type { Known } from "./values";

/**
 * Deletes an association, unless another resource of the run is the same one.
 *
 * @throws RefusedError where another resource declares the association and could not take it over.
 */
export async function deleteAssociation(associations: Associations, prior: Known, call: Call): Promise<void> {
  const { client, longRunning, holders } = associations;
  const { id: name, state } = prior;
  const begin = () => api.deleteAssociation(client, { name, requestId: randomUUID() }, call);
  const fate = await holders.remove(associations.objectOf(name), call.identity, {
    isSame: (other) => isSame(associations, name, other, call),
    remove: () => deleteAndWait({ longRunning, name, state, begin }, call),
  });
  if (fate.kind === "remove") return;
  const by = fate.by.identity;
  if (fate.kind === "declared") throw new RefusedError(declaredByAnother(name, by));
  // The replacement of an association by an equal one, within the hour, was answered with that very association.
  if (by !== undefined && by === call.identity) return;
  call.reporter.warning(
    `${name} stays in the cloud: ${by ?? "another resource of this stack"} is the same association`,
  );
}

/** Whether two names, which differ in the spelling of the project, mean one association. */
async function isSame({ client }: Associations, name: string, other: string, call: Call): Promise<boolean> {
  const [left, right] = await Promise.all(
    [name, other].map((each) => undefinedIfNotFound(api.getAssociation(client, each, call))),
  );
  return left !== undefined && right !== undefined && left.createTime === right.createTime;
}
