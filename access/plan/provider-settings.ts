import { isDeepStrictEqual } from "node:util";
import { configurationKeys, isDecisiveKey, isEndpointKey } from "../../provider/core/config/definition";
import { PACKAGE_NAME, settingsIn } from "../../provider/core/definition";
import { filterProperties, textOf, type Values } from "../../provider/core/unknown";
import { getOrCompute } from "../../provider/core/once";
import { gcpSettings } from "./gcp-settings";
import { FOLLOWED, GCP, isOfOtherProvider, packageOf } from "../result/packages";
import { runsProgram, type Plan, type PlanStep } from "./plan";
import { shortNameOf } from "../result/urn";
import { hiddenReasonOf } from "./hidden-values";
import { withSecretsFrom } from "./plan-values";
import { PROVIDER_TYPE, type PlannedState } from "./planned-state";

/** The configuration of one provider of the stack. */
export interface SettingsOfProvider {
  /** The key of the provider process: its URN, or `default` when the step names none. */
  key: string;
  /** In the form of `Provider`. Empty when the settings are unknown. */
  values: Values;
  /** Names of settings that are missing in `values` because they are secret or not known yet. */
  hidden: string[];
  /** Of `@pulumi/gcp`: the settings that name a resource in part, where its inputs do not. */
  places?: Values;
  /** Of another provider: names of settings that a review cannot use. */
  unusable?: string[];
  /** Why the update may work with other settings than `values`, as a clause. */
  doubt?: string;
  /** False when neither the plan nor the state has the provider's settings. */
  isKnown: boolean;
}

/** The configurations of the stack's providers. */
export interface ProviderSettings {
  /** The configuration of the step's provider. */
  of(step: Pick<PlanStep, "provider" | "type">): SettingsOfProvider;
}

interface SettingsSources {
  /** The resources of the stack's export; undefined when it was not read. */
  state: readonly PlannedState[] | undefined;
  /**
   * The stack's configuration with secrets in plain text, by full key (`perimeter:accessToken`), instead of the plan's. It
   * also fills in the hidden secrets of the providers in the state or the plan, by name.
   */
  given?: Values | undefined;
}

/** A provider that is in the plan or the state. */
interface KnownProvider {
  inputs: Values;
  /** Whether it is a default provider of the engine, which no program declares. */
  isDefault: boolean;
  /** Whether the plan has it, so that these are its settings in the update. */
  isPlanned: boolean;
}

const OWN_KEYS = new Set(configurationKeys());
/** The names of default providers: `ProviderRequest.DefaultName`, with a version and a URL, if any. */
const DEFAULT_NAME = /^default(_\d+_\d+_\d+(_[\w.-]+)*)?(_\w+_\/.*)?$/;

const NOT_SHOWN =
  "neither the plan nor the state has this provider. Print the plan with --show-sames, or review it with the stack's state";
const LEFT_OUT =
  "Pulumi shows no provider whose name begins with `default` in a plan, so the plan does not say whether its settings " +
  "change. Give this provider another name";
const UNUSED =
  "no resource of the plan uses this default provider after the update, so it keeps the settings of the state; but it has those of " +
  "the stack, which differ, if the program calls a function with it. Use --stack, which shows what the program uses";
const STATE_NOT_READ =
  "no resource of the plan uses this provider after the update, so it keeps the settings of the state, and the state was not " +
  "read";

/** Whether a destroy would delete a resource of the plan with other settings than an update does. */
export function differInDestroy(plan: Plan, sources: SettingsSources): boolean {
  const [update, destroy] = (["update", "destroy"] as const).map((operation) =>
    providerSettings({ ...plan, operation }, sources),
  );
  // The doubts are not compared. A review notes a doubt at each resource that uses the settings.
  const settingsOf = (from: ProviderSettings | undefined, step: PlanStep) => ({ ...from?.of(step), doubt: undefined });
  return plan.steps
    .filter(({ op, type }) => op === "delete" && (packageOf(type) === PACKAGE_NAME || isOfOtherProvider(type)))
    .some((step) => !isDeepStrictEqual(settingsOf(update, step), settingsOf(destroy, step)));
}

