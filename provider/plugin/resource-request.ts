import { randomUUID } from "node:crypto";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { ResourceDefinition } from "../core/definition";
import { BugError, NotReadyError } from "../core/errors";
import { metaOf, propertiesOf, requiredProperties } from "../core/field";
import type { Prior } from "../core/untyped";
import { isPolicyPath } from "../core/reference";
import { Secrets } from "../core/secrets";
import type { Values } from "../core/unknown";
import { ResourceNotReady } from "./errors";
import { ignoringChanges } from "./ignore";
import { readProperties, toStruct } from "./properties";
import type { Session } from "./session";

/**
 * What dynamic providers, google-native and bridged providers keep for themselves in the states that this provider takes
 * over. It is not even read: google-native's `__inputs` is a secret that repeats every input, so that the text of each
 * input would count as a secret.
 */
const OTHERS_PROPERTIES = ["__provider", "__identity", "__inputs", "__defaults", "__meta", "__proto__"];

/** The id in the state of a resource whose real id would show a secret: the engine writes ids in plain text. */
const HIDDEN_ID = /^hidden-[0-9a-f-]{36}$/;

/** The resource that a request is about. Keeps track of what is secret in it, from the request to the answer. */
export class ResourceRequest {
  readonly token: string;
  readonly definition: ResourceDefinition;
  /** The id in the request: the real one, or a hidden one. Empty for a create. */
  private readonly givenId: string;
  /** What is secret in what the engine remembers. */
  private oldSecrets = new Secrets();
  /** What is secret in the new inputs; undefined where the request has none. */
  private newSecrets: Secrets | undefined;
  private hasOutputs = false;

  constructor(
    request: { getUrn(): string; getType(): string; getId?(): string },
    private readonly session: Session,
  ) {
    this.token = typeOf(request);
    this.definition = session.provider().definitionOf(this.token);
    this.givenId = request.getId?.() ?? "";
  }

  /**
   * What the engine remembers of the resource, without what other providers keep for themselves. The state begins with the
   * old inputs: another provider may not have written all of them into its outputs.
   */
  prior(outputs: Struct | undefined, inputs: Struct | undefined): Prior {
    this.hasOutputs = (outputs?.getFieldsMap().getLength() ?? 0) > 0;
    const oldInputs = this.inputsIn(this.readOld(inputs));
    const state = { ...oldInputs, ...this.ownPropertiesIn(this.readOld(outputs)) };
    return { id: this.realId(state), ...(inputs ? { inputs: oldInputs } : {}), state };
  }

  /** The inputs of a resource that is to be created. */
  inputs(struct: Struct | undefined): Values {
    const { values, secrets } = this.read(struct);
    this.newSecrets = secrets;
    return values;
  }

  /** The inputs of a resource that exists, under `ignoreChanges`. */
  newInputs(struct: Struct | undefined, { state }: Prior, ignored: readonly string[]): Values {
    return ignoringChanges(this.inputs(struct), this.inputsIn(state), ignored);
  }

  /**
   * True where the engine knows the resource already: its state has every required input, or another provider left a part
   * of the state under an id of its own. False for a `get` by id, and for an import: then the state holds nothing, or what
   * little the program gave.
   */
  isKnown({ id, state }: Prior): boolean {
    if (requiredProperties(this.definition.inputs).every((name) => state[name] !== undefined)) return true;
    return isPolicyPath(id) && this.hasOutputs;
  }

  /** Names of the inputs that hold a secret. */
  secretInputs(): string[] {
    return Object.keys(this.definition.inputs.shape).filter((name) => this.secrets.touches(name));
  }

  inputsStruct(values: Values): Struct {
    return toStruct(values, this.secrets);
  }

  /**
   * Outputs for the engine. An output is secret where the input of its name is, where it shows a secret input, and where
   * the definition says so. What a lifecycle keeps for itself may show whatever the id shows.
   */
  outputsStruct(values: Values): Struct {
    return this.outputsMarked(values, this.secrets);
  }

  /** The id to keep in the state. It is random where the real one shows a secret: a hash of an email can be guessed. */
  publicId(id: string): string {
    if (HIDDEN_ID.test(this.givenId)) return this.givenId;
    return this.idIsSecret(this.secrets) ? `hidden-${randomUUID()}` : id;
  }

  /**
   * The outcome of a create, read or update. Where the resource is there but not ready, the error carries what the engine is
   * to keep of it.
   *
   * @param inputs what a read of the resource found; absent for a create or update, whose inputs the engine has.
   * @throws ResourceNotReady in place of `NotReadyError`; other errors as they are.
   */
  async keepIfNotReady<T>(outcome: Promise<T>, inputs?: Values): Promise<T> {
    try {
      return await outcome;
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error;
      // After an update that did not end, its values may be old ones or new ones.
      const secrets = this.secrets.with(this.oldSecrets);
      throw new ResourceNotReady(error, {
        id: this.publicId(error.id),
        outputs: this.outputsMarked(error.properties, secrets),
        ...(inputs ? { inputs: this.inputsStruct(inputs) } : {}),
      });
    }
  }

  /** What is secret in the answer: the new inputs have marks of their own, and drop those of the old ones. */
  private get secrets(): Secrets {
    return this.newSecrets ?? this.oldSecrets;
  }

  private outputsMarked(values: Values, inputSecrets: Secrets): Struct {
    const secrets = new Secrets().with(inputSecrets);
    for (const [name, schema] of propertiesOf(this.definition.outputs)) {
      const { secret, shows = [] } = metaOf(schema);
      if (secret || shows.some((input) => inputSecrets.touches(input))) secrets.mark([name]);
    }
    if (this.idIsSecret(inputSecrets)) {
      for (const name of Object.keys(values).filter(isLifecyclesOwn)) secrets.mark([name]);
    }
    return toStruct(values, secrets);
  }

  private idIsSecret(inputSecrets: Secrets): boolean {
    return this.definition.idShows.some((input) => inputSecrets.touches(input));
  }

  private realId(state: Values): string {
    if (!HIDDEN_ID.test(this.givenId)) return this.givenId;
    const id = this.session.provider().idOf(this.token, state);
    if (id === undefined) throw new BugError(`the state of ${this.givenId} does not say which resource it is`);
    return id;
  }

  private readOld(struct: Struct | undefined): Values {
    const { values, secrets } = this.read(struct);
    this.oldSecrets = this.oldSecrets.with(secrets);
    return values;
  }

  private read(struct: Struct | undefined): { values: Values; secrets: Secrets } {
    return readProperties(struct, this.session.knownSecrets.texts, OTHERS_PROPERTIES);
  }

  private ownPropertiesIn(values: Values): Values {
    const { inputs, outputs } = this.definition;
    return picked(
      values,
      (name) => Object.hasOwn(inputs.shape, name) || Object.hasOwn(outputs.shape, name) || isLifecyclesOwn(name),
    );
  }

  private inputsIn(values: Values): Values {
    return picked(values, (name) => Object.hasOwn(this.definition.inputs.shape, name));
  }
}

/** Beside the properties of its definition, a lifecycle keeps some for itself in the state. */
function isLifecyclesOwn(name: string): boolean {
  return name.startsWith("__");
}

function picked(values: Values, isWanted: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}

/** The resource's type. Old engines send it as a part of the URN only: `urn:pulumi:stack::project::parent$type::name`. */
export function typeOf(request: { getUrn(): string; getType(): string }): string {
  if (request.getType() !== "") return request.getType();
  const types = request.getUrn().split("::")[2] ?? "";
  return types.slice(types.lastIndexOf("$") + 1);
}
