import { setMaxListeners } from "node:events";
import type { Environment } from "../core/config/environment";
import { checkedConfiguration } from "../core/config/resolve";
import { tokenOf, type ResourceDefinition, type ServiceDefinition } from "../core/definition";
import type { Diff } from "../core/diff";
import { BugError, InputError, RefusedError } from "../core/errors";
import { Holders } from "../core/holders";
import { ObjectNotes } from "../core/object-notes";
import type { LookupFunction } from "../core/lifecycle";
import { once } from "../core/once";
import { hostIn } from "../core/reference";
import { didYouMean } from "../core/suggest";
import { containsUnknown, textOf, type Values } from "../core/unknown";
import type { Current, Prior, UntypedLifecycle } from "../core/untyped";
import type { SecretPaths } from "../core/validate";
import { silentReporter, type Call, type Reporter } from "../http/call";
import { systemClock } from "../http/clock";
import { isHostOf } from "../http/hosts";
import { DeclaredGrants } from "../iam/declared-grants";
import type { Grant } from "../iam/policy";
import { PolicyStore } from "../iam/policy-store";
import { UnmanagedGrants } from "../iam/unmanaged";
import type { LifecycleContext } from "../services/shared/lifecycle-context";
import type { Lookup } from "../services/shared/lookups";
import { checkAgainst, type Checked, type CheckSource } from "./check";
import { Connections, type Connectors } from "./connections";
import { loadServices } from "./load-services";
import { SharedLookups } from "./shared-lookups";
import { stateBackend } from "./state-backend";

export interface ResourceOptions {
  /** What the engine calls the resource, unique among all stacks. */
  identity?: string;
}

/** How a front runs one call. */
export interface CallOptions extends ResourceOptions {
  /** Milliseconds. */
  timeout: number;
  reporter?: Reporter;
  /** Top-level properties of the resource that hold a secret. */
  secret?: readonly string[];
  /** True where the front does not know the resource's state, and so not which texts of it are secret. */
  stateIsUnknown?: boolean;
}

export interface CheckOptions extends ResourceOptions {
  /** Which inputs the user marked as secret: never quoted in a problem. */
  isSecret?: SecretPaths;
}

/**
 * The provider after its configuration, as both fronts use it: resources and lookups by token, plain values in and out. It
 * knows nothing of the engine. What happens to a resource is in its lifecycle (`core/lifecycle.ts`); this class finds the
 * lifecycle, and adds what all of them need: the check against the definition, defaults, deadlines, and the way to stop.
 */
export class Provider {
  private readonly connections: Connections;
  private readonly defaultProject: () => Promise<string | undefined>;
  private readonly configuration;
  /** Resources and lookups by token, since the first use of one. */
  private readonly connected: () => Connected;
  private readonly connectors: Connectors;
  private readonly unmanaged = new UnmanagedGrants();
  private readonly sharedLookups: SharedLookups;
  /** For checks: what the configuration says, and the credentials where it does not. */
  private readonly checkSource: CheckSource = {
    defaultOf: async (key) => (key === "project" ? this.defaultProject() : this.configuration.values[key]),
    isHostOf: (api, text, host) => isHostOf(api, text, host, this.configuration, allServices()),
  };
  private stop = stopper();

  /**
   * @param given configuration keys as the engine or program gives them; strings are typed by their key.
   * @throws ConfigurationError with every problem of the configuration.
   */
  constructor(given: Values, environment: Environment, connectors: Partial<Connectors> = {}) {
    this.connectors = { clock: systemClock, ...connectors };
    this.sharedLookups = new SharedLookups(this.connectors.clock);
    this.configuration = checkedConfiguration(given, environment);
    this.connections = new Connections(this.configuration, this.connectors);
    this.defaultProject = once(
      async () => this.configuration.values.project ?? this.connections.projectOfCredentials(allServices()),
    );
    const notes = new ObjectNotes<Grant>(this.connectors.notes);
    const context: LifecycleContext = {
      client: this.connections.client.bind(this.connections),
      configuration: this.configuration.values,
      caller: this.connections.caller.bind(this.connections),
      declaredGrants: new DeclaredGrants(notes),
      holders: new Holders(notes),
      stateBackend: once(() => stateBackend(environment, process.cwd())),
      canImport: this.connectors.canImport ?? true,
      policies: new PolicyStore(),
      unmanaged: this.unmanaged,
    };
    this.connected = once(() => connectedTo(context));
  }

