import { randomUUID } from "node:crypto";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { ResourceDefinition } from "../core/definition";
import { BugError, NotReadyError } from "../core/errors";
import { metaOf, propertiesOf as fieldsOf, requiredProperties } from "../core/field";
import type { Prior } from "../core/lifecycle";
import { isPolicyPath } from "../core/reference";
import type { Values } from "../core/unknown";
import { ResourceNotReady } from "./errors";
import { ignoringChanges } from "./ignore";
import { readProperties, toStruct } from "./properties";
import { Secrets } from "../core/secrets";
import type { Session } from "./session";

/**
 * What dynamic providers, google-native and bridged providers keep in the states that this one takes over. It is never
 * looked into: google-native's `__inputs` is a secret that repeats every input, so all names would count as secrets.
 */
const OTHERS_PROPERTIES = ["__provider", "__identity", "__inputs", "__defaults", "__meta", "__proto__"];

/** The id that stands in for one which would show a secret: ids lie in the state in plain text. */
const HIDDEN_ID = /^hidden-[0-9a-f-]{36}$/;

/** The resource that a request is about: its type, its id, and the secrets in all that was sent of it. */
export class ResourceRequest {
  readonly token: string;
  readonly definition: ResourceDefinition;
  /** In what the engine remembers. */
  private oldSecrets = new Secrets();
  /** In what goes back to the engine. */
  private secrets = new Secrets();
  private readonly givenId: string;
  /** The engine has outputs of it. */
  private remembered = false;

  constructor(
    request: { getUrn(): string; getType(): string; getId?(): string },
    private readonly session: Session,
  ) {
    this.token = typeOf(request);
    this.definition = session.provider().definitionOf(this.token);
    this.givenId = request.getId?.() ?? "";
  }

  inputs(struct: Struct | undefined): Values {
    return this.properties(struct);
  }

  /** The inputs of a resource that is there. What was secret in the old ones only is secret no more. */
  newInputs(struct: Struct | undefined, state: Values, ignored: readonly string[]): Values {
    this.oldSecrets = this.secrets;
    this.secrets = new Secrets();
    return ignoringChanges(this.properties(struct), this.ownInputs(state), ignored);
  }

  /**
   * What the engine remembers, without what other providers keep for themselves. An output that one of them did not
   * know stands among the inputs, if it is one.
   */
  prior(outputs: Struct | undefined, inputs: Struct | undefined): Prior {
    this.remembered = (outputs?.getFieldsMap().getLength() ?? 0) > 0;
    const old = this.ownInputs(this.properties(inputs));
    const state = { ...old, ...this.own(this.properties(outputs)) };
    return { id: this.cloudId(state), ...(inputs ? { inputs: old } : {}), state };
  }

  /**
   * True where the engine knows the resource already: its state says what it is, or another provider left a part of it
   * under an id of its own. A `get` by id has no state, or a part of one.
   */
  isKnown({ id, state }: Prior): boolean {
    if (requiredProperties(this.definition.inputs).every((name) => state[name] !== undefined)) return true;
    return isPolicyPath(id) && this.remembered;
  }

  inputsStruct(values: Values): Struct {
    return toStruct(values, this.secrets);
  }

  /** Names of the inputs that hold a secret. */
  secretInputs(): string[] {
    return Object.keys(this.definition.inputs.shape).filter((name) => this.secrets.touches(name));
  }

  /**
   * Outputs for the engine: where an input is secret, so is the output of its name, and what shows it. What a lifecycle
   * keeps for itself may show whatever the id does.
   */
  state(values: Values, inputSecrets = this.secrets): Struct {
    const secrets = new Secrets().with(inputSecrets);
    for (const [name, schema] of fieldsOf(this.definition.outputs)) {
      const { secret, shows = [] } = metaOf(schema);
      if (secret || shows.some((input) => inputSecrets.touches(input))) secrets.mark([name]);
    }
    if (this.definition.idShows.some((input) => inputSecrets.touches(input))) {
      for (const name of Object.keys(values).filter((each) => each.startsWith("__"))) secrets.mark([name]);
    }
    return toStruct(values, secrets);
  }

  /** The id to keep in the state. It is random where the real one shows a secret: a hash of an email can be guessed. */
  publicId(id: string): string {
    if (HIDDEN_ID.test(this.givenId)) return this.givenId;
    return this.definition.idShows.some((input) => this.secrets.touches(input)) ? `hidden-${randomUUID()}` : id;
  }

  /** A resource that is there but not ready: the engine keeps it, its secrets as secrets. */
  async keepingState<T>(outcome: Promise<T>, inputs?: Values): Promise<T> {
    try {
      return await outcome;
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error;
      throw new ResourceNotReady(error, {
        id: this.publicId(error.id),
        // They may be the old ones.
        properties: this.state(error.properties, this.secrets.with(this.oldSecrets)),
        ...(inputs ? { inputs: this.inputsStruct(inputs) } : {}),
      });
    }
  }

  private cloudId(state: Values): string {
    if (!HIDDEN_ID.test(this.givenId)) return this.givenId;
    const id = this.session.provider().idOf(this.token, state);
    if (id === undefined) throw new BugError(`the state of ${this.givenId} does not say which resource it is`);
    return id;
  }

  private properties(struct: Struct | undefined): Values {
    const { values, secrets } = readProperties(struct, this.session.secrets.texts, OTHERS_PROPERTIES);
    this.secrets = this.secrets.with(secrets);
    return values;
  }

  /** Properties of the definition, and those with two underscores that a lifecycle keeps for itself. */
  private own(values: Values): Values {
    const { inputs, outputs } = this.definition;
    const isOwn = (name: string) =>
      Object.hasOwn(inputs.shape, name) || Object.hasOwn(outputs.shape, name) || name.startsWith("__");
    return Object.fromEntries(Object.entries(values).filter(([name]) => isOwn(name)));
  }

  private ownInputs(values: Values): Values {
    const { shape } = this.definition.inputs;
    return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(shape, name)));
  }
}

/** Old engines say the type in the URN only: `urn:pulumi:stack::project::parent$type::name`. */
export function typeOf(request: { getUrn(): string; getType(): string }): string {
  if (request.getType() !== "") return request.getType();
  const types = request.getUrn().split("::")[2] ?? "";
  return types.slice(types.lastIndexOf("$") + 1);
}
