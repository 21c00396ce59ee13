import type { ServiceDefinition } from "../../provider/core/definition";
import type { ApiClient } from "../../provider/http/client";
import { isInOneCloud } from "../../provider/http/endpoints";
import { resourceManager } from "../plan/services-above";

/** A resource, and the clients of services with the settings of its provider. */
export interface ResourceInCloud {
  /** Relative name. */
  name: string;
  service: ServiceDefinition;
  /** For live requests. */
  client(service: ServiceDefinition): ApiClient;
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
  return clientBeside(place, resourceManager);
}

/** The reason why nothing above a resource was read, as the end of a sentence. */
export const NO_MANAGER =
  "this address is not Google's, and CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER names no Resource Manager beside it";

/** The reason why a role was not read, as the end of a sentence. */
export const NO_ROLES =
  "this address is not Google's, and CLOUDSDK_API_ENDPOINT_OVERRIDES_IAM names no IAM API beside it";

/** Reads the project of a resource, its folders and its organization, from the project upwards. */
export async function readUpwards<T>(
  { name }: Pick<ResourceInCloud, "name">,
  read: (name: string) => Promise<T>,
  parentOf: (found: T) => string | undefined,
): Promise<T[]> {
  const found = new Map<string, T>();
  let next: string | undefined = name.split("/").slice(0, 2).join("/");
  while (next && !found.has(next)) {
    const each: T = await read(next);
    found.set(next, each);
    next = parentOf(each);
  }
  return [...found.values()];
}
