import { isDeepStrictEqual } from "node:util";
import {
  CheckResponse,
  ConfigureResponse,
  DiffResponse,
  PropertyDiff,
  type CheckRequest,
  type ConfigureRequest,
  type DiffRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { configuration, environmentOf, isEndpointKey, keysToHide } from "../core/config/definition";
import { configurationProblems, typedConfiguration } from "../core/config/resolve";
import { PULUMI_KEYS } from "../core/definition";
import type { Environment } from "../core/environment";
import { propertiesOf } from "../core/field";
import { recordIn } from "../core/json";
import { Secrets } from "../core/secrets";
import { filterProperties, textOf, type Values } from "../core/unknown";
import { isAtLeast, VERSION } from "../version";
import type { Reporter } from "../http/call";
import { traceSinkOf } from "../http/trace";
import { failures } from "./errors";
import { readProperties, toStruct } from "./properties";
import type { Session } from "./session";

/** The engine's calls on the provider itself: its settings, from the program or the stack. */

/** Keys that engines put among a provider's settings. */
const ENGINE_KEYS: readonly string[] = [...PULUMI_KEYS, "__internal"];

const PROJECT_CHANGES = "The default project changes: resources without a project of their own will be replaced";

const TRACE_HINT =
  "PERIMETER_LOG is set: Pulumi shows this log among the diagnostics with --debug, or on standard error with -v=3 --logtostderr";

/** Returns all problems of the settings, and marks secret settings. */
export function checkConfig(request: CheckRequest, session: Session): CheckResponse {
  const { texts, scrub } = session.knownSecrets;
  const { values, secrets, problems } = readProperties(request.getNews(), texts);
  for (const key of keysToHide(values)) {
    if (values[key] === undefined) continue;
    secrets.mark([key]);
    texts.add(values[key]);
  }
  const found = [...problems, ...configurationProblems(typedConfiguration(ownKeys(values)))];
  // Settings from the environment are not filled in: each run reads them again, and the state does not store them.
  return new CheckResponse()
    .setInputs(toStruct(values, secrets))
    .setFailuresList(failures(found, { secrets, scrub, prefix: "perimeter:" }));
}

/**
 * Returns every setting that differs, but never a replacement of the provider: that would replace all of its resources, even
 * those that do not use the setting. A new default project replaces exactly the resources that used the old one: their check
 * fills it in, and their diff replaces them. The engine also compares the settings of a provider that this one replaces (an
 * alias of google-native); its resources stay, too.
 */
export function diffConfig(request: DiffRequest, session: Session): DiffResponse {
  const settingsIn = (struct: Struct | undefined) =>
    typedConfiguration(readProperties(struct, session.knownSecrets.texts).values);
  const olds = settingsIn(request.getOldInputs() ?? request.getOlds());
  const news = settingsIn(request.getNews());
  const response = new DiffResponse().setHasdetaileddiff(true);
  for (const key of new Set([...Object.keys(olds), ...Object.keys(news)])) {
    if (isDeepStrictEqual(olds[key], news[key])) continue;
    const kind = PropertyDiff.Kind[kindOf(olds[key], news[key])];
    response.getDetaileddiffMap().set(key, new PropertyDiff().setInputdiff(true).setKind(kind));
    response.addDiffs(key);
  }
  const changed = response.getDiffsList();
  // After the answer "none", the engine would configure the provider with the old settings.
  response.setChanges(DiffResponse.DiffChanges[changed.length > 0 ? "DIFF_SOME" : "DIFF_NONE"]);
  // Engines send this once for each resource of the provider.
  const projectChanges = olds.project !== undefined && changed.includes("project");
  if (projectChanges) session.log.infoOnce(request.getUrn(), PROJECT_CHANGES);
  return response;
}

function kindOf(old: unknown, wanted: unknown): "ADD" | "DELETE" | "UPDATE" {
  if (old === undefined) return "ADD";
  return wanted === undefined ? "DELETE" : "UPDATE";
}

/**
 * Begins a run with these settings.
 *
 * @throws ConfigurationError with every problem, those of environment variables included.
 */
export function configure(request: ConfigureRequest, session: Session): ConfigureResponse {
  const args = request.getArgs();
  const urn = request.getUrn() ?? "";
  const { values, secrets } = args
    ? readProperties(args, session.knownSecrets.texts)
    : { values: variablesOf(request), secrets: new Secrets() };
  reportOtherVersion(textOf(values.version), session.log.reporter(urn));
  const settings = ownKeys(values);
  session.knownSecrets.noteSettings(settings, secrets);
  session.configure(settings, plannedSettings(urn, settings, session.environment), urn);
  const warning = untakenSettingsWarning(urn, settings, session.environment);
  if (warning !== undefined) session.log.reporter(urn).warning(warning);
  // Engines show what a plugin writes to standard error only with these flags.
  if (traceSinkOf(session.environment)) session.log.infoOnce(urn, TRACE_HINT);
  // Handshake returns the same, but old engines do not call it.
  return new ConfigureResponse()
    .setAcceptsecrets(true)
    .setAcceptresources(true)
    .setAcceptoutputs(true)
    .setSupportspreview(true);
}

/**
 * Reports that the program's SDK has another version than this plugin. Engines add the version of the SDK to the settings,
 * but start any plugin on PATH.
 *
 * @param wanted empty if the program has no SDK, as in YAML.
 */
function reportOtherVersion(wanted: string, { info, warning }: Reporter): void {
  const version = wanted.replace(/^v/, "");
  if (version === "" || version === VERSION) return;
  const message = `The program's SDK requires version ${version} of this plugin, but the engine started version ${VERSION}`;
  if (isAtLeast(VERSION, version)) {
    info(`${message}. Install an SDK of version ${VERSION} to use all features of this plugin`);
    return;
  }
  warning(
    `${message}: features of the SDK that this plugin lacks will fail. Install version ${version} of the plugin, or ` +
      `version ${VERSION} of the SDK; a plugin on PATH has priority over an installed plugin`,
  );
}

/** The settings from old engines, which do not send `args`: `perimeter:config:project`. */
function variablesOf(request: ConfigureRequest): Values {
  const entries = request.getVariablesMap().getEntryList();
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(key.lastIndexOf(":") + 1), value]));
}

