import { textOf } from "../../provider/core/unknown";
import type { Call } from "../../provider/http/call";
import type { ServiceDefinition } from "../../provider/core/definition";
import { getOrCompute } from "../../provider/core/once";
import type { ApiClient } from "../../provider/http/client";
import { isInOneCloud } from "../../provider/http/endpoints";
import { containersOf, type ContainerOf } from "../plan/grant-kinds";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import type { Place } from "./clouds";
import { attempted, type Attempted } from "./reads";

/** A resource, and the clients of services with the settings of its provider. */
export interface ResourceInCloud {
  /** Relative name. */
  name: string;
  service: ServiceDefinition;
  /** For live requests. */
  client(service: ServiceDefinition): ApiClient;
}

/** A resource with an access policy, and the resources of the same API that contain it and have one. */
export interface PolicyInCloud extends ResourceInCloud {
  containers: readonly ContainerOf[];
}

export function policyInCloud(place: Place): PolicyInCloud {
  const { cloud, kind, path: name } = place;
  return { name, service: kind.service, containers: containersOf(place), client: (service) => cloud.client(service) };
}

/** The client of another API for a resource; undefined where the resource is in another cloud. */
export function clientBeside(
  { service, client }: Omit<ResourceInCloud, "name">,
  other: ServiceDefinition,
): ApiClient | undefined {
  const found = client(other);
  return isInOneCloud(client(service).baseUrl, other, found.baseUrl) ? found : undefined;
}

/** The client of the Resource Manager in the cloud of a resource; undefined if that cloud has none. */
export function managerOf(place: Omit<ResourceInCloud, "name">): ApiClient | undefined {
  return clientBeside(place, RESOURCE_MANAGER);
}

/** The project, the folder or the organization that each resource is in. For all that is in one bucket, it is read once. */
export class NodesAbove {
  /** By the address of the API and the beginning of the name. */
  private readonly known = new Map<string, Promise<Attempted<string | undefined>>>();

  /** @param timeout milliseconds, for each read with its retries. */
  constructor(private readonly timeout?: number) {}

  /** The value is undefined for a resource of which no API says it. */
  of(resource: ResourceInCloud): Promise<Attempted<string | undefined>> {
    const { name, service, client } = resource;
    const key = client(service).baseUrl + name.split("/").slice(0, 2).join("/");
    return getOrCompute(this.known, key, () => attempted((call) => nodeAbove(resource, call), this.timeout));
  }
}

/** By the name, or for what is in a bucket by the bucket. */
async function nodeAbove(resource: ResourceInCloud, call: Call): Promise<string | undefined> {
  const { name, service, client } = resource;
  if (/^(?:projects|folders|organizations)\//.test(name)) return name.split("/").slice(0, 2).join("/");
  const bucket = service.api === "storage" ? /^b\/[^/]+/.exec(name)?.[0] : undefined;
  if (bucket === undefined) return undefined;
  const read = (api: ApiClient, path: string, doing: string, property: string) =>
    api.request({ kind: "read", method: "GET", path, doing }, call, (answer) => textOf(answer[property]));
  const number = await read(client(service), bucket, "read the bucket", "projectNumber");
  if (number === "") return undefined;
  const manager = managerOf(resource);
  // With the project's id, the same project above other resources is read once.
  const id = manager && (await read(manager, `projects/${number}`, "read the project", "projectId"));
  return `projects/${id || number}`;
}

/** The reason why nothing above a resource was read, as the end of a sentence. */
export const NO_MANAGER =
  "this address is not Google's, and CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER names no Resource Manager beside it";

export const NO_NODE = "neither its name nor its API says in which project it is";

/** The reason why a role was not read, as the end of a sentence. */
export const NO_ROLES =
  "this address is not Google's, and CLOUDSDK_API_ENDPOINT_OVERRIDES_IAM names no IAM API beside it";

/** Reads a project, its folders and its organization, from the project upwards. */
export async function readUpwards<T>(
  project: string,
  read: (name: string) => Promise<T>,
  parentOf: (found: T) => string | undefined,
): Promise<T[]> {
  const found = new Map<string, T>();
  let next: string | undefined = project;
  while (next && !found.has(next)) {
    const each: T = await read(next);
    found.set(next, each);
    next = parentOf(each);
  }
  return [...found.values()];
}