  /** Loads every resource and lookup now, so that the first call need not. */
  warmUp(): void {
    this.connected();
  }

  /** Everything wrong with a resource's inputs, at once; or the inputs with defaults and in normal form. */
  async check(token: string, news: Values, options: CheckOptions = {}): Promise<Checked> {
    const { definition, lifecycle } = this.resource(token);
    const checked = await checkAgainst(definition.inputs, news, this.checkSource, options.isSecret);
    if (checked.problems.length > 0) return checked;
    return { ...checked, problems: lifecycle.check(checked.inputs, options.identity) };
  }

  /** The definition of a resource type. @throws BugError for a token that no resource has, as all methods do. */
  definitionOf(token: string): ResourceDefinition {
    return this.resource(token).definition;
  }

  /** The id of a resource with this state, for a front that hides the real id; undefined where the state does not tell. */
  idOf(token: string, state: Values): string | undefined {
    return this.resource(token).lifecycle.idOf(state);
  }

  /** What a change from `prior` to these inputs means for the resource. */
  diff(token: string, prior: Prior, inputs: Values, { identity }: ResourceOptions = {}): Diff {
    return this.resource(token).lifecycle.diff(prior, inputs, identity);
  }

  /** Whether the old resource has to go before the new one can be made, should the user want a replacement. */
  collides(token: string, prior: Prior, inputs: Values): boolean {
    return this.resource(token).lifecycle.collides(prior, inputs);
  }

  /** The outputs of a create, or with `prior` of an update, as far as they are known before it. */
  plan(token: string, inputs: Values, prior?: Prior): Values {
    return this.resource(token).lifecycle.plan(inputs, prior);
  }

  /**
   * Tells the user, at preview, what a create or replacement would do to others.
   *
   * @param secret top-level inputs that hold a secret.
   * @throws RefusedError where the create would refuse, or would fail for what the preflight finds.
   */
  async previewCreate(token: string, inputs: Values, secret: readonly string[], options: CallOptions): Promise<void> {
    const { lifecycle } = this.resource(token);
    const call = this.call(options);
    if (this.configuration.values.preflight && !containsUnknown(inputs)) {
      const obstacles = await this.preflight(token, inputs, options);
      if (obstacles.length > 0) throw new RefusedError(`Creating this would fail:\n  ${obstacles.join("\n  ")}`);
    }
    await lifecycle.previewCreate(inputs, secret, call);
  }

  /** Everything that would keep a create from succeeding, as far as the APIs tell beforehand: a line for each. */
  preflight(token: string, inputs: Values, options: CallOptions): Promise<string[]> {
    return this.resource(token).lifecycle.preflight(inputs, this.call(options));
  }

  /** @throws NotReadyError where the engine has to keep a resource that is not as it should be. */
  create(token: string, inputs: Values, options: CallOptions): Promise<{ id: string; state: Values }> {
    return this.changing(() => this.resource(token).lifecycle.create(inputs, this.call(options)));
  }

  /**
   * The resource as it now is; undefined where it is gone.
   *
   * @param prior what the engine remembers; undefined for an import, where `id` is what the user typed.
   * @throws InputError for an id to import that is none of this resource.
   */
  read(
    token: string,
    id: string,
    prior: Omit<Prior, "id"> | undefined,
    options: CallOptions,
  ): Promise<Current | undefined> {
    const { definition, lifecycle } = this.resource(token);
    const host = prior ? undefined : hostIn(id.trim());
    if (host !== undefined && !this.checkSource.isHostOf(definition.service.api, id, host)) {
      const reason = `must have no host, or ${definition.service.api}.googleapis.com`;
      throw new InputError(`Cannot import ${JSON.stringify(id)}`, [{ path: "id", reason }]);
    }
    return lifecycle.read(id, prior, this.call(options));
  }

  update(token: string, prior: Prior, inputs: Values, options: CallOptions): Promise<Values> {
    return this.changing(() => this.resource(token).lifecycle.update(prior, inputs, this.call(options)));
  }

