import { Provider } from "../runtime/provider";
import { KnownSecrets, Session, type SessionParts } from "./session";
import { EngineLog } from "./log";
import { RunLog } from "./run-log";

/**
 * The calls before the plugin is configured. `server.ts` loads this module after the engine has the port; `resources.ts`
 * has the later calls.
 */

export { checkConfig, configure, diffConfig } from "./configuration";

export interface SessionOptions extends Pick<SessionParts, "environment"> {
  /** `host:port` of the engine that started this process; absent if a person started it for debugging. */
  engineAddress?: string;
}

/** Assembles the objects that all calls of one engine share. */
export function openSession({ engineAddress, environment }: SessionOptions): Session {
  const knownSecrets = new KnownSecrets();
  const { scrub } = knownSecrets;
  const log = new EngineLog(engineAddress, scrub);
  const facts =
    engineAddress === undefined
      ? undefined
      : new RunLog(engineAddress, environment, (message) => log.reporter("").warning(message));
  const makeProvider = (settings: Record<string, unknown>, planned: Record<string, unknown>) =>
    new Provider(settings, environment, { scrub, facts }, planned);
  return new Session({ environment, log, knownSecrets, makeProvider });
}