function ownKeys(values: Values): Values {
  return filterProperties(values, (key) => !ENGINE_KEYS.includes(key));
}

/**
 * The settings of a provider that a plan shows. Plans omit providers whose name begins with `default` (`IsDefaultProvider` in
 * pulumi/sdk). For these providers, a plan shows only the stack's configuration.
 *
 * @param given the provider's settings as the engine sent them.
 * @param environment as in `untakenSettingsWarning`.
 */
export function plannedSettings(urn: string, given: Values, environment: Environment): Values {
  const isLeftOut = urn.split("::").at(-1)?.startsWith("default");
  return (isLeftOut ? recordIn(environment.PULUMI_CONFIG) : undefined) ?? given;
}

/** Pulumi keeps an empty map when the last key of `endpoints` is removed. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== "{}" && !isDeepStrictEqual(value, {});
}

/** The name of a default provider, with its version and URL if any. A program may give its provider another name with `default`. */
const DEFAULT_PROVIDER = /::default(_\d+_\d+_\d+.*)?$/;

/**
 * The warning for a provider that lacks the stack's settings for access or addresses; undefined if it lacks none.
 *
 * Engines pass the stack's configuration to the default provider only: an explicit provider has its own arguments and the
 * environment. Other keys, such as `project`, are usually the reason for an explicit provider, so they give no warning.
 * In a refresh and a destroy, the default provider has the settings of the last update, from the state.
 *
 * @param urn of the provider.
 * @param given the provider's settings as the engine sent them.
 * @param environment of the plugin. Engines put the stack's configuration of this package into its `PULUMI_CONFIG`, as JSON
 * and without the namespace (`plugin.NewProvider` in pulumi/pkg). Without that variable, the result is undefined.
 */
export function untakenSettingsWarning(urn: string, given: Values, environment: Environment): string | undefined {
  const ofStack = recordIn(environment.PULUMI_CONFIG) ?? {};
  const untaken = propertiesOf(configuration)
    .filter(([key]) => isSet(ofStack[key]) && given[key] === undefined)
    .filter(([key]) => isEndpointKey(key) || (key === "grantMode" && ofStack.grantMode === "merge"))
    .filter(([, schema]) => !environmentOf(schema).some((name) => environment[name]))
    .map(([key]) => key);
  if (untaken.length === 0) return undefined;
  const keys = untaken.map((key) => `perimeter:${key}`).join(", ");
  if (DEFAULT_PROVIDER.test(urn)) {
    return (
      `${keys} in the stack's configuration ${untaken.length === 1 ? "takes" : "take"} effect with the next \`pulumi up\`: ` +
      "commands that do not run the program, such as refresh and destroy, use the settings of the last one. Run `pulumi up` first"
    );
  }
  const instead = untaken.includes("grantMode") ? " Its grants replace the policies of their resources." : "";
  return (
    `This explicit provider ignores ${keys} in the stack's configuration: it uses only its own arguments and the ` +
    `environment.${instead} Give it the ${untaken.length === 1 ? "argument" : "arguments"} ${untaken.join(", ")}`
  );
}