  delete(token: string, prior: Prior, options: CallOptions): Promise<void> {
    return this.changing(() => this.resource(token).lifecycle.delete(prior, this.call(options)));
  }

  /** Everything wrong with a lookup's arguments, or the arguments with defaults and in normal form. */
  checkArguments(token: string, args: Values, isSecret?: SecretPaths): Promise<Checked> {
    return checkAgainst(this.lookup(token).definition.args, args, this.checkSource, isSecret);
  }

  /**
   * Runs a lookup. Equal lookups that are under way share their requests.
   *
   * @param args as `checkArguments` returned them; they are not checked again.
   * @throws ApiError and the transport's other errors.
   */
  runLookup(token: string, args: Values, options: CallOptions): Promise<Values> {
    const { definition, run, shared, ...lookup } = this.lookup(token);
    const texts = Object.entries(args).map(([name, value]) => [name, textOf(value)] as const);
    const doing = `${lookup.doing} ${definition.resource.format(Object.fromEntries(texts))}`;
    return this.sharedLookups.run({ token, args, doing, shared, ask: (call) => run(args, call) }, this.call(options));
  }

  /**
   * Checks the arguments of a lookup and runs it.
   *
   * @throws InputError with every problem of the arguments, and what `runLookup` throws.
   */
  async invoke(token: string, args: Values, options: CallOptions): Promise<Values> {
    const { inputs, problems } = await this.checkArguments(token, args);
    if (problems.length > 0) throw new InputError(token, problems);
    return this.runLookup(token, inputs, options);
  }

  /** Lists the grants that are not the stack's, through the reporters of earlier calls: only the end of a run shows them. */
  finish(): void {
    this.unmanaged.report();
  }

  /** Stops every call in flight. Calls that come later run: engines ask for this at the normal end of a run, too. */
  cancel(): void {
    this.unmanaged.forget();
    this.stop.abort();
    this.stop = stopper();
  }

  /** Lets every later lookup ask the API, because another process changed something. */
  changedElsewhere(): void {
    this.sharedLookups.changed();
  }

  /** Runs a change. Lookups that come after it see it, and after one that failed what it may have done. */
  private async changing<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } finally {
      this.sharedLookups.changed();
    }
  }

  private call({ timeout, reporter, identity, secret, stateIsUnknown }: CallOptions): Call {
    return {
      signal: this.stop.signal,
      deadline: this.connectors.clock.now() + timeout,
      reporter: reporter ?? silentReporter,
      ...(identity === undefined ? {} : { identity }),
      ...(secret === undefined ? {} : { secret }),
      ...(stateIsUnknown === undefined ? {} : { stateIsUnknown }),
    };
  }

  private resource(token: string) {
    const { resources } = this.connected();
    const found = resources.get(token);
    if (!found) throw new BugError(`no resource has the type ${token}${didYouMean(token, [...resources.keys()])}`);
    return found;
  }

  private lookup(token: string) {
    const { lookups } = this.connected();
    const found = lookups.get(token);
    if (!found) throw new BugError(`no function is called ${token}${didYouMean(token, [...lookups.keys()])}`);
    return found;
  }
}

interface ConnectedLookup extends Omit<Lookup, "connect"> {
  run: LookupFunction<Values, Values, Call>;
}

interface Connected {
  resources: ReadonlyMap<string, { definition: ResourceDefinition; lifecycle: UntypedLifecycle<Call> }>;
  lookups: ReadonlyMap<string, ConnectedLookup>;
}

function connectedTo(context: LifecycleContext): Connected {
  const { lookups, resources } = loadServices();
  return {
    resources: new Map(
      resources.map(({ definition, connect }) => [tokenOf(definition), { definition, lifecycle: connect(context) }]),
    ),
    lookups: new Map(
      lookups.map(({ connect, ...lookup }) => [tokenOf(lookup.definition), { ...lookup, run: connect(context) }]),
    ),
  };
}

function allServices(): ServiceDefinition[] {
  const { lookups, resources } = loadServices();
  return [...resources, ...lookups].map((each) => each.definition.service);
}

/** Every call of the engine listens to the signal. Node takes more than ten listeners for a leak, unless it is told. */
function stopper(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
