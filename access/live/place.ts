import { withProject } from "../../provider/core/reference";
import type { ServiceDefinition } from "../../provider/core/definition";
import type { ApiClient } from "../../provider/http/client";
import type { PolicyParent } from "../../provider/services/shared/parent";
import type { NamedResource } from "../meaning/grant-kinds";
import type { Cloud } from "./clouds";

/** A resource in a cloud. */
export interface ResourceInCloud {
  cloud: Cloud;
  kind: Pick<PolicyParent, "service" | "kind">;
  /** The name in the API. */
  path: string;
}

/** A resource in a cloud that has an access policy. */
export interface Place extends NamedResource {
  cloud: Cloud;
}

/** The client of the resource's API. */
export function clientOf({ cloud, kind }: ResourceInCloud): ApiClient {
  return cloud.client(kind.service);
}

/** The client of another API in the cloud of a resource; undefined if that cloud has none. */
export function clientBeside({ cloud, kind }: ResourceInCloud, other: ServiceDefinition): ApiClient | undefined {
  return cloud.beside(kind.service, other);
}

/** The key of a resource in one stack, whose providers may be of several clouds. @param name the name in the API */
export function resourceKey(place: ResourceInCloud, name = place.path): string {
  const { settings } = place.cloud;
  return settings.isKnown ? clientOf(place).baseUrl + name : `${settings.key} ${place.kind.service.api} ${name}`;
}

/** The key without the project, because a project has two spellings. */
export function anyProjectKey(place: ResourceInCloud): string {
  return resourceKey(place, withProject(place.path, ""));
}