/**
 * The configurations of the stack's providers.
 *
 * - An explicit provider has its own settings, which are in the plan or the state.
 * - A default provider has the stack's (`perimeter:project`). In a destroy, and when no resource of the program uses it any
 *   more, it has those of the state.
 * - The npm front has the stack's.
 * - For other providers, the review takes the endpoints of APIs from the stack's `perimeter:` settings, except where `@pulumi/gcp`
 *   has its own.
 */
export function providerSettings(plan: Plan, { state, given }: SettingsSources): ProviderSettings {
  const configuration = { ...plan.config, ...given };
  const providers = new KnownProviders(plan, state ?? []);
  const used = providersThatProgramUses(plan, state ?? []);
  const settings = new Map<string, SettingsOfProvider>();

  function find({ provider, type }: Pick<PlanStep, "provider" | "type">): SettingsOfProvider {
    const packageName = packageOf(type);
    const other = FOLLOWED.find((each) => each === packageName);
    const endpoints =
      other === undefined ? {} : filterProperties(settingsIn(configuration, PACKAGE_NAME), isEndpointKey);
    const read = (settings: Values) => ({ ...endpoints, ...settings });
    const ofStack = read(settingsIn(configuration, other ?? PACKAGE_NAME));
    const shown = other === GCP ? shownOfGcp : shownAs;
    if (provider === undefined) return shown("default", ofStack);
    const urn = urnOf(provider);
    // The providers of the npm front's resources are Pulumi's own.
    if (packageName !== PACKAGE_NAME && other === undefined) return shown(urn, ofStack);
    const known = providers.get(provider);
    if (known ? known.isDefault : hasDefaultName(urn)) {
      const isOfStack = plan.operation === "destroy" && runsProgram(plan);
      if (used.has(urn) || known?.isPlanned || isOfStack) return shown(urn, ofStack);
      if (!known) return { ...shown(urn, ofStack), ...(state ? {} : { doubt: STATE_NOT_READ }) };
    }
    // Plans leave out every provider whose name begins with `default` (`IsDefaultProvider` in pulumi/sdk).
    const isLeftOut = shortNameOf(urn).startsWith("default");
    const isHidden = isLeftOut && !plan.hasAllProviders && runsProgram(plan) && known?.isDefault !== true;
    if (!known) return { ...shown(urn, {}), isKnown: false, doubt: isHidden ? LEFT_OUT : NOT_SHOWN };
    const own = read(withSecretsFrom(known.inputs, withoutDecisive(ofStack)));
    const found = shown(providers.keyOf(provider), own);
    if (isHidden && !known.isPlanned) return { ...found, doubt: LEFT_OUT };
    const mayHaveStack = known.isDefault && plan.operation === "update" && !plan.hasAllProviders;
    const differing = mayHaveStack ? decisiveDifferences(found.values, shown(urn, ofStack).values) : [];
    return differing.length > 0 ? { ...found, doubt: `${UNUSED} (${differing.join(", ")})` } : found;
  }

  return {
    of: (step) => getOrCompute(settings, `${step.provider ?? ""} ${packageOf(step.type)}`, () => find(step)),
  };
}

/**
 * URNs of the providers that resources of the plan's program use. When the program uses a default provider, the engine gives
 * it the stack's settings again. A destroy runs no program.
 */
function providersThatProgramUses(
  { operation, steps, hasUnchanged }: Plan,
  state: readonly PlannedState[],
): Set<string | undefined> {
  if (operation === "destroy") return new Set();
  const gone = new Set(steps.filter(({ op }) => op === "delete").map(({ urn }) => urn));
  const declared = steps.filter(({ op }) => !["delete", "discard", "refresh"].includes(op));
  const notShown = hasUnchanged ? [] : state.filter(({ urn }) => !gone.has(urn));
  return new Set([...declared, ...notShown].map(({ provider }) => provider && urnOf(provider)));
}

