/** The two fronts as the engine calls them: the plugin over gRPC, and the npm front's backend as Pulumi's server calls it. */
import { backend } from "../../provider/dynamic/backend";
import { serializedProvider } from "../../provider/runtime/kept-properties";
import type { Values } from "../../provider/core/unknown";
import { DEFAULT, NotReady, type Front, type Named } from "./simulated-stack";
import { CallError, newHome, PluginClient, urn } from "../lifecycle/plugin-client";

/** The provider processes of one run of the engine. */
export interface Processes {
  fronts: Record<string, Front>;
  end(): Promise<void>;
}

export interface CloudAddress {
  /** Directs a provider to the emulator. */
  environment: Record<string, string>;
  /** The address of the engine. */
  engine: string;
}

export const FRONTS = ["the plugin", "the npm package"] as const;
export type FrontName = (typeof FRONTS)[number];

/** Starts the providers of a run. @param providers the names of explicit providers. */
export function startRun(
  front: FrontName,
  configuration: Values,
  providers: Iterable<string>,
  cloud: CloudAddress,
): Promise<Processes> {
  return front === "the plugin"
    ? startPlugins(configuration, [DEFAULT, ...providers], cloud)
    : Promise.resolve(npmRun(configuration, cloud));
}

async function startPlugins(configuration: Values, providers: string[], { environment, engine }: CloudAddress) {
  const home = newHome();
  const clients = await Promise.all(
    providers.map(async (name) => {
      const client = await PluginClient.inProcess(engine, environment, home);
      await client.configure(configuration);
      return [name, client] as const;
    }),
  );
  return {
    fronts: Object.fromEntries(clients.map(([name, client]) => [name, pluginFront(client)])),
    end: async () => void (await Promise.all(clients.map(([, client]) => client.close()))),
  };
}

export function pluginFront(client: PluginClient): Front {
  return {
    register: (_of, inputs) => inputs,
    check: async ({ type, name }, _olds, news) => {
      const { inputs, failures } = await client.check(type, news, name);
      return { inputs, failures: failures.map(({ property, reason }) => `${property} ${reason}`) };
    },
    diff: async ({ type, name }, old, news) => {
      const { changes, replaces, deleteBeforeReplace } = await client.diff(type, old.id, old, news, [], name);
      return { isChange: changes === "DIFF_SOME", isReplacement: replaces.length > 0, deleteBeforeReplace };
    },
    create: ({ type, name }, inputs, preview) => keeping(client.create(type, inputs, { name, preview })),
    update: ({ type, name }, old, news, preview) => keeping(client.update(type, old.id, old, news, { name, preview })),
    delete: ({ type, name }, old) => client.delete(type, old.id, old, 0, name),
    read: async ({ type, name }, old) => {
      const current = await client.read(type, old.id, old, name);
      return current.id === "" ? undefined : current;
    },
  };
}

async function keeping<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof CallError) || !error.notReady) throw error;
    throw new NotReady(error.message, error.notReady.id, error.notReady.properties);
  }
}

let runs = 0;

/** All resources of the npm front share a process, which has one provider for each configuration. */
function npmRun(configuration: Values, { environment }: CloudAddress): Processes {
  // A configuration of its own gives the run a provider that knows nothing of earlier runs, as a new process has.
  const config = {
    ...configuration,
    emulatorHost: environment.PERIMETER_EMULATOR_HOST,
    requestReason: `run ${++runs}`,
  };
  const rawConfig = Object.fromEntries(Object.entries(config).map(([key, value]) => [`perimeter:${key}`, value]));
  // Its warnings go to the standard error of its process, from which the engine takes them.
  const warnings = jest.spyOn(console, "error").mockImplementation(() => undefined);
  return { fronts: { [DEFAULT]: npmFront(rawConfig) }, end: () => Promise.resolve(warnings.mockRestore()) };
}

/** `{service}/{version}:{Name}` */
const shortType = (type: string) => type.replace(/^perimeter:/, "");

/** Does what Pulumi's dynamic server does (`cmd/dynamic-provider` in @pulumi/pulumi), with values that pass through JSON. */
function npmFront(rawConfig: Values): Front {
  const backends = new Map<string, Promise<ReturnType<typeof backend>>>();
  const started = async (type: string) => {
    const made = backend(shortType(type));
    await made.configure?.({ config: { rawConfig, get: (key: string) => rawConfig[key] } as never });
    return made;
  };
  const of = ({ type }: Named) => {
    const made = backends.get(type) ?? started(type);
    backends.set(type, made);
    return made;
  };
  return {
    register: ({ type, name }, inputs) => ({
      ...inputs,
      __provider: serializedProvider(shortType(type)),
      __identity: `organization/${urn(`pulumi-nodejs:dynamic/${shortType(type)}`, name)}`,
    }),
    check: async (named, olds, news) => {
      const checked = await (await of(named)).check?.(sent(olds), sent(news));
      const inputs = { ...(checked?.inputs as Values), __provider: news.__provider };
      return { inputs: sent(inputs), failures: (checked?.failures ?? []).map(({ reason }) => reason) };
    },
    diff: async (named, old, news) => {
      const diff = await (await of(named)).diff?.(old.id, sent(old.outputs), sent(news));
      return {
        isChange: diff?.changes === true,
        isReplacement: (diff?.replaces ?? []).length > 0,
        deleteBeforeReplace: diff?.deleteBeforeReplace ?? false,
      };
    },
    create: async (named, inputs, isPreview) => {
      // The engine does not ask this server at previews.
      if (isPreview) return { id: "", outputs: inputs };
      const { id, outs } = await keepingInitError((await of(named)).create(sent(inputs)));
      return { id, outputs: sent({ ...(outs as Values), __provider: inputs.__provider }) };
    },
    update: async (named, old, news, isPreview) => {
      if (isPreview) return news;
      const updating = (await of(named)).update?.(old.id, sent(old.outputs), sent(news));
      const outs = (await keepingInitError(Promise.resolve(updating)))?.outs as Values;
      return sent({ ...outs, __provider: news.__provider });
    },
    delete: async (named, old) => (await of(named)).delete?.(old.id, sent(old.outputs)),
    read: async (named, old) => {
      const {
        id = "",
        props = {},
        inputs = old.inputs,
      } = (await (await of(named)).read?.(old.id, sent(old.outputs))) ?? {};
      const kept = { __provider: old.outputs.__provider };
      return id === "" ? undefined : { id, inputs: sent({ ...inputs, ...kept }), outputs: sent({ ...props, ...kept }) };
    },
  };
}

const sent = (values: Values): Values => JSON.parse(JSON.stringify(values)) as Values;

/** The server recognizes a resource that is not ready by the id of the error. */
async function keepingInitError<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const { id, properties, message } = error as Error & { id?: string; properties?: Values };
    if (!id) throw error;
    throw new NotReady(message, id, sent(properties ?? {}));
  }
}
