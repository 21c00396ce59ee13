/**
 * The settings of a grant, and the message with which a preview states them. The public types of a review refer to this file, so it
 * does without zod, whose types need `esModuleInterop` in users' programs.
 */

/** The settings that decide how a grant changes an access policy, and in which cloud. */
export interface GrantSettings {
  grantMode: Setting<"replace" | "merge">;
  /** Base URL of the API. */
  endpoint: Setting;
}

export interface Setting<T extends string = string> {
  value: T;
  /** The environment variable that it comes from; absent for a setting of the program, of the stack, or by default. */
  variable?: string;
}

/** The settings that a preview has printed. */
export type StatedSettings = Partial<Record<keyof GrantSettings, Setting>>;

const STATED = "Settings from the environment, not from the stack";

/**
 * The message with which a preview states the settings that a plan of it does not show, so that a review of the plan can
 * compare them with its own; undefined where a plan shows all.
 *
 * @param api that the grant is on: `healthcare`.
 */
export function unplannedSettings(
  api: string,
  { grantMode, endpoint }: GrantSettings,
  planned: GrantSettings | undefined,
): string | undefined {
  const differs = (one: Setting, other: Setting | undefined) =>
    one.variable !== undefined || one.value !== other?.value;
  const stated = [
    ...(differs(grantMode, planned?.grantMode) ? [`grant mode ${textOfSetting(grantMode)}`] : []),
    ...(differs(endpoint, planned?.endpoint) ? [`${api} API at ${textOfSetting(endpoint)}`] : []),
  ];
  return stated.length === 0 ? undefined : `${STATED}: ${stated.join(", ")}`;
}

/** `merge from PERIMETER_GRANT_MODE` */
export function textOfSetting({ value, variable }: Setting): string {
  return variable === undefined ? value : `${value} from ${variable}`;
}

/** The settings in a message of `unplannedSettings`; undefined for any other message. */
export function statedSettings(message: string): StatedSettings | undefined {
  if (!message.startsWith(`${STATED}: `)) return undefined;
  const settingIn = (pattern: RegExp): Setting | undefined => {
    const [, value, variable] = pattern.exec(message) ?? [];
    return value === undefined ? undefined : { value, ...(variable !== undefined && { variable }) };
  };
  const grantMode = settingIn(/: grant mode (\w+)(?: from (\w+))?/);
  const endpoint = settingIn(/\w API at (\S+\/)(?: from (\w+))?/);
  return { ...(grantMode && { grantMode }), ...(endpoint && { endpoint }) };
}
