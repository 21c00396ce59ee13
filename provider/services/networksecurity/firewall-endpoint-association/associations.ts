import { changesOf } from "../../../core/diff";
import { messageOf, NotFoundError, NotReadyError, type ApiError } from "../../../core/errors";
import type { CloudObject } from "../../../core/cloud-object";
import { propertyOf } from "../../../core/field";
import type { Claims } from "../../../core/claims";
import type { Values } from "../../../core/unknown";
import { toWire, wireNameOf, zeroOf } from "../../../core/wire";
import type { Call } from "../../../http/call";
import { type ApiClient, requireName } from "../../../http/client";
import { LongRunning } from "../../../operations/long-running";
import { startOperation, type Operation } from "../../../operations/operation";
import type { LifecycleContext } from "../../shared/resource";
import { firewallEndpointAssociation as definition } from "./definition";
import { DOING, stateOf, type Inputs, type State } from "./values";

/**
 * The methods of `networksecurity.projects.locations.firewallEndpointAssociations` (docs/wire.md section 6). Each throws
 * ApiError and the transport's other errors.
 */
export class Associations {
  constructor(readonly context: LifecycleContext) {}

  get client(): ApiClient {
    return this.context.client(definition.service);
  }

  get operations(): LongRunning {
    return new LongRunning(this.client, DOING);
  }

  /** Which resources of this run hold or declare which associations. */
  get claims(): Claims {
    return this.context.claims;
  }

  /** An association as `claims` identifies it. */
  objectOf(name: string): CloudObject {
    return { url: this.client.baseUrl, name };
  }

  startCreate(inputs: Inputs, requestId: string, call: Call): Promise<Operation> {
    const { project, location, firewallEndpointAssociationId: id } = inputs;
    const parent = `projects/${project}/locations/${location}`;
    const path = `${parent}/firewallEndpointAssociations`;
    const query = { firewallEndpointAssociationId: id, requestId };
    const body = toWire(definition.inputs, inputs);
    const resource = id === undefined ? `in ${parent}` : `${path}/${id}`;
    return startOperation(
      this.client,
      { kind: "change", method: "POST", path, query, body, doing: DOING.create, resource },
      call,
    );
  }

  /** @throws BadAnswerError for an answer without the association's name. */
  async get(name: string, call: Call): Promise<Values> {
    const request = { kind: "read", method: "GET", path: name, doing: DOING.read } as const;
    return requireName(DOING.read, name, await this.client.request(request, call));
  }

  /** Patches exactly these inputs. The API clears a property that is in the mask with the zero value of its type. */
  startUpdate(
    name: string,
    inputs: Values,
    changed: readonly string[],
    requestId: string,
    call: Call,
  ): Promise<Operation> {
    const properties = changed.flatMap((property) => {
      const schema = propertyOf(definition.inputs, property);
      return schema ? [{ property, schema }] : [];
    });
    const updateMask = properties.map(({ property, schema }) => wireNameOf(property, schema)).join(",");
    const values = properties.map(({ property, schema }) => [property, inputs[property] ?? zeroOf(schema)] as const);
    const body = toWire(definition.inputs, Object.fromEntries(values));
    return startOperation(
      this.client,
      { kind: "change", method: "PATCH", path: name, query: { updateMask, requestId }, body, doing: DOING.update },
      call,
    );
  }

  startDelete(name: string, requestId: string, call: Call): Promise<Operation> {
    return startOperation(
      this.client,
      { kind: "change", method: "DELETE", path: name, query: { requestId }, doing: DOING.delete },
      call,
    );
  }

  /**
   * Reads the state of an association.
   *
   * @param given the inputs whose spelling the state keeps.
   * @throws NotFoundError when it does not exist.
   */
  async stateOf(name: string, given: Partial<Inputs>, call: Call): Promise<State> {
    return stateOf(name, await this.get(name, call), given);
  }

  /**
   * The error for a create or update whose operation failed. When the operation changed something, or that cannot be read,
   * it is a NotReadyError, so that the engine keeps the association.
   *
   * @param before what the engine remembers; empty before a create.
   */
  async failure(failed: ApiError, name: string, before: Values, inputs: Inputs, call: Call): Promise<Error> {
    try {
      const state = await this.stateOf(name, inputs, call);
      if (changesOf(definition, before, state).length === 0) return failed;
      const there = `The association exists in state ${state.state}, but the operation did not complete`;
      return new NotReadyError(name, state, [failed.message, there], { cause: failed });
    } catch (error) {
      if (error instanceof NotFoundError) return failed;
      const unknown = `The association could not be read: ${messageOf(error)}`;
      return new NotReadyError(name, { ...inputs, ...before, name }, [failed.message, unknown], { cause: failed });
    }
  }
}
