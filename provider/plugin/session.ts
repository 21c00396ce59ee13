import { CancelledError, ConfigurationError } from "../core/errors";
import type { Values } from "../core/unknown";
import type { Environment } from "../core/config/resolve";
import type { CallOptions, Provider } from "../runtime/provider";
import { lazy } from "./lazy";
import { EngineLog } from "./log";
import { RunNotes } from "./run-notes";
import { SecretTexts, type Secrets } from "../core/secrets";

const AFTER_THE_ANSWER_MS = 5;

/** What one run of the plugin knows: its engine, its configured provider, and the secrets it was told. */
export class Session {
  readonly texts = new SecretTexts();
  /** The values of settings that the user keeps secret (`pulumi config set --secret`). */
  private secretSettings = new SecretTexts();
  readonly log: EngineLog;
  private given: Values | undefined;
  private provider: Provider | undefined;
  private making: NodeJS.Timeout | undefined;
  private announced = false;
  private cancelled = false;
  private readonly calls = new Set<Promise<unknown>>();
  /** Shared by all provider processes of this run. */
  private readonly notes: RunNotes | undefined;

  constructor(
    engineAddress: string | undefined,
    private readonly environment: Environment,
  ) {
    this.log = new EngineLog(engineAddress, (text) => this.scrub(text));
    if (engineAddress !== undefined) {
      this.notes = new RunNotes(engineAddress, environment, (message) => this.log.reporter("").warning(message));
    }
  }

  scrub(text: string): string {
    return this.texts.scrub(text);
  }

  /**
   * Checks the configuration at once; the provider is made a moment later, when the engine has its answer.
   *
   * @param secrets which of the values the engine sent as secrets
   * @throws ConfigurationError with every problem, those of environment variables included.
   */
  configure(given: Values, secrets: Secrets): void {
    this.secretSettings = new SecretTexts();
    for (const [key, value] of Object.entries(given)) if (secrets.touches(key)) this.secretSettings.add(value);
    const { keysToHide } = lazy.configDefinition();
    for (const key of keysToHide(given)) this.texts.add(given[key]);
    lazy.configResolve().checkedConfiguration(given, this.environment);
    this.given = given;
    this.cancelled = false;
    this.provider = undefined;
    clearTimeout(this.making);
    this.making = setTimeout(() => this.configured(), AFTER_THE_ANSWER_MS).unref();
  }

  configured(): Provider {
    if (!this.given) throw new ConfigurationError("The perimeter provider was called before it was configured");
    const { Provider } = lazy.provider();
    this.provider ??= new Provider(this.given, this.environment, {
      scrub: (text) => this.scrub(text),
      ...(this.notes ? { notes: this.notes } : {}),
    });
    return this.provider;
  }

  /** Marks what a secret setting, such as the default project, shows in: it is as secret as the setting. */
  markSettingsIn(values: Values, secrets: Secrets): void {
    this.secretSettings.markIn(values, secrets);
  }

  /**
   * @param timeout seconds, as the engine gives a custom timeout; 0 for none.
   * @throws CancelledError when the run was cancelled.
   */
  callOptions(urn: string, timeout: number, standard: number): CallOptions {
    this.requireRunning();
    return { timeout: timeout > 0 ? timeout * 1000 : standard, identity: urn, reporter: this.log.reporter(urn) };
  }

  /**
   * Stops the calls in flight, and those that an engine still sends of what it had begun when it was interrupted. The
   * next run, of an engine that attached to a running plugin, begins with its configuration. Engines ask for this at
   * each normal end of a run, when no call is in flight, and after ctrl-C.
   */
  cancel(): void {
    this.cancelled = true;
    if (this.calls.size === 0) this.provider?.finish();
    this.provider?.cancel();
  }

  /** @throws CancelledError when the run was cancelled. */
  requireRunning(): void {
    if (this.cancelled) throw new CancelledError("The run was cancelled before this was begun");
  }

  /** Notes a call until it has been answered. */
  serve(call: Promise<void>): Promise<void> {
    this.calls.add(call);
    return call.finally(() => this.calls.delete(call));
  }

  /** Resolves when the calls that are in flight now have been answered. */
  async answered(): Promise<void> {
    await Promise.allSettled(this.calls);
  }

  /** Ends the run. What must not be left behind goes at once: an engine may not wait for more. */
  end(): void {
    clearTimeout(this.making);
    this.notes?.end();
    this.provider?.cancel();
  }

  /** Engines compare a provider's configurations once for each of its resources; the user need be told but once. */
  announceProject(urn: string): void {
    if (this.announced) return;
    this.announced = true;
    this.log
      .reporter(urn)
      .info("The default project changes: resources that give no project of their own will be replaced");
  }
}
