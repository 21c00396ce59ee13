import { setImmediate } from "node:timers/promises";
import { Claims } from "../core/claims";
import { checkedConfiguration } from "../core/config/resolve";
import { tokenOf, type ResourceDefinition, type ServiceDefinition } from "../core/definition";
import { changedProperties, type Diff, type PropertyChange } from "../core/diff";
import type { Environment } from "../core/environment";
import { CredentialsError, importError, InputError, RefusedError } from "../core/errors";
import type { Current, Prior } from "../core/lifecycle";
import type { ListPage, Listing } from "../core/listing";
import { once } from "../core/once";
import { hostIn } from "../core/reference";
import { didYouMean } from "../core/problem";
import { containsUnknown, textOf, type Values } from "../core/unknown";
import type { SecretPaths } from "../core/validate";
import { DEFAULT_TIMEOUTS, endOf, silentReporter, startCall, type Call } from "../http/call";
import { systemClock } from "../http/clock";
import { isHostOf } from "../http/endpoints";
import { RESOURCE_MANAGER, SERVICES } from "../core/services";
import { DeclaredByPolicy } from "../iam/declared-grants";
import { GrantableRoles } from "../iam/grantable-roles";
import { SharedWork } from "../http/shared-work";
import { PolicyStore } from "../iam/policy-store";
import { ProjectIds } from "../iam/project-ids";
import type { Lookup } from "../services/shared/lookups";
import type { ConnectedResource, LifecycleContext } from "../services/shared/resource";
import { VERSION } from "../version";
import { checkAgainst, type Checked, type CheckSource } from "./check";
import { Connections, type Connectors } from "./connections";
import { stateBackend } from "./state-backend";

export type ResourceOptions = Pick<Call, "identity">;

/** The options of a front for one call. */
export interface CallOptions extends Partial<Omit<Call, "signal" | "deadline" | "clock">> {
  /** Milliseconds. */
  timeout: number;
}

export interface CheckOptions extends ResourceOptions {
  /** Which inputs the user marked as secret: never quoted in a problem. */
  isSecret?: SecretPaths;
}

/** The effect of a change of the inputs on a resource. */
export interface Comparison {
  diff: Diff;
  /** Whether a replacement that the user asks for has to delete the old resource before it creates the new one. */
  collides: boolean;
}

/**
 * The provider after its configuration, as both fronts use it: resources and lookups by token, plain values in and out. It
 * is independent of the engine. The lifecycle of a resource has its operations (`core/lifecycle.ts`); this class finds the
 * lifecycle, and adds the common parts: the check against the definition, defaults, deadlines, and cancellation.
 */
export class Provider {
  private readonly connections: Connections;
  private readonly defaultProject: () => Promise<string | CredentialsError | undefined>;
  private readonly configuration;
  /** Resources and lookups by token, since the first use of one. */
  private readonly connected: () => Connected;
  private readonly connectors: Connectors;
  private readonly context: LifecycleContext;
  private readonly sharedLookups = new SharedWork<Values>();
  /** For checks: the configuration and, for missing values, the credentials. */
  private readonly checkSource: CheckSource = {
    defaultOf: async (key) => (key === "project" ? this.defaultProject() : this.configuration.values[key]),
    isHostOf: (api, text, host) => isHostOf(api, text, host, this.configuration, allServices()),
  };
  /** Stops each of the calls that run now. */
  private readonly running = new Set<() => void>();

