import { randomUUID } from "node:crypto";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { ResourceDefinition } from "../core/definition";
import { BugError, NotReadyError } from "../core/errors";
import { metaOf, propertiesOf, requiredProperties } from "../core/field";
import type { Prior } from "../core/lifecycle";
import { parsePath, type PathSegment } from "../core/problem";
import { isPolicyPath } from "../core/reference";
import { Secrets } from "../core/secrets";
import { isRecord, filterProperties, type Values } from "../core/unknown";
import { KEPT_PROPERTIES } from "../runtime/kept-properties";
import type { CallOptions } from "../runtime/provider";
import { ResourceNotReady } from "./errors";
import { readProperties, toStruct } from "./properties";
import type { Session } from "./session";

/**
 * Internal properties of the npm front, google-native and bridged providers in adopted states. They are not read:
 * google-native's `__inputs` is a secret that repeats every input, so that the text of each input would count as a secret.
 */
const IGNORED_PROPERTIES = [...KEPT_PROPERTIES, "__inputs", "__defaults", "__meta", "__proto__"];

/** The id in the state of a resource whose real id contains a secret: the engine writes ids in plain text. */
const HIDDEN_ID = /^hidden-[0-9a-f-]{36}$/;

/** The resource of a request. Tracks its secrets from the request to the response. */
export class ResourceRequest {
  readonly token: string;
  readonly definition: ResourceDefinition;
  /** The id in the request, real or hidden. Empty for a create. */
  private readonly givenId: string;
  /** The secrets in the state and the old inputs. */
  private oldSecrets = new Secrets();
  /** The secrets in the new inputs; undefined if the request has no inputs. */
  private newSecrets: Secrets | undefined;
  private hasOutputs = false;
  /** The new inputs as the engine sent them and keeps them in the state; undefined if the request has none. */
  private sentInputs: Struct | undefined;

  constructor(
    request: { getUrn(): string; getType(): string; getId?(): string },
    private readonly session: Session,
  ) {
    this.token = typeOf(request);
    this.definition = session.provider().definitionOf(this.token);
    this.givenId = request.getId?.() ?? "";
  }

  /**
   * The resource's state, without internal properties of other providers. It includes the old inputs, because another
   * provider may not have written all of them to its outputs.
   */
  prior(outputs: Struct | undefined, inputs: Struct | undefined): Prior {
    this.hasOutputs = (outputs?.getFieldsMap().getLength() ?? 0) > 0;
    const oldInputs = this.inputsIn(this.readOld(inputs));
    const state = { ...oldInputs, ...this.ownPropertiesIn(this.readOld(outputs)) };
    return { id: this.realId(state), ...(inputs ? { inputs: oldInputs } : {}), state };
  }

  /** The inputs of a resource to create. */
  inputs(struct: Struct | undefined): Values {
    const { values, secrets } = this.read(struct);
    this.newSecrets = secrets;
    this.sentInputs = struct;
    return values;
  }

  /** The inputs of an existing resource, under `ignoreChanges`. */
  newInputs(struct: Struct | undefined, { state }: Prior, ignored: readonly string[]): Values {
    return ignoringChanges(this.inputs(struct), this.inputsIn(state), ignored);
  }

  /**
   * True if the engine already knows the resource: its state has every required input, or another provider left a partial
   * state under its own id. False for a `get` by id and for an import: then the state is empty or has only a few values from
   * the program.
   */
  isKnown({ id, state }: Prior): boolean {
    if (requiredProperties(this.definition.inputs).every((name) => state[name] !== undefined)) return true;
    return isPolicyPath(id) && this.hasOutputs;
  }

  /** The options of a call, with the names of the inputs that hold a secret: no message of the call shows them. */
  hiding(options: CallOptions): CallOptions {
    const secret = Object.keys(this.definition.inputs.shape).filter((name) => this.secrets.touches(name));
    return { ...options, secret };
  }

  inputsStruct(values: Values): Struct {
    return toStruct(values, this.secrets);
  }

  /**
   * Outputs for the engine. An output is secret if the input of its name is secret, if it contains a secret input, or if the
   * definition says so. Internal properties of a lifecycle may contain the same secrets as the id.
   */
  outputsStruct(values: Values): Struct {
    return this.outputsMarked(values, this.secrets);
  }

