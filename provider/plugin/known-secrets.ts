import { keysToHide } from "../core/config/definition";
import { SecretTexts, type Secrets } from "../core/secrets";
import type { Values } from "../core/unknown";

/** The secrets that the engine has sent to this process. */
export class KnownSecrets {
  /** The texts of them all. No message may show one. */
  readonly texts = new SecretTexts();
  /** Of the provider's settings, those that the user keeps secret (`pulumi config set --secret`). */
  private settings = new SecretTexts();

  /** A message without any of the secrets. */
  readonly scrub = (text: string): string => this.texts.scrub(text);

  /**
   * Notes the secrets among the settings of a run, in place of those of the run before.
   *
   * @param marked which of the settings the engine sent as secrets. Credentials are hidden without such a mark.
   */
  noteSettings(settings: Values, marked: Secrets): void {
    this.settings = new SecretTexts();
    for (const [key, value] of Object.entries(settings)) if (marked.touches(key)) this.settings.add(value);
    for (const key of keysToHide(settings)) this.texts.add(settings[key]);
  }

  /** Marks the values that show a secret setting, such as the default project: they are as secret as the setting. */
  markSettingsIn(values: Values, marks: Secrets): void {
    this.settings.markIn(values, marks);
  }
}
