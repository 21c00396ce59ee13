import { homedir, hostname } from "node:os";
import * as path from "node:path";
import { fileText, type Environment } from "../core/environment";
import { recordIn } from "../core/json";
import { textOf } from "../core/unknown";
import { projectAbove } from "./pulumi-project";

/**
 * The backend of this run's state, as a text that is the same in every run with this backend and different for all others.
 * URNs are unique only in one backend, and engines do not tell plugins the backend. So this reads the CLI's sources, in the
 * same order: `PULUMI_BACKEND_URL`, `backend.url` of the project, the last `pulumi login`
 * (https://www.pulumi.com/docs/iac/concepts/state-and-backends/).
 *
 * @param folder in which the engine started the plugin: the project's, or that of the project's `main`.
 * @returns undefined if none of them is set.
 */
export async function stateBackend(environment: Environment, folder: string): Promise<string | undefined> {
  const url =
    environment.PULUMI_BACKEND_URL ||
    (await projectAbove(folder))?.backendUrl ||
    backendOfLogin(environment) ||
    undefined;
  return url === undefined ? undefined : normalBackend(url, environment, folder);
}

function backendOfLogin(environment: Environment): string {
  const home = environment.PULUMI_HOME || path.join(homeOf(environment), ".pulumi");
  const file = path.join(environment.PULUMI_CREDENTIALS_PATH || home, "credentials.json");
  return textOf(recordIn(fileText(file))?.current);
}

/** Normalizes the spelling. A folder gets the name of this machine and its absolute path. */
function normalBackend(url: string, environment: Environment, folder: string): string {
  if (!url.startsWith("file://")) return url.replace(/\/+$/, "");
  const [given = ""] = url.slice("file://".length).split("?");
  const local = given.startsWith("~") ? path.join(homeOf(environment), given.slice(1)) : given;
  const absolute = path.isAbsolute(local) ? path.normalize(local) : path.resolve(folder, local);
  return `file://${hostname()}${absolute.replace(/(.)\/+$/, "$1")}`;
}

function homeOf(environment: Environment): string {
  return environment.HOME || homedir();
}
