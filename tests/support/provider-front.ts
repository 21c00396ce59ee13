import { NotReadyError } from "../../provider/core/errors";
import type { CallOptions, Provider } from "../../provider/runtime/provider";
import { NotReady, type Front, type Held, type Named } from "./simulated-stack";

/** A provider of this process as the engine calls it, so that a test can watch and change its requests. */
export function providerFront(provider: Provider, options: CallOptions): Front {
  const as = ({ name }: Named) => ({ ...options, identity: name });
  const prior = ({ id, inputs, outputs }: Held) => ({ id, inputs, state: outputs });
  return {
    register: (_of, inputs) => inputs,
    check: async (of, _olds, news) => {
      const { inputs, problems } = await provider.check(of.type, news, { identity: of.name });
      return { inputs, failures: problems.map(({ path, reason }) => `${path} ${reason}`) };
    },
    diff: (of, old, news) => {
      const { diff, collides } = provider.compare(of.type, prior(old), news, { identity: of.name });
      const [isChange, isReplacement] = [diff.action !== "none", diff.action === "replace"];
      return Promise.resolve({ isChange, isReplacement, deleteBeforeReplace: collides });
    },
    create: async (of, inputs) => {
      const { id, state } = await keeping(provider.create(of.type, inputs, as(of)));
      return { id, outputs: state };
    },
    update: (of, old, news) => keeping(provider.update(of.type, prior(old), news, as(of))),
    delete: (of, old) => provider.delete(of.type, prior(old), as(of)),
    read: async (of, old) => {
      const current = await keeping(provider.read(of.type, old.id, prior(old), as(of)));
      return current && { id: current.id, inputs: current.inputs, outputs: current.state };
    },
  };
}

async function keeping<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    throw new NotReady(error.message, error.id, error.properties, { cause: error });
  }
}
