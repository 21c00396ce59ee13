import type { Environment } from "../core/config/environment";
import { Provider } from "../runtime/provider";
import type { CallsInFlight } from "./calls-in-flight";
import { KnownSecrets } from "./known-secrets";
import { EngineLog } from "./log";
import { RunNotes } from "./run-notes";
import { Session } from "./session";

/**
 * What the plugin needs until it is configured, and only after it has told the engine its port: `server.ts` loads this
 * module then. `resource-calls.ts` is what it needs from there on.
 */

export { checkConfig, configure, diffConfig } from "./configuration";
export { serviceError } from "./errors";

export interface SessionOptions {
  /** `host:port` of the engine that started this process; absent where a person started it, to debug. */
  engineAddress?: string;
  environment: Environment;
  inFlight: CallsInFlight;
}

/** What the calls of one engine share, put together of its parts. */
export function openSession({ engineAddress, environment, inFlight }: SessionOptions): Session {
  const knownSecrets = new KnownSecrets();
  const { scrub } = knownSecrets;
  const log = new EngineLog(engineAddress, scrub);
  const notes =
    engineAddress === undefined
      ? undefined
      : new RunNotes(engineAddress, environment, (message) => log.reporter("").warning(message));
  const makeProvider = (settings: Record<string, unknown>) => new Provider(settings, environment, { scrub, notes });
  return new Session({ environment, log, knownSecrets, inFlight, notes, makeProvider });
}
