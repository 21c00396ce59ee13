import { keysToHide } from "../core/config/definition";
import type { Environment } from "../core/environment";
import { CancelledError, ConfigurationError } from "../core/errors";
import { SecretTexts, type Secrets } from "../core/secrets";
import type { Values } from "../core/unknown";
import { systemClock } from "../http/clock";
import type { CallOptions, Provider } from "../runtime/provider";
import type { EngineLog } from "./log";
import { StatusLine } from "./status-line";

/** How long a call on a resource may take. */
export interface Limit {
  /** Seconds, as the engine sends it; 0 if the program sets no timeout. */
  custom: number;
  /** Milliseconds. */
  default: number;
}

export interface SessionParts {
  environment: Environment;
  log: EngineLog;
  knownSecrets: KnownSecrets;
  /**
   * Creates the provider for these settings.
   *
   * @param planned the settings that a plan shows.
   * @throws ConfigurationError with every problem, those of environment variables included.
   */
  makeProvider(settings: Values, planned: Values): Provider;
}

/**
 * The shared objects of one engine's calls: its log, its secrets, and the configured provider. An engine that attaches to a
 * running plugin begins its run with a configuration.
 */
export class Session {
  readonly environment: Environment;
  readonly log: EngineLog;
  readonly knownSecrets: KnownSecrets;
  private configured: Provider | undefined;
  private cancelled = false;
  private ofProgram = true;

  constructor(private readonly parts: SessionParts) {
    this.environment = parts.environment;
    this.log = parts.log;
    this.knownSecrets = parts.knownSecrets;
  }

  /**
   * Begins a run with the provider of these settings.
   *
   * @param planned the settings that a plan shows.
   * @param providerUrn `pulumi do … --stateless` configures a provider without a name (`configureProvider` in Pulumi's do_shared.go).
   * @throws ConfigurationError with every problem, those of environment variables included.
   */
  configure(settings: Values, planned = settings, providerUrn?: string): void {
    this.configured = this.parts.makeProvider(settings, planned);
    this.cancelled = false;
    this.ofProgram = !providerUrn?.endsWith("::");
  }

  /** Whether the calls are those of a program or a stack, and not of `pulumi do … --stateless`. */
  get hasProgram(): boolean {
    return this.ofProgram;
  }

  /**
   * The identity of a resource of the run. Without a program there is none: all resources of a type have one URN, and a delete
   * of what the command has just read is not the delete of an older record.
   */
  identityOf(urn: string): { identity?: string } {
    return this.ofProgram ? { identity: urn } : {};
  }

  /** @throws ConfigurationError if the engine has not configured the provider yet. */
  provider(): Provider {
    if (!this.configured) throw new ConfigurationError("The perimeter provider was called before it was configured");
    return this.configured;
  }

  /**
   * Runs a call on a resource, with its status on the resource's line.
   *
   * @throws CancelledError when the run was cancelled, and the errors of `act`.
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
        ...this.identityOf(urn),
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
    if (this.cancelled) throw new CancelledError("The run was cancelled before this call started");
  }

  /**
   * Stops the calls in flight, and refuses calls that an interrupted engine still sends. Engines request this at the normal
   * end of a run, when no call is in flight, and twice after ctrl-C: at once and at the end.
   */
  cancel(): void {
    this.cancelled = true;
    this.configured?.cancel();
  }
}

/** The secrets that the engine has sent to this process. */
export class KnownSecrets {
  /** The texts of all secrets. Messages must not show them. */
  readonly texts = new SecretTexts();
  /** The provider's settings that the user marked as secret (`pulumi config set --secret`). */
  private settings = new SecretTexts();

  /** A message without any of the secrets. */
  readonly scrub = (text: string): string => this.texts.scrub(text);

  /**
   * Stores the secrets among the settings of a run, in place of the secrets of the last run.
   *
   * @param marked the settings that the engine sent as secrets. Credentials are hidden without a mark.
   */
  noteSettings(settings: Values, marked: Secrets): void {
    this.settings = new SecretTexts();
    for (const [key, value] of Object.entries(settings)) if (marked.touches(key)) this.settings.add(value);
    for (const key of keysToHide(settings)) this.texts.add(settings[key]);
  }

  /** Marks the values that contain a secret setting, such as the default project. */
  markSettingsIn(values: Values, marks: Secrets): void {
    this.settings.markIn(values, marks);
  }
}