  /** The id for the state. It is random if the real id contains a secret: a hash of an e-mail address can be guessed. */
  publicId(id: string): string {
    if (HIDDEN_ID.test(this.givenId)) return this.givenId;
    return this.idIsSecret(this.secrets) ? `hidden-${randomUUID()}` : id;
  }

  /**
   * The result of a create, read or update. If the resource exists but is not ready, the error carries the state for the
   * engine.
   *
   * @param inputs the inputs that a read found; absent for a create or update, whose inputs the engine has.
   * @throws ResourceNotReady in place of `NotReadyError`; other errors unchanged.
   */
  async keepIfNotReady<T>(outcome: Promise<T>, inputs?: Values): Promise<T> {
    try {
      return await outcome;
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error;
      // After an unfinished update, its values may be old or new.
      const secrets = this.secrets.with(this.oldSecrets);
      throw new ResourceNotReady(error, {
        id: this.publicId(error.id),
        outputs: this.outputsMarked(error.properties, secrets),
        ...(inputs ? { inputs: this.inputsStruct(inputs) } : {}),
        ...(this.sentInputs ? { kept: this.sentInputs } : {}),
      });
    }
  }

  /** Drops secret marks of the old inputs: the new inputs carry their own. */
  private get secrets(): Secrets {
    return this.newSecrets ?? this.oldSecrets;
  }

  private outputsMarked(values: Values, inputSecrets: Secrets): Struct {
    const secrets = new Secrets().with(inputSecrets);
    for (const [name, schema] of propertiesOf(this.definition.outputs)) {
      const { secret, contains = [] } = metaOf(schema);
      if (secret || contains.some((input) => inputSecrets.touches(input))) secrets.mark([name]);
    }
    if (this.idIsSecret(inputSecrets)) {
      for (const name of Object.keys(values).filter(isInternalProperty)) secrets.mark([name]);
    }
    return toStruct(values, secrets);
  }

  private idIsSecret(inputSecrets: Secrets): boolean {
    return this.definition.idContains.some((input) => inputSecrets.touches(input));
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
    return readProperties(struct, this.session.knownSecrets.texts, IGNORED_PROPERTIES);
  }

  private ownPropertiesIn(values: Values): Values {
    const { inputs, outputs } = this.definition;
    return filterProperties(
      values,
      (name) => Object.hasOwn(inputs.shape, name) || Object.hasOwn(outputs.shape, name) || isInternalProperty(name),
    );
  }

  private inputsIn(values: Values): Values {
    return filterProperties(values, (name) => Object.hasOwn(this.definition.inputs.shape, name));
  }
}

/** In addition to the definition's properties, a lifecycle stores internal properties in the state. */
function isInternalProperty(name: string): boolean {
  return name.startsWith("__");
}

/** The resource's type. Old engines send it as a part of the URN only: `urn:pulumi:stack::project::parent$type::name`. */
export function typeOf(request: { getUrn(): string; getType(): string }): string {
  if (request.getType() !== "") return request.getType();
  const types = request.getUrn().split("::")[2] ?? "";
  return types.slice(types.lastIndexOf("$") + 1);
}

/**
 * The inputs under `ignoreChanges`. At the ignored paths, the engine has already put the old inputs. If somebody changed the
 * resource outside of Pulumi, the state differs from the old inputs: this uses the state, so that the resource does not
 * change.
 *
 * @param ignored paths as Pulumi writes them. A path into a list has no effect: only a whole list can be ignored.
 */
export function ignoringChanges(inputs: Values, state: Values, ignored: readonly string[]): Values {
  return ignored.reduce((result, path) => {
    const kept = keep(result, state, parsePath(path));
    return isRecord(kept) ? kept : result;
  }, inputs);
}

/** `wanted` with what `current` has at the path; `*` is every property. */
function keep(wanted: unknown, current: unknown, [segment, ...rest]: readonly PathSegment[]): unknown {
  if (segment === undefined) return current;
  if (!isRecord(wanted) && !isRecord(current)) return wanted;
  const [left, right] = [isRecord(wanted) ? wanted : {}, isRecord(current) ? current : {}];
  const names = segment === "*" ? [...new Set([...Object.keys(left), ...Object.keys(right)])] : [String(segment)];
  const kept = names.map((name): [string, unknown] => [name, keep(left[name], right[name], rest)]);
  return filterProperties({ ...left, ...Object.fromEntries(kept) }, (_name, value) => value !== undefined);
}
