import type { Environment } from "../core/config/environment";
import { CancelledError, ConfigurationError } from "../core/errors";
import type { Values } from "../core/unknown";
import { systemClock } from "../http/clock";
import type { CallOptions, Provider } from "../runtime/provider";
import type { CallsInFlight } from "./calls-in-flight";
import type { KnownSecrets } from "./known-secrets";
import type { EngineLog } from "./log";
import type { RunNotes } from "./run-notes";
import { StatusLine } from "./status-line";

/** How long a call on a resource may take. */
export interface Limit {
  /** Seconds, as the engine sends it; 0 where the program sets none. */
  custom: number;
  /** Milliseconds. */
  default: number;
}

interface SessionParts {
  environment: Environment;
  log: EngineLog;
  knownSecrets: KnownSecrets;
  inFlight: CallsInFlight;
  /** What the provider processes of this run tell each other. Absent where no engine started this process. */
  notes: RunNotes | undefined;
  /**
   * Makes the provider that some settings describe.
   *
   * @throws ConfigurationError with every problem, those of environment variables included.
   */
  makeProvider(settings: Values): Provider;
}

/**
 * What the calls of one engine have in common: its log, its secrets, and the provider that it configured. An engine that
 * attaches to a running plugin begins its run with a configuration.
 */
export class Session {
  readonly environment: Environment;
  readonly log: EngineLog;
  readonly knownSecrets: KnownSecrets;
  private configured: Provider | undefined;
  private cancelled = false;

  constructor(private readonly parts: SessionParts) {
    this.environment = parts.environment;
    this.log = parts.log;
    this.knownSecrets = parts.knownSecrets;
  }

  /**
   * Begins a run with the provider of these settings.
   *
   * @throws ConfigurationError with every problem, those of environment variables included.
   */
  configure(settings: Values): void {
    this.configured = this.parts.makeProvider(settings);
    this.cancelled = false;
  }

  /** @throws ConfigurationError before the engine has configured it. */
  provider(): Provider {
    if (!this.configured) throw new ConfigurationError("The perimeter provider was called before it was configured");
    return this.configured;
  }

  /**
   * Runs a call on a resource, with its status on the resource's line.
   *
   * @throws CancelledError when the run was cancelled. What `act` throws.
   */
  async run<T>(urn: string, limit: Limit, act: (options: CallOptions) => Promise<T>): Promise<T> {
    this.requireRunning();
    const reporter = this.log.reporter(urn);
    const status = new StatusLine(systemClock, reporter.status);
    const timeout = limit.custom > 0 ? limit.custom * 1000 : limit.default;
    let succeeded = false;
    try {
      const result = await act({
        timeout,
        identity: urn,
        reporter: { ...reporter, status: (message) => status.set(message) },
      });
      succeeded = true;
      return result;
    } finally {
      status.end(succeeded);
    }
  }

  /** @throws CancelledError when the run was cancelled. */
  requireRunning(): void {
    if (this.cancelled) throw new CancelledError("The run was cancelled before this was begun");
  }

  /**
   * Stops the calls in flight, and refuses those that an engine still sends after it was interrupted. Engines ask for this
   * after ctrl-C, and also at the normal end of a run: then no call is in flight, and the provider reports what only the
   * end of a run shows.
   */
  cancel(): void {
    this.cancelled = true;
    if (this.parts.inFlight.areNone) this.configured?.finish();
    this.configured?.cancel();
  }

  /** Ends the process's part in the run. Removes its notes at once, because an engine may not wait for more. */
  end(): void {
    this.parts.notes?.end();
    this.configured?.cancel();
  }
}
