import { textOf } from "../../provider/core/unknown";
import type { Call } from "../../provider/http/call";
import type { ServiceDefinition } from "../../provider/core/definition";
import { getOrCompute } from "../../provider/core/once";
import type { ApiClient } from "../../provider/http/client";
import { isInOneCloud } from "../../provider/http/endpoints";
import { containersOf, type ContainerOf } from "../meaning/grant-kinds";
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
function managerOf(place: Omit<ResourceInCloud, "name">): ApiClient | undefined {
  return clientBeside(place, RESOURCE_MANAGER);
}

/** How what is above a resource is read. A failed read is a value of its own. */
export interface ReadsAbove<T> {
  /** A resource of the same API that contains it. */
  container(container: ContainerOf): Promise<T>;
  /** A project, a folder or the organization. */
  node(manager: ApiClient, name: string): Promise<T>;
  /** The name of what is above a node. */
  parentOf(found: T): string | undefined;
}

/** The way up from resources. For all that is in one bucket, its project is asked for once. */
export class Hierarchy {
  /** The project, folder or organization of a resource, by the address of the API and the beginning of the name. */
  private readonly known = new Map<string, Promise<Attempted<string | undefined>>>();

  /** @param timeout milliseconds, for each read with its retries. */
  constructor(private readonly timeout?: number) {}

  /**
   * Reads what contains a resource, and then its project, the folders and the organization, from the resource upwards.
   *
   * @returns `why`: the reason why no project was read, as the end of a sentence.
   */
  async above<T>(
    resource: ResourceInCloud & Partial<PolicyInCloud>,
    { container, node, parentOf }: ReadsAbove<T>,
  ): Promise<{ found: T[]; why?: string }> {
    const containers = Promise.all((resource.containers ?? []).map(container));
    const manager = managerOf(resource);
    const { name, why = NO_MANAGER } = manager ? await this.nodeOf(resource) : {};
    if (!manager || name === undefined) return { found: await containers, why };
    const nodes = new Map<string, T>();
    for (let next: string | undefined = name; next && !nodes.has(next);) {
      const each: T = await node(manager, next);
      nodes.set(next, each);
      next = parentOf(each);
    }
    return { found: [...(await containers), ...nodes.values()] };
  }

  private async nodeOf(resource: ResourceInCloud): Promise<{ name?: string; why?: string }> {
    const { name, service, client } = resource;
    const key = client(service).baseUrl + name.split("/").slice(0, 2).join("/");
    const found = await getOrCompute(this.known, key, () =>
      attempted((call) => nodeAbove(resource, call), this.timeout),
    );
    if ("failure" in found) return { why: `its project could not be read: ${found.failure.replace(/[.\s]+$/, "")}` };
    return found.value === undefined ? { why: NO_NODE } : { name: found.value };
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

const NO_NODE = "neither its name nor its API says in which project it is";

/** The reason why a role was not read, as the end of a sentence. */
export const NO_ROLES =
  "this address is not Google's, and CLOUDSDK_API_ENDPOINT_OVERRIDES_IAM names no IAM API beside it";
