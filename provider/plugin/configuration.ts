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
import { keysToHide } from "../core/config/definition";
import { configurationProblems, typedConfiguration } from "../core/config/resolve";
import { Secrets } from "../core/secrets";
import type { Values } from "../core/unknown";
import { failures } from "./failures";
import { readProperties, toStruct } from "./properties";
import type { Session } from "./session";
import { untakenSettingsWarning } from "./stack-settings";

/** The engine's calls on the provider itself: its settings, as the program or the stack gives them. */

/** Keys that engines put among a provider's settings. */
const ENGINE_KEYS: readonly string[] = ["version", "pluginDownloadURL", "__internal"];

const PROJECT_CHANGES = "The default project changes: resources that give no project of their own will be replaced";

/** Answers with everything wrong with the settings, and marks those as secret that have to be. */
export function checkConfig(request: CheckRequest, session: Session): CheckResponse {
  const { texts, scrub } = session.knownSecrets;
  const { values, secrets, problems } = readProperties(request.getNews(), texts);
  for (const key of keysToHide(values)) {
    if (values[key] === undefined) continue;
    secrets.mark([key]);
    texts.add(values[key]);
  }
  const found = [...problems, ...configurationProblems(typedConfiguration(ownKeys(values)))];
  // Settings of the environment are not filled in: each run looks them up anew, so that the state does not keep them.
  return new CheckResponse()
    .setInputs(toStruct(values, secrets))
    .setFailuresList(failures(found, { secrets, scrub, prefix: "perimeter:" }));
}

/**
 * Answers with every setting that differs, and never asks for a replacement of the provider: with it, the engine would
 * replace all of its resources, whether they use that setting or not. A new default project replaces exactly the resources
 * that took the old one: their check fills it in, and their own diff replaces them. The engine also compares the settings
 * of another provider whose place this one takes (an alias of google-native), and that one's resources stay, too.
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
  // After "none" where something differs, the engine would configure the provider with the old settings.
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
  const { values, secrets } = args
    ? readProperties(args, session.knownSecrets.texts)
    : { values: variablesOf(request), secrets: new Secrets() };
  const settings = ownKeys(values);
  session.knownSecrets.noteSettings(settings, secrets);
  session.configure(settings);
  const warning = untakenSettingsWarning(settings, session.environment);
  if (warning !== undefined) session.log.reporter(request.getUrn() ?? "").warning(warning);
  // Handshake says the same, except to old engines, which do not call it.
  return new ConfigureResponse()
    .setAcceptsecrets(true)
    .setAcceptresources(true)
    .setAcceptoutputs(true)
    .setSupportspreview(true);
}

/** The settings as old engines send them, in place of `args`: `perimeter:config:project`. */
function variablesOf(request: ConfigureRequest): Values {
  const entries = request.getVariablesMap().getEntryList();
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(key.lastIndexOf(":") + 1), value]));
}

function ownKeys(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !ENGINE_KEYS.includes(key)));
}