  /**
   * @param given configuration keys as the engine or program gives them; strings are typed by their key.
   * @param planned those of them that a plan shows.
   * @throws ConfigurationError with every problem of the configuration.
   */
  constructor(
    given: Values,
    environment: Environment,
    connectors: Partial<Connectors> = {},
    private readonly planned: Values = given,
  ) {
    this.connectors = { clock: systemClock, ...connectors };
    this.configuration = checkedConfiguration(given, environment);
    const { endpoints } = this.configuration.values;
    if (endpoints) loadServices().refuseUnknownApis(Object.keys(endpoints));
    this.connections = new Connections(this.configuration, this.connectors);
    // An error is a result here, so that `once` keeps it: the check of each resource would read the credentials again.
    const ofCredentials = () => this.connections.projectOfCredentials(allServices()).catch(returnCredentialsError);
    this.defaultProject = once(async () => this.configuration.values.project ?? ofCredentials());
    this.context = {
      api: (service) => this.connections.api(service),
      configuration: this.configuration.values,
      claims: new Claims(this.connectors.facts),
      stateBackend: once(() => stateBackend(environment, process.cwd())),
      canImport: this.connectors.canImport ?? true,
      policies: new PolicyStore(this.configuration.values.waitForPropagation),
      declaredGrants: new DeclaredByPolicy(),
      projectIds: new ProjectIds((service) => this.connections.beside(service, RESOURCE_MANAGER)?.client),
      grantableRoles: new GrantableRoles((service) => this.connections.beside(service, SERVICES.iam)?.client),
    };
    this.connected = once(() => connectedTo(this.context));
  }

  /** Loads every resource and lookup now, so that the first call does not have to. */
  warmUp(): void {
    this.connected();
  }

  /** All problems of a resource's inputs; or the inputs with defaults and in normal form. */
  async check(token: string, news: Values, options: CheckOptions = {}): Promise<Checked> {
    const { definition, lifecycle } = this.resource(token);
    const checked = await checkAgainst(definition.inputs, news, this.checkSource, options.isSecret);
    if (checked.problems.length > 0) return checked;
    const identity = options.identity === undefined ? {} : { identity: options.identity };
    const problems = await this.calling({ timeout: DEFAULT_TIMEOUTS.lookup, ...identity }, (call) =>
      lifecycle.check?.(checked.inputs, call),
    );
    return { ...checked, problems: problems ?? [] };
  }

  /** The definition of a resource type. @throws InputError for an unknown token, as all methods do. */
  definitionOf(token: string): ResourceDefinition {
    return this.resource(token).definition;
  }

  /** The id of a resource with this state, for a front that hides the real id; undefined when the state does not have it. */
  idOf(token: string, state: Values): string | undefined {
    const { lifecycle, typedState } = this.resource(token);
    return lifecycle.idOf(typedState(state));
  }

  /**
   * Compares a resource with inputs.
   *
   * @param inputs of the program or, at a refresh, of the state, where any may be missing or have another type
   */
  compare(token: string, prior: Prior, inputs: Values, { identity }: ResourceOptions = {}): Comparison {
    const { lifecycle, recognize, typedInputs } = this.resource(token);
    const [before, after] = [recognize(prior), typedInputs(inputs)];
    return { diff: lifecycle.diff(before, after, identity), collides: lifecycle.collides?.(before, after) ?? false };
  }

  /** The expected outputs of a create or, with `prior`, of an update. */
  plan(token: string, inputs: Values, prior?: Prior): Values {
    const { lifecycle, recognize } = this.resource(token);
    return lifecycle.plan(inputs, prior && recognize(prior));
  }

  /**
   * At preview, reports the effect of a create or replacement on others.
   *
   * @throws RefusedError if the create would be refused, or would fail because of an obstacle that the preflight finds.
   */
  async previewCreate(token: string, inputs: Values, options: CallOptions): Promise<void> {
    const { lifecycle } = this.resource(token);
    if (this.configuration.values.preflight && !containsUnknown(inputs)) {
      const obstacles = await this.preflight(token, inputs, options);
      if (obstacles.length > 0) throw new RefusedError(`Creating this would fail:\n  ${obstacles.join("\n  ")}`);
    }
    await this.calling(options, (call) => lifecycle.previewCreate?.(inputs, call));
  }

  /**
   * At preview, reports the effect of an update on others.
   *
   * @param prior undefined if the front does not know the state.
   * @throws RefusedError if the update would be refused.
   */
  async previewUpdate(token: string, prior: Prior | undefined, inputs: Values, options: CallOptions): Promise<void> {
    const { definition, lifecycle, recognize } = this.resource(token);
    const known = prior && recognize(prior);
    if (known) refuseReplacement(definition, lifecycle.changes(known, inputs));
    if (!lifecycle.previewUpdate) return;
    await this.calling(options, (call) => lifecycle.previewUpdate?.(known, inputs, call));
  }

