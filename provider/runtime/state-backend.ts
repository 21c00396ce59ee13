import { homedir, hostname } from "node:os";
import * as path from "node:path";
import type { Environment } from "../core/config/environment";
import { fileText } from "../core/file-text";
import { recordIn } from "../core/json";
import { isRecord, textOf } from "../core/unknown";

/**
 * The backend that keeps the state of this run, as a text: the same in every run over one backend, and another for every
 * other backend. URNs are unique only in one backend, and engines do not tell plugins which one it is. So this looks where
 * the CLI looks, in the same order: `PULUMI_BACKEND_URL`, `backend.url` of the project, the last `pulumi login`
 * (https://www.pulumi.com/docs/iac/concepts/state-and-backends/).
 *
 * @param folder in which the engine started the plugin: the project's, or that of the project's `main`.
 * @returns undefined where none of them says.
 */
export async function stateBackend(environment: Environment, folder: string): Promise<string | undefined> {
  const url =
    environment.PULUMI_BACKEND_URL || (await backendOfProject(folder)) || backendOfLogin(environment) || undefined;
  return url === undefined ? undefined : normalBackend(url, environment, folder);
}

async function backendOfProject(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    const text = fileText(path.join(at, "Pulumi.yaml")) ?? fileText(path.join(at, "Pulumi.yml"));
    if (text !== undefined) {
      const { parse } = await import("yaml");
      return backendUrlIn(() => parse(text));
    }
    if (path.dirname(at) === at) return undefined;
  }
}

function backendUrlIn(parsed: () => unknown): string | undefined {
  try {
    const project = parsed();
    return isRecord(project) && isRecord(project.backend) ? textOf(project.backend.url) : undefined;
  } catch {
    return undefined;
  }
}

function backendOfLogin(environment: Environment): string {
  const home = environment.PULUMI_HOME || path.join(homeOf(environment), ".pulumi");
  const file = path.join(environment.PULUMI_CREDENTIALS_PATH || home, "credentials.json");
  return textOf(recordIn(fileText(file))?.current);
}

/** One spelling for each backend. A folder is one of this machine: it gets the machine's name and its whole path. */
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
