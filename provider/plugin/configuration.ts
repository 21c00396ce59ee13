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
import { keysToHide } from "../core/config/definition";
import { configurationProblems, typedConfiguration } from "../core/config/resolve";
import type { Values } from "../core/unknown";
import { failures } from "./failures";
import { readProperties, toStruct } from "./properties";
import { Secrets } from "../core/secrets";
import type { Session } from "./session";

/** Keys that engines put beside a provider's own. */
const ENGINE_KEYS: readonly string[] = ["version", "pluginDownloadURL", "__internal"];

const PROJECT_CHANGES = "The default project changes: resources that give no project of their own will be replaced";

/** Everything wrong with the provider's configuration; secret keys come back marked as such. */
export function checkConfig(request: CheckRequest, session: Session): CheckResponse {
  const { values, secrets, problems } = readProperties(request.getNews(), session.secrets.texts);
  for (const key of keysToHide(values)) {
    if (values[key] === undefined) continue;
    secrets.mark([key]);
    session.secrets.texts.add(values[key]);
  }
  const found = [...problems, ...configurationProblems(typedConfiguration(ownKeys(values)))];
  const response = new CheckResponse();
  // What the environment says is looked up at each run, and never among what the state keeps.
  response.setInputs(toStruct(values, secrets));
  response.setFailuresList(failures(found, secrets, session, "perimeter:"));
  return response;
}

/**
 * Every key that differs, and none that replaces the provider: the engine would replace all of its resources with it,
 * whether they use that key or not. A new default project reaches exactly the resources that took the old one: their
 * check fills it in, and their own diff says that they are replaced. Nor could another provider whose place this one
 * takes (an alias of google-native) hand its resources over, since the engine compares the two configurations here.
 */
export function diffConfig(request: DiffRequest, session: Session): DiffResponse {
  const olds = typedConfiguration(
    readProperties(request.getOldInputs() ?? request.getOlds(), session.secrets.texts).values,
  );
  const news = typedConfiguration(readProperties(request.getNews(), session.secrets.texts).values);
  const response = new DiffResponse();
  response.setHasdetaileddiff(true);
  for (const key of new Set([...Object.keys(olds), ...Object.keys(news)])) {
    if (isDeepStrictEqual(olds[key], news[key])) continue;
    const diff = new PropertyDiff();
    diff.setInputdiff(true);
    diff.setKind(PropertyDiff.Kind[kindOf(olds[key], news[key])]);
    response.getDetaileddiffMap().set(key, diff);
    response.addDiffs(key);
  }
  const changed = response.getDiffsList();
  // "None" would make the engine configure us with the old values.
  response.setChanges(DiffResponse.DiffChanges[changed.length > 0 ? "DIFF_SOME" : "DIFF_NONE"]);
  if (olds.project !== undefined && changed.includes("project"))
    session.log.infoOnce(request.getUrn(), PROJECT_CHANGES);
  return response;
}

function kindOf(old: unknown, wanted: unknown): "ADD" | "DELETE" | "UPDATE" {
  if (old === undefined) return "ADD";
  return wanted === undefined ? "DELETE" : "UPDATE";
}

export function configure(request: ConfigureRequest, session: Session): ConfigureResponse {
  const args = request.getArgs();
  const { values, secrets } = args
    ? readProperties(args, session.secrets.texts)
    : { values: variablesOf(request), secrets: new Secrets() };
  const settings = ownKeys(values);
  session.secrets.noteSettings(settings, secrets);
  session.configure(settings);
  const response = new ConfigureResponse();
  // For engines from before Handshake, which says the same.
  response.setAcceptsecrets(true);
  response.setAcceptresources(true);
  response.setAcceptoutputs(true);
  response.setSupportspreview(true);
  return response;
}

/** What old engines send in place of `args`: `perimeter:config:project`. */
function variablesOf(request: ConfigureRequest): Values {
  const entries = request.getVariablesMap().getEntryList();
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(key.lastIndexOf(":") + 1), value]));
}

function ownKeys(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !ENGINE_KEYS.includes(key)));
}
