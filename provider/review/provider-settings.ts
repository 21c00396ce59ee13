import { configurationKeys, isEndpointKey } from "../core/config/definition";
import { PACKAGE_NAME } from "../core/definition";
import { containsUnknown, type Values } from "../core/unknown";
import { NATIVE } from "./grant-steps";
import type { Plan, PlanStep } from "./plan";
import { containsSecret, withSecretsFrom } from "./plan-values";
import type { PlannedState } from "./planned-state";

/** The configuration of one provider of the stack. */
export interface SettingsOfProvider {
  /** One for each provider of the stack: its URN, or `default` where the step names none. */
  key: string;
  /** As `Provider` takes them. */
  values: Values;
  /** Settings that the stack has and that are not here: secret ones, and those not known yet. */
  hidden: string[];
}

/** The configurations of the stack's providers. */
export interface ProviderSettings {
  /** The configuration of the provider that the step belongs to. */
  of(step: Pick<PlanStep, "provider" | "urn" | "type"> & { op?: string }): SettingsOfProvider;
}

const PROVIDERS = "pulumi:providers:";
const OWN_KEYS = new Set(configurationKeys());

/**
 * The configurations of the stack's providers.
 *
 * An explicit provider has its own, in the plan or the state. A default provider has the stack's (`perimeter:project`);
 * where no resource of the program uses it any more, and in a destroy, the engine uses it as the state has it. The npm front
 * always has the stack's. google-native has none of the settings that say where an API is, and so takes them from the
 * stack's `perimeter:` settings.
 *
 * @param state resources of the stack's export; undefined where there is none.
 * @param given the stack's configuration with secrets in plain text, by full key (`perimeter:accessToken`), instead of the
 *   plan's. It also gives a provider of the state or the plan those secrets that they hide, by the same name.
 */
export function providerSettings(
  plan: Plan,
  state: readonly PlannedState[] | undefined,
  given: Values | undefined,
): ProviderSettings {
  const configuration = { ...plan.config, ...given };
  const providers = providersIn(plan, state ?? []);
  const registered = providersThatProgramUses(plan, state ?? []);
  const settings = new Map<string, SettingsOfProvider>();

  function find({ provider, type }: Pick<PlanStep, "provider" | "type">): SettingsOfProvider {
    const urn = urnOf(provider);
    const packageName = type.split(":")[0] ?? "";
    const isNative = packageName === NATIVE;
    const ofStack = stackSettings(configuration, isNative ? NATIVE : PACKAGE_NAME);
    const known = urn === undefined ? undefined : providers.get(urn);
    const isOwn = packageName === PACKAGE_NAME || isNative;
    const usesKnown = isOwn && known !== undefined && (!isDefault(urn) || !registered.has(urn));
    const found = usesKnown ? withSecretsFrom(known, ofStack) : ofStack;
    const base = isNative ? placesIn(stackSettings(configuration, PACKAGE_NAME)) : {};
    return shown(urn ?? "default", { ...base, ...found });
  }

  return {
    of: (step) => {
      const key = `${urnOf(step.provider) ?? ""} ${step.type.split(":")[0]}`;
      const found = settings.get(key) ?? find(step);
      settings.set(key, found);
      return found;
    },
  };
}

/**
 * URNs of the providers of which the plan's program declares a resource: a default provider gets the stack's settings anew
 * when it does. A destroy runs no program.
 */
function providersThatProgramUses(
  { operation, steps, hasUnchanged }: Plan,
  state: readonly PlannedState[],
): Set<string | undefined> {
  if (operation === "destroy") return new Set();
  const gone = new Set(steps.filter(({ op }) => op === "delete").map(({ urn }) => urn));
  const declared = steps.filter(({ op }) => !["delete", "discard", "refresh"].includes(op));
  const notShown = hasUnchanged ? [] : state.filter(({ urn }) => !gone.has(urn));
  return new Set([...declared, ...notShown].map(({ provider }) => urnOf(provider)));
}

/** The inputs of the stack's own and google-native's providers by URN: as the plan leaves them, or as the state has them. */
function providersIn({ steps }: Plan, state: readonly PlannedState[]): Map<string, Values> {
  const isProvider = ({ type }: { type: string }) =>
    type === `${PROVIDERS}${PACKAGE_NAME}` || type === `${PROVIDERS}${NATIVE}`;
  const known = new Map<string, Values>();
  for (const { urn, inputs, type } of state) if (isProvider({ type })) known.set(urn, inputs);
  for (const step of steps.filter(isProvider)) {
    const inputs = (step.new ?? step.old)?.inputs;
    if (inputs) known.set(step.urn, withSecretsFrom(inputs, known.get(step.urn) ?? {}));
  }
  return known;
}

/** `URN::ID` without the id. */
function urnOf(provider: string | undefined): string | undefined {
  return provider === undefined ? undefined : provider.slice(0, provider.lastIndexOf("::"));
}

/** The engine names the providers that it makes itself `default`, or `default_` with the version: `IsDefaultProvider`. */
function isDefault(urn: string | undefined): boolean {
  return urn === undefined || (urn.split("::").at(-1) ?? "").startsWith("default");
}

/** The settings of one package, by key, among those of a stack by full key. */
export function stackSettings(configuration: Values, packageName: string): Values {
  const prefix = `${packageName}:`;
  const own = Object.entries(configuration).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
}

function placesIn(settings: Values): Values {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => isEndpointKey(key)));
}

function shown(key: string, all: Values): SettingsOfProvider {
  const own = Object.entries(all).filter(([name]) => OWN_KEYS.has(name));
  const isHidden = ([, value]: [string, unknown]) => containsSecret(value) || containsUnknown(value);
  return {
    key,
    values: Object.fromEntries(own.filter((each) => !isHidden(each))),
    hidden: own.filter(isHidden).map(([name]) => name),
  };
}
