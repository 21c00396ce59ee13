import { randomUUID } from "node:crypto";
import { changedProperties, changesOf } from "../../../core/diff";
import { propertyOf } from "../../../core/field";
import type { Values } from "../../../core/unknown";
import { toWire, wireNameOf, zeroOf } from "../../../core/wire";
import type { Call } from "../../../http/call";
import type { Resumed } from "../../../operations/long-running";
import { withoutPending } from "../../../operations/pending";
import { updateInPlace } from "../../../operations/update";
import * as api from "./api";
import type { Associations } from "./associations";
import { firewallEndpointAssociation as definition } from "./definition";
import { explainGone, explainUpdate, halfMade, isHalfMade } from "./explain";
import { stateOf, type Inputs, type Known, type State } from "./values";

/** Changes an association in place, with a mask of exactly the inputs that differ. @throws NotReadyError as `updateInPlace`. */
export function updateAssociation(
  associations: Associations,
  prior: Known,
  inputs: Inputs,
  call: Call,
): Promise<State> {
  const { client, longRunning } = associations;
  const name = prior.id;
  return updateInPlace<State>(
    {
      longRunning,
      name,
      before: prior.state,
      differences: (state) => changedProperties(changesOf(definition, state, inputs)),
      begin: (changed) => api.patchAssociation(client, { name, ...patchOf(inputs, changed) }, call),
      read: (failed) =>
        associations.stateOf(name, inputs, call).catch((error: unknown) => {
          throw explainGone(error, failed);
        }),
      unchanged: (resumed) => unchanged(associations, name, inputs, resumed, call),
      failure: (failed, changed) => {
        const before = withoutPending(prior.state);
        return associations.failure(explainUpdate(failed, changed), name, before, inputs, call);
      },
      explain: (error, changed) => explainUpdate(explainGone(error), changed),
    },
    call,
  );
}

/** The API clears a property whose mask is sent with the zero value of its type. */
function patchOf(
  inputs: Values,
  changed: readonly string[],
): { updateMask: string[]; requestId: string; body: Values } {
  const properties = changed.flatMap((name) => {
    const schema = propertyOf(definition.inputs, name);
    return schema ? [{ name, schema }] : [];
  });
  const values = properties.map(({ name, schema }): [string, unknown] => [name, inputs[name] ?? zeroOf(schema)]);
  return {
    updateMask: properties.map(({ name, schema }) => wireNameOf(name, schema)),
    requestId: randomUUID(),
    body: toWire(definition.inputs, Object.fromEntries(values)),
  };
}

/** Nothing to change, and yet an update: engines ask for one where the run before reported a resource as not ready. */
async function unchanged(
  { client }: Associations,
  name: string,
  inputs: Inputs,
  resumed: Resumed | undefined,
  call: Call,
): Promise<State> {
  if (!resumed) {
    call.reporter.info("This run looks again at what an earlier run left as not ready: there is nothing to change");
  }
  const live = await api.getAssociation(client, name, call).catch((error: unknown) => {
    throw explainGone(error);
  });
  const state = stateOf(name, live, inputs);
  if (isHalfMade(live)) throw halfMade(name, state, resumed?.failed);
  if (live.disabled === true) {
    call.reporter.info(`${name} is disabled, which this provider does not set: no traffic is inspected through it`);
  }
  return state;
}