  /**
   * The message that states, at preview, the settings of a grant that a plan does not show; undefined where it shows all,
   * and for other resources.
   */
  unplannedSettings(token: string, inputs: Values): string | undefined {
    const service = this.resource(token).lifecycle.serviceOf?.(inputs);
    return service && loadServices().unplannedGrantSettings(service, this.configuration, this.planned);
  }

  /** All obstacles of a create that the APIs can show in advance, one line each. */
  async preflight(token: string, inputs: Values, options: CallOptions): Promise<string[]> {
    const { lifecycle } = this.resource(token);
    return this.calling(options, async (call) => (await lifecycle.preflight?.(inputs, call)) ?? []);
  }

  /** @throws NotReadyError if the engine must keep a resource that is not ready. */
  create(token: string, inputs: Values, options: CallOptions): Promise<{ id: string; state: Values }> {
    return this.changing(options, (call) => this.resource(token).lifecycle.create(inputs, call));
  }

  /**
   * The current resource; undefined if it is gone.
   *
   * @param prior the engine's record; undefined for an import, where `id` comes from the user.
   * @throws InputError for an import id that does not match this resource type.
   */
  async read(
    token: string,
    id: string,
    prior: Omit<Prior, "id"> | undefined,
    options: CallOptions,
  ): Promise<Current | undefined> {
    const { definition, lifecycle, recognize } = this.resource(token);
    if (prior) return this.calling(options, (call) => lifecycle.read(recognize({ ...prior, id }), call));
    const host = hostIn(id.trim());
    const isForeign = !definition.isOfAnyApi && host !== undefined;
    if (isForeign && !this.checkSource.isHostOf(definition.service.api, id, host)) {
      const reason = `must have no host, or ${definition.service.api}.googleapis.com`;
      throw importError(id, reason);
    }
    return this.calling(options, (call) => lifecycle.import(id, call));
  }

  /** All problems of what a list is asked for; or the query with defaults and in normal form. */
  checkQuery(token: string, query: Values, isSecret?: SecretPaths): Promise<Checked> {
    const { listInputs } = this.resource(token).definition;
    if (!listInputs) throw new InputError(token, [{ path: "type", reason: "has no list" }]);
    return checkAgainst(listInputs, query, this.checkSource, isSecret);
  }

  /**
   * A page of the resources in the cloud.
   *
   * @param query from `checkQuery`; it is not checked again.
   */
  list(token: string, query: Values, page: ListPage, options: CallOptions): Promise<Listing> {
    const { lifecycle } = this.resource(token);
    return this.calling(
      options,
      async (call) => (await lifecycle.list?.(query, page, call)) ?? { found: [], next: "" },
    );
  }

  /**
   * @throws RefusedError for a change that replaces the resource, before the first request. `pulumi up` replaces it; other
   *   commands of the engine (`pulumi do … patch`) request an update without a diff.
   */
  update(token: string, prior: Prior, inputs: Values, options: CallOptions): Promise<Values> {
    const { definition, lifecycle, recognize } = this.resource(token);
    return this.changing(options, (call) => {
      const known = recognize(prior);
      refuseReplacement(definition, lifecycle.changes(known, inputs));
      return lifecycle.update(known, inputs, call);
    });
  }

  delete(token: string, prior: Prior, options: CallOptions): Promise<void> {
    const { lifecycle, recognize } = this.resource(token);
    return this.changing(options, (call) => lifecycle.delete(recognize(prior), call));
  }

  /** All problems of a lookup's arguments; or the arguments with defaults and in normal form. */
  checkArguments(token: string, args: Values, isSecret?: SecretPaths): Promise<Checked> {
    return checkAgainst(this.lookup(token).definition.args, args, this.checkSource, isSecret);
  }