/** The providers of this package and of other providers with their settings after the plan, or else with those of the state. */
class KnownProviders {
  /** By `URN::ID`. A replaced provider has two ids, and each resource is deleted by the provider that made it. */
  private readonly byReference = new Map<string, KnownProvider>();
  private readonly newest = new Map<string, KnownProvider>();

  constructor({ steps }: Plan, state: readonly PlannedState[]) {
    const ids = new Map(state.filter((each) => !each.delete).map(({ urn, id }) => [urn, id]));
    for (const each of state.filter(isProvider)) {
      const { urn, id, inputs, delete: isLeftOver } = each;
      const known = { inputs, isDefault: isDefaultProvider(each), isPlanned: false };
      this.note(`${urn}::${id ?? ""}`, known, isLeftOver ? undefined : urn);
    }
    const shown = steps.filter(isProvider);
    for (const { old } of shown) if (old) this.plan(old, `${old.urn}::${old.id ?? ""}`, true);
    for (const { op, urn, old, new: planned } of shown) {
      // An update changes the settings of the provider that the old resources refer to, too.
      const id = op === "same" || op === "update" ? (old?.id ?? ids.get(urn)) : planned?.id;
      if (planned) this.plan(planned, `${urn}::${id ?? ""}`, op === "same");
    }
  }

  get(reference: string): KnownProvider | undefined {
    return this.byReference.get(reference) ?? this.newest.get(urnOf(reference));
  }

  /** The name of the provider's process: its URN, with the id if another provider replaces it. */
  keyOf(reference: string): string {
    const urn = urnOf(reference);
    return this.get(reference) === this.newest.get(urn) ? urn : reference;
  }

  /** @param stays whether the provider keeps the settings of the state. Only then does it keep all secrets of the state. */
  private plan(planned: PlannedState, reference: string, stays: boolean): void {
    const before = this.get(reference)?.inputs ?? {};
    const inputs = withSecretsFrom(planned.inputs, stays ? before : withoutDecisive(before));
    this.note(reference, { inputs, isDefault: isDefaultProvider(planned), isPlanned: true }, planned.urn);
  }

  private note(reference: string, known: KnownProvider, newestOf: string | undefined): void {
    this.byReference.set(reference, known);
    if (newestOf !== undefined) this.newest.set(newestOf, known);
  }
}

function isProvider({ type }: { type: string }): boolean {
  return [PACKAGE_NAME, ...FOLLOWED].some((each) => type === PROVIDER_TYPE + each);
}

/** Whether the engine made the provider itself. A program can give the name of such a provider to its own. */
export function isDefaultProvider({ urn, parent }: PlannedState): boolean {
  return parent === undefined && hasDefaultName(urn);
}

/** The URN of a resource inside a component has the component's type. The engine's own providers are outside of components. */
function hasDefaultName(urn: string): boolean {
  return DEFAULT_NAME.test(shortNameOf(urn)) && !urn.split("::")[2]?.includes("$");
}

/** The URN of a provider reference, `URN::ID`. */
export function urnOf(provider: string): string {
  return provider.slice(0, provider.lastIndexOf("::"));
}

function withoutDecisive(settings: Values): Values {
  return filterProperties(settings, (key) => !isDecisiveKey(key));
}

/** The names of the settings that decide about a grant, and that differ. */
function decisiveDifferences(left: Values, right: Values): string[] {
  const textIn = (values: Values, name: string) => textOf(values[name]) || JSON.stringify(values[name]);
  const names = new Set([...Object.keys(left), ...Object.keys(right)].filter(isDecisiveKey));
  return [...names].filter((name) => textIn(left, name) !== textIn(right, name));
}

function shownOfGcp(key: string, all: Values): SettingsOfProvider {
  const { values, places, unusable } = gcpSettings(all);
  return { ...shownAs(key, values), places, ...(unusable.length > 0 && { unusable }) };
}

function shownAs(key: string, all: Values): SettingsOfProvider {
  const own = filterProperties(all, (name) => OWN_KEYS.has(name));
  const hidden = Object.keys(own).filter((name) => hiddenReasonOf(own[name]) !== undefined);
  return { key, values: filterProperties(own, (name) => !hidden.includes(name)), hidden, isKnown: true };
}
