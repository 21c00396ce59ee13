import { changesOf } from "../../../core/diff";
import type { ApiError } from "../../../core/errors";
import type { CloudObject } from "../../../core/cloud-object";
import type { Holders } from "../../../core/holders";
import type { Values } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import type { DatedApiClient } from "../../../http/client";
import { LongRunning } from "../../../operations/long-running";
import type { LifecycleContext } from "../../shared/lifecycle-context";
import { DOING, getAssociation } from "./api";
import { firewallEndpointAssociation as definition } from "./definition";
import { stateOf, type Inputs, type State } from "./values";

/** The associations of one cloud, and what this run knows of them: what all parts of the lifecycle work with. */
export class Associations {
  readonly longRunning = new LongRunning(() => this.client, DOING);

  constructor(readonly context: LifecycleContext) {}

  get client(): DatedApiClient {
    return this.context.client(definition.service);
  }

  /** Which resources of this run hold or declare which associations. */
  get holders(): Holders {
    return this.context.holders;
  }

  /** The association of a name, as `holders` knows it. */
  objectOf(name: string): CloudObject {
    return { url: this.client.baseUrl, name };
  }

  /**
   * The association as it is now.
   *
   * @param given the inputs whose spelling the state keeps.
   * @throws NotFoundError where there is none.
   */
  async stateOf(name: string, given: Partial<Inputs>, call: Call): Promise<State> {
    return stateOf(name, await getAssociation(this.client, name, call), given);
  }

  /**
   * The error of an operation that failed after it began; where it left something, the engine keeps the association.
   *
   * @param before what the engine remembers; nothing, before a create.
   */
  failure(failed: ApiError, name: string, before: Values, inputs: Inputs, call: Call): Promise<Error> {
    const read = () => this.stateOf(name, inputs, call);
    const isAsBefore = (state: State) => changesOf(definition, before, state).length === 0;
    return this.longRunning.failure(failed, name, { ...inputs, ...before, name }, read, isAsBefore);
  }
}
