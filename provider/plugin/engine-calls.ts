import type { Environment } from "../core/config/resolve";
import { Provider } from "../runtime/provider";
import type { CallsInFlight } from "./calls-in-flight";
import { KnownSecrets } from "./known-secrets";
import { EngineLog } from "./log";
import { RunNotes } from "./run-notes";
import { Session } from "./session";

/**
 * What the engine's calls do: all of the plugin that the process does not need until it has told the engine its port. The
 * server loads this module once, and nothing else of the plugin lazily.
 */

export { packageSchema } from "../schema";
export { checkConfig, configure, diffConfig } from "./configuration";
export { serviceError } from "./errors";
export { check, create, diff, invoke, read, remove, update } from "./resources";

export interface SessionOptions {
  /** `host:port` of the engine that started this process; absent where a person started it, to debug. */
  engineAddress?: string;
  environment: Environment;
  inFlight: CallsInFlight;
}

export function openSession({ engineAddress, environment, inFlight }: SessionOptions): Session {
  const secrets = new KnownSecrets();
  const { scrub } = secrets;
  const log = new EngineLog(engineAddress, scrub);
  const notes =
    engineAddress === undefined
      ? undefined
      : new RunNotes(engineAddress, environment, (message) => log.reporter("").warning(message));
  const makeProvider = (settings: Record<string, unknown>) => new Provider(settings, environment, { scrub, notes });
  return new Session({ log, secrets, inFlight, notes, makeProvider });
}
