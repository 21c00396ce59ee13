import { environmentOf, configuration as keys } from "../core/config/definition";
import { settingOf, type ResolvedConfiguration } from "../core/config/resolve";
import type { ServiceDefinition } from "../core/definition";
import { InputError, isForeseen, messageOf, UnauthenticatedError } from "../core/errors";
import type { Values } from "../core/unknown";
import { silentCall, whileCallLasts } from "../http/call";
import { systemClock } from "../http/clock";
import { endpointOf, type Endpoint } from "../http/endpoints";
import { fetchSend } from "../http/fetch";
import { pooledFetch } from "../http/pooled-fetch";
import type { TokenSource } from "../http/token-source";
import { resourceNamed } from "../review/access/named-resource";
import { Connections } from "../runtime/connections";
import { Provider } from "../runtime/provider";
import { lookups, resources } from "../services";
import type { FindingOf } from "./result";

/** Milliseconds for one question to an API. */
const QUESTION_MS = 15_000;

/** The APIs that the provider calls, by name. */
export const SERVICES: readonly ServiceDefinition[] = [
  ...new Set([...resources, ...lookups].map(({ definition }) => definition.service)),
].toSorted((left, right) => (left.api < right.api ? -1 : 1));

/** Whether any API gets to see credentials; true where an endpoint is wrong, for nothing says that none does. */
export function needsCredentials(configuration: ResolvedConfiguration): boolean {
  return SERVICES.some((service) => {
    try {
      return endpointOf(service, configuration).authenticated;
    } catch {
      return true;
    }
  });
}

/** Where an API is, and whether anything answers there. */
export async function checkEndpoint(
  service: ServiceDefinition,
  configuration: ResolvedConfiguration,
): Promise<FindingOf<"endpoint">> {
  const { api } = service;
  let endpoint: Endpoint;
  try {
    endpoint = endpointOf(service, configuration);
  } catch (error) {
    if (!isForeseen(error)) throw error;
    return { check: "endpoint", api, status: "error", message: `${api}: ${messageOf(error)}`, remedy: RIGHT_URL };
  }
  const { baseUrl, kind, source, authenticated, whenRefused } = endpoint;
  const base = { check: "endpoint", api, baseUrl, kind, source, authenticated } as const;
  const place = `${api}: ${baseUrl} (${source === undefined ? kind : `${kind}, ${source}`})`;
  try {
    const status = await statusAt(kind === "emulator" ? new URL("/_emulator/health", baseUrl).href : baseUrl);
    if (kind === "emulator" && status !== 200) {
      const message = `${place} answers, and is not Perimeter's emulator`;
      return { ...base, status: "note", message };
    }
    return { ...base, status: "ok", message: `${place} answers` };
  } catch (error) {
    if (!isForeseen(error)) throw error;
    const remedy = whenRefused ?? "Look at the network, and at the proxy in HTTPS_PROXY and NO_PROXY";
    return { ...base, status: "error", message: `${place}: ${reasonOf(error)}`, remedy };
  }
}

const RIGHT_URL = "docs/configuration.md tells how an endpoint is given";

/** Why no answer came, without the request, which is known. */
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/^GET \S+ (got no complete answer|was not sent): /, "");
}

/** The status of whatever answers, without credentials. */
async function statusAt(url: string): Promise<number> {
  const call = silentCall(systemClock.now() + QUESTION_MS);
  const { status } = await whileCallLasts(call, systemClock, "get an answer", (signal) =>
    fetchSend(pooledFetch())({ method: "GET", url, headers: {}, signal, attempt: 1 }),
  );
  return status;
}

/** The project of resources that name none. */
export async function checkProject(
  configuration: ResolvedConfiguration,
  tokens: TokenSource,
): Promise<FindingOf<"project">> {
  const check = "project";
  const { project } = configuration.values;
  if (project !== undefined) {
    const source = settingOf("project", configuration);
    return { check, project, source, status: "ok", message: `Project: ${project} (${source})` };
  }
  const own = await new Connections(configuration, { clock: systemClock, tokens })
    .projectOfCredentials(SERVICES)
    .catch(() => undefined);
  if (own !== undefined) {
    return {
      check,
      project: own,
      source: "credentials",
      status: "ok",
      message: `Project: ${own} (of the credentials)`,
    };
  }
  return {
    check,
    status: "warning",
    message: "Project: none by default, so each association and lookup has to name its own; a grant has it in `name`",
    remedy: `pulumi config set perimeter:project <project>, or set ${environmentOf(keys.shape.project)[0]}`,
  };
}

/**
 * Asks an API for the locations of the project: a read that changes nothing, which fails where the API is not enabled, the
 * credentials are refused or the project is another's. That it succeeds does not say that a grant can be made.
 */
export async function checkApi(
  service: ServiceDefinition,
  project: string,
  connections: Connections,
): Promise<FindingOf<"permissions">> {
  const { api } = service;
  const resource = `projects/${project}`;
  const base = { check: "permissions", api, method: "locations.list", resource } as const;
  try {
    await connections.client(service).request(
      {
        kind: "read",
        method: "GET",
        path: `${resource}/locations`,
        query: { pageSize: 1 },
        doing: "list the locations of",
        resource,
      },
      silentCall(systemClock.now() + QUESTION_MS),
    );
    return { ...base, status: "ok", message: `${api}: lists the locations of ${resource}` };
  } catch (error) {
    if (!isForeseen(error)) throw error;
    if (error instanceof UnauthenticatedError) {
      return { ...base, status: "error", message: `${api}: ${messageOf(error)}`, remedy: WHEN_REFUSED };
    }
    // A program may do without this API.
    return { ...base, status: "warning", message: `${api}: ${messageOf(error)}`, remedy: WHEN_DENIED };
  }
}

const WHEN_REFUSED = "The credentials are refused: log in again, or give others";
const WHEN_DENIED = "Enable the API for the project and give the caller access, if your programs use this API";

/** Asks the API which of the permissions that a grant needs the caller has on a resource. */
export async function checkResource(
  text: string,
  given: Values,
  environment: ResolvedConfiguration["environment"],
  tokens: TokenSource,
): Promise<FindingOf<"permissions">> {
  const { token, definition, name } = resourceNamed(text);
  const base = {
    check: "permissions",
    api: definition.service.api,
    method: "testIamPermissions",
    resource: name,
  } as const;
  try {
    const provider = new Provider(given, environment, { tokens });
    // Only the name counts here: the question is what a grant needs, whoever is granted whatever.
    const grant = { name, role: "roles/viewer", member: "domain:example.com" };
    const obstacles = await provider.preflight(token, grant, { timeout: QUESTION_MS });
    if (obstacles.length === 0) return { ...base, status: "ok", message: `${name}: grants can be made` };
    return {
      ...base,
      status: "error",
      message: obstacles.join("\n"),
      remedy: "Mend the name, or give the caller a role with these permissions, such as roles/iam.securityAdmin",
    };
  } catch (error) {
    if (!isForeseen(error) || error instanceof InputError) throw error;
    return { ...base, status: "error", message: messageOf(error), remedy: WHEN_DENIED };
  }
}