  /**
   * Runs a lookup. Equal lookups at the same time share their requests: a program that looks up one object for each of a
   * hundred resources sends one request. Results and failures are not cached. A lookup after a result, or after a change by
   * this provider, sends a new request. Concurrent changes by others may be missed. Lookups of policies, which others write at
   * any time, share a request only until it is sent: that covers all lookups that a program starts together.
   *
   * @param args from `checkArguments`; they are not checked again.
   * @throws ApiError and the transport's other errors.
   */
  async runLookup(token: string, args: Values, options: CallOptions): Promise<Values> {
    const { definition, run, joinUntil, ...lookup } = this.lookup(token);
    const texts = Object.entries(args).map(([name, value]) => [name, textOf(value)] as const);
    const doing = `${lookup.doing} ${definition.resource.format(Object.fromEntries(texts))}`;
    const key = JSON.stringify([token, Object.entries(args).sort(([left], [right]) => (left < right ? -1 : 1))]);
    const begin = async (call: Call, close: () => void) => {
      // In a later task, so that all lookups of the current task can join.
      await setImmediate();
      if (joinUntil === "sent") close();
      return run(this.context, args, call);
    };
    const result = await this.calling(options, (call) =>
      this.sharedLookups.run(key, call, () => endOf(call, doing), begin),
    );
    // A copy for each caller, because programs may modify the result.
    return structuredClone(result);
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

  /** Stops every call in flight. Later calls run: engines also request this at the normal end of a run. */
  cancel(): void {
    for (const stop of this.running) stop();
  }

  /** Makes every later lookup send a new request, because another process changed something. */
  changedElsewhere(): void {
    this.sharedLookups.drop();
  }

  /** Runs a change. Later lookups see it, also a possible effect of a failed change. */
  private async changing<T>(options: CallOptions, change: (call: Call) => Promise<T>): Promise<T> {
    try {
      return await this.calling(options, change);
    } finally {
      this.sharedLookups.drop();
    }
  }

  /** Runs the work of one call, which ends at its timeout and can be cancelled. */
  private async calling<T>({ timeout, ...details }: CallOptions, work: (call: Call) => T | Promise<T>): Promise<T> {
    const { clock } = this.connectors;
    const reporter = details.reporter ?? silentReporter;
    const { call, stop, end } = startCall(clock, timeout, { ...details, reporter });
    this.running.add(stop);
    try {
      return await work(call);
    } finally {
      this.running.delete(stop);
      end();
    }
  }

  private resource(token: string) {
    const { resources } = this.connected();
    const found = resources.get(token);
    if (!found) throw unknownTokenError("resource", token, [...resources.keys()]);
    return found;
  }

  private lookup(token: string) {
    const { lookups } = this.connected();
    const found = lookups.get(token);
    if (!found) throw unknownTokenError("function", token, [...lookups.keys()]);
    return found;
  }
}

/** An update in place would change a part of the resource, and its id would name the old one. */
function refuseReplacement({ name }: ResourceDefinition, changes: readonly PropertyChange[]): void {
  const properties = changedProperties(changes.filter((each) => each.replaces));
  if (properties.length === 0) return;
  throw new RefusedError(
    `A change of ${properties.join(", ")} replaces this ${name}, so it cannot be updated in place. Nothing was changed. ` +
      "Delete it and create another one, or change it in a program and run pulumi up",
  );
}

function returnCredentialsError(error: unknown): CredentialsError {
  if (error instanceof CredentialsError) return error;
  throw error;
}

/** The SDK of a program may have a newer version with more types. */
function unknownTokenError(kind: "resource" | "function", token: string, known: readonly string[]): InputError {
  const reason = `is not a ${kind} of version ${VERSION} of the provider${didYouMean(token, known)}`;
  return new InputError(token, [{ path: "type", reason: `${reason}; the program's SDK may be of another version` }]);
}

interface Connected {
  resources: ReadonlyMap<string, ConnectedResource>;
  lookups: ReadonlyMap<string, Lookup>;
}

function connectedTo(context: LifecycleContext): Connected {
  const { lookups, resources } = loadServices();
  return {
    resources: new Map(resources.map(({ definition, connect }) => [tokenOf(definition), connect(context)])),
    lookups: new Map(lookups.map((lookup) => [tokenOf(lookup.definition), lookup])),
  };
}

function allServices(): ServiceDefinition[] {
  const { lookups, resources } = loadServices();
  return [...resources, ...lookups].map((each) => each.definition.service);
}

/**
 * The resources and lookups, loaded at first use: building their definitions takes as long as everything else that the
 * plugin loads before it is configured, and the engine waits for that. Not with `import()`, as in `http/pool.ts`.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const loadServices = () => require("../services") as typeof import("../services");
