import type { InputsOf, PartialStateOf, StateOf } from "../../../core/definition";
import { changedProperties, changesOf, type Diff, type PropertyChange } from "../../../core/diff";
import { InputError } from "../../../core/errors";
import type { CurrentOf, PriorOf, ResourceLifecycle } from "../../../core/lifecycle";
import { nameInId } from "../../../core/reference";
import type { WithUnknowns } from "../../../core/typed";
import { UNKNOWN, type Values } from "../../../core/unknown";
import { fromWire, toWire } from "../../../core/wire";
import type { Call } from "../../../http/call";
import { named, undefinedIfNotFound, type ApiClient } from "../../../http/client";
import type { LifecycleContext } from "../../shared/resource";
import { shelf as definition, shelfName } from "./definition";

type Definition = typeof definition;
type Inputs = InputsOf<Definition>;
type State = StateOf<Definition>;
type Prior = PriorOf<Definition>;

/** The inputs that an answer's body shows. */
const bodyInputs = definition.inputs.pick({ theme: true });

/** What happens to a shelf: four methods that answer at once, with the shelf itself. */
export class ShelfLifecycle implements ResourceLifecycle<Definition, Prior, Call> {
  constructor(private readonly context: LifecycleContext) {}

  idOf(state: PartialStateOf<Definition>): string | undefined {
    return state.name;
  }

  recognize(remembered: Prior): Prior {
    return { ...remembered, id: nameIn(remembered.id) };
  }

  changes(prior: Prior, inputs: WithUnknowns<Partial<Inputs>>): PropertyChange[] {
    return changesOf(definition, prior.state, inputs);
  }

  diff(prior: Prior, inputs: WithUnknowns<Inputs>): Diff {
    const changes = this.changes(prior, inputs);
    if (changes.length === 0) return { action: "none" };
    if (!changes.some((each) => each.replaces)) return { action: "update", changes };
    return { action: "replace", changes, deleteBeforeReplace: false };
  }

  plan(inputs: WithUnknowns<Inputs>, prior?: Prior): WithUnknowns<PartialStateOf<Definition>> {
    return { ...inputs, name: prior?.id ?? UNKNOWN, createTime: prior?.state.createTime ?? UNKNOWN };
  }

  async create(inputs: Inputs, call: Call): Promise<{ id: string; state: State }> {
    const id = shelfName.format(inputs);
    const state = await this.client.request(
      {
        kind: "change",
        method: "POST",
        path: id.slice(0, id.lastIndexOf("/")),
        query: { shelfId: inputs.shelfId },
        body: toWire(definition.inputs, inputs),
        doing: "create shelf",
        resource: id,
      },
      call,
      (answer) => stateIn(id, answer),
    );
    return { id, state };
  }

  read({ id }: Prior, call: Call): Promise<CurrentOf<Definition> | undefined> {
    return this.current(id, call);
  }

  import(id: string, call: Call): Promise<CurrentOf<Definition> | undefined> {
    return this.current(nameIn(id), call);
  }

  async update(prior: Prior, inputs: Inputs, call: Call): Promise<State> {
    const changed = changedProperties(this.changes(prior, inputs));
    return this.client.request(
      {
        kind: "change",
        method: "PATCH",
        path: prior.id,
        query: { updateMask: changed.join(",") },
        body: toWire(definition.inputs, inputs),
        doing: "update shelf",
      },
      call,
      (answer) => stateIn(prior.id, answer),
    );
  }

  async delete({ id }: Prior, call: Call): Promise<void> {
    const request = { kind: "change", method: "DELETE", path: id, doing: "delete shelf" } as const;
    await undefinedIfNotFound(this.client.request(request, call, (answer) => answer));
  }

  private get client(): ApiClient {
    return this.context.api(definition.service).client;
  }

  private async current(id: string, call: Call): Promise<CurrentOf<Definition> | undefined> {
    const request = { kind: "read", method: "GET", path: id, doing: "read shelf" } as const;
    const state = await undefinedIfNotFound(this.client.request(request, call, (answer) => stateIn(id, answer)));
    if (!state) return undefined;
    const { createTime: _made, name: _name, ...inputs } = state;
    return { id, inputs, state };
  }
}

/** @throws InputError for an id that is none of a shelf. */
function nameIn(id: string): string {
  const name = nameInId(id);
  if (shelfName.parse(name)) return name;
  throw new InputError(`Cannot tell which shelf is meant by ${JSON.stringify(id)}`, [
    { path: "id", reason: `must look like ${shelfName.template}` },
  ]);
}

/** @throws WireShapeError for an answer that is no shelf. */
function stateIn(id: string, answer: Values): State {
  const body = named(answer);
  const place = shelfName.parse(id) ?? { project: "", location: "", shelfId: "" };
  return { ...fromWire(bodyInputs, body), ...place, ...fromWire(definition.outputs, body) };
}
