import { environmentOf, configuration as keys } from "../../provider/core/config/definition";
import { settingOf, type ResolvedConfiguration } from "../../provider/core/config/resolve";
import type { ServiceDefinition } from "../../provider/core/definition";
import { InputError, isExpected, messageOf, UnauthenticatedError } from "../../provider/core/errors";
import { recordIn } from "../../provider/core/json";
import { textOf, type Values } from "../../provider/core/unknown";
import { asCall, endOf } from "../../provider/http/call";
import type { ApiRequest } from "../../provider/http/client";
import { systemClock } from "../../provider/http/clock";
import { endpointOf, type Endpoint } from "../../provider/http/endpoints";
import type { HttpResponse } from "../../provider/http/send";
import { pooledSend } from "../../provider/http/pool";
import type { TokenSource } from "../../provider/http/credentials";
import { memberGrantOn, type NamedResource } from "../../access/meaning/grant-kinds";
import { Connections } from "../../provider/runtime/connections";
import { Provider } from "../../provider/runtime/provider";
import { lookups, resources } from "../../provider/services";
import type { FindingOf } from "./result";

/** Milliseconds for one request to an API. */
const QUESTION_MS = 15_000;

/**
 * The APIs of the resources and lookups that have types of their own, by name. Which APIs the grants on any resource call
 * depends on the program.
 */
export const SERVICES: readonly ServiceDefinition[] = [
  ...new Set(
    [...resources, ...lookups].flatMap(({ definition }) => (definition.isOfAnyApi ? [] : [definition.service])),
  ),
].toSorted((left, right) => (left.api < right.api ? -1 : 1));

/** Whether any of these APIs receives credentials. True also for an unusable endpoint. */
export function needsCredentials(
  services: readonly ServiceDefinition[],
  configuration: ResolvedConfiguration,
): boolean {
  return services.some((service) => endpointIn(service, configuration)?.authenticated ?? true);
}

/** The address of an API, and whether a server answers there. */
export async function checkEndpoint(
  service: ServiceDefinition,
  configuration: ResolvedConfiguration,
): Promise<FindingOf<"endpoint">> {
  const { api } = service;
  let endpoint: Endpoint;
  try {
    endpoint = endpointOf(service, configuration);
  } catch (error) {
    if (!isExpected(error)) throw error;
    return { check: "endpoint", api, status: "error", message: `${api}: ${messageOf(error)}`, remedy: RIGHT_URL };
  }
  const { baseUrl, kind, source, authenticated, whenRefused } = endpoint;
  const base = { check: "endpoint", api, baseUrl, kind, source, authenticated } as const;
  const place = `${api}: ${baseUrl} (${source === undefined ? kind : `${kind}, ${source}`})`;
  try {
    const { status } = await answerOf(kind === "emulator" ? healthUrl(baseUrl) : baseUrl);
    if (kind === "emulator" && status !== 200) {
      const message = `${place} answers, but is not Perimeter's emulator`;
      return { ...base, status: "note", message };
    }
    return { ...base, status: "ok", message: `${place} answers` };
  } catch (error) {
    if (!isExpected(error)) throw error;
    const remedy = whenRefused ?? "Check the network, and the proxy in HTTPS_PROXY and NO_PROXY";
    return { ...base, status: "error", message: `${place}: ${reasonOf(error)}`, remedy };
  }
}

const RIGHT_URL = "docs/configuration.md explains how to set an endpoint";

/** The cause of a failed request, without the request itself. */
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/^GET \S+ (got no complete answer|was not sent): /, "");
}

/** Sends a request without credentials; accepts any response. */
function answerOf(url: string): Promise<HttpResponse> {
  return asCall(systemClock, QUESTION_MS, (call) =>
    pooledSend({ method: "GET", url, headers: {}, signal: call.signal }).catch((error: unknown) => {
      throw call.signal.aborted ? endOf(call, "get an answer") : error;
    }),
  );
}

/** The emulator's health route. */
function healthUrl(baseUrl: string): string {
  return new URL("/_emulator/health", baseUrl).href;
}

/** The emulator in the configuration, and the projects for which it has resources. */
interface EmulatorProjects {
  url: string;
  projects: string[];
}

/** Undefined when no API uses an emulator, or no server answers like Perimeter's emulator. */
async function emulatorProjects(configuration: ResolvedConfiguration): Promise<EmulatorProjects | undefined> {
  const baseUrl = SERVICES.flatMap((service) => {
    const endpoint = endpointIn(service, configuration);
    return endpoint?.kind === "emulator" ? [endpoint.baseUrl] : [];
  })[0];
  if (baseUrl === undefined) return undefined;
  try {
    const { body } = await answerOf(healthUrl(baseUrl));
    const projects = recordIn(body)?.projects;
    return Array.isArray(projects) ? { url: new URL(baseUrl).origin, projects: projects.map(textOf) } : undefined;
  } catch (error) {
    if (!isExpected(error)) throw error;
    return undefined;
  }
}

