import { keysToHide } from "../core/config/definition";
import { SecretTexts, type Secrets } from "../core/secrets";
import type { Values } from "../core/unknown";

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