/** Undefined when the configuration of the endpoint is wrong. */
function endpointIn(service: ServiceDefinition, configuration: ResolvedConfiguration): Endpoint | undefined {
  try {
    return endpointOf(service, configuration);
  } catch (error) {
    if (!isExpected(error)) throw error;
    return undefined;
  }
}

/** The default project. */
export async function checkProject(
  configuration: ResolvedConfiguration,
  tokens: TokenSource,
): Promise<FindingOf<"project">> {
  const check = "project";
  const { project } = configuration.values;
  if (project !== undefined) {
    const source = settingOf("project", configuration);
    const found = { check, project, source } as const;
    const message = `Project: ${project} (${source})`;
    const emulator = await emulatorProjects(configuration);
    if (!emulator || emulator.projects.includes(project)) return { ...found, status: "ok", message };
    return { ...found, ...notAtEmulator(message, emulator) };
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
    message:
      "Project: there is no default, so each association and lookup must set its project. Grants take it from `name`",
    remedy: `pulumi config set perimeter:project <project>, or set ${environmentOf(keys.shape.project)[0]}`,
  };
}

/** Maximum number of listed projects of an emulator. */
const MOST_PROJECTS = 5;

/** An emulator with other projects also answers for this project, but requests find nothing. An empty emulator may be seeded later. */
function notAtEmulator(project: string, { url, projects }: EmulatorProjects) {
  const [first] = projects;
  if (first === undefined) {
    const message = `${project}: the emulator at ${url} has no resources`;
    return { status: "warning", message, remedy: "Seed the emulator: docs/emulator.md" } as const;
  }
  const held = projects.length > MOST_PROJECTS ? [...projects.slice(0, MOST_PROJECTS), "others"] : projects;
  return {
    status: "error",
    message: `${project}: the emulator at ${url} has no resources of this project; it has ${held.join(", ")}`,
    remedy: `Set the project to ${first} (pulumi config set perimeter:project ${first}), or seed the emulator: docs/emulator.md`,
  } as const;
}

/**
 * Lists the locations of the project at an API. This read fails when the API is not enabled, the credentials are refused or
 * the caller may not see the project. Its success does not mean that a grant can be made.
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
    const request: ApiRequest = {
      kind: "read",
      method: "GET",
      path: `${resource}/locations`,
      query: { pageSize: 1 },
      doing: "list the locations of",
      resource,
    };
    await asCall(systemClock, QUESTION_MS, (call) =>
      connections.api(service).client.request(request, call, (answer) => answer),
    );
    return { ...base, status: "ok", message: `${api}: lists the locations of ${resource}` };
  } catch (error) {
    if (!isExpected(error)) throw error;
    if (error instanceof UnauthenticatedError) {
      return { ...base, status: "error", message: `${api}: ${messageOf(error)}`, remedy: WHEN_REFUSED };
    }
    // A program may not need this API.
    return { ...base, status: "warning", message: `${api}: ${messageOf(error)}`, remedy: WHEN_DENIED };
  }
}

const WHEN_REFUSED = "The credentials are refused: log in again, or use other credentials";
const WHEN_DENIED = "Enable the API for the project and give the caller access, if your programs use this API";

/** Asks the API which permissions for grants the caller has on a resource. */
export async function checkResource(
  named: NamedResource,
  given: Values,
  environment: ResolvedConfiguration["environment"],
  tokens: TokenSource,
): Promise<FindingOf<"permissions">> {
  const { resource: name, kind } = named;
  const { token, targets } = memberGrantOn(named);
  const base = {
    check: "permissions",
    api: kind.service.api,
    method: "testIamPermissions",
    resource: name,
  } as const;
  try {
    const provider = new Provider(given, environment, { tokens });
    // Only the name matters here: the permissions for a grant do not depend on its role and member.
    const grant = { [targets.input]: name, role: "roles/viewer", member: "domain:example.com" };
    const obstacles = await provider.preflight(token, grant, { timeout: QUESTION_MS });
    if (obstacles.length === 0) return { ...base, status: "ok", message: `${name}: grants can be made` };
    return {
      ...base,
      status: "error",
      message: obstacles.join("\n"),
      remedy: "Correct the name, or give the caller a role with these permissions, such as roles/iam.securityAdmin",
    };
  } catch (error) {
    if (!isExpected(error) || error instanceof InputError) throw error;
    return { ...base, status: "error", message: messageOf(error), remedy: WHEN_DENIED };
  }
}
