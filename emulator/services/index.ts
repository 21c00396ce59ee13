import type { Api, Service } from "../base/api";
import { apigateway } from "./apigateway";
import { datamigration } from "./datamigration";
import { eventarc } from "./eventarc";
import { gkehub } from "./gkehub";
import { healthcare } from "./healthcare";
import { iamcredentialsMethods } from "./iamcredentials";
import { locationMethods } from "./locations";
import type { Method } from "./method";
import { networksecurity } from "./networksecurity";
import { operationMethods } from "./operations";
import { resourceMethods } from "./resource-methods";
import type { ResourceType, ServedApi } from "./resource-type";

/** Every API that is served. */
export const apis: Readonly<Record<Service, ServedApi>> = {
  gkehub,
  eventarc,
  apigateway,
  networksecurity,
  datamigration,
  healthcare,
};

/** Every type of resource that there is. */
export const resourceTypes: readonly ResourceType[] = Object.values(apis).flatMap(({ types }) => types);

/** Every method that the emulator serves: one for each version of its API. */
export const methods: readonly Method[] = [
  ...resourceTypes.flatMap(resourceMethods),
  ...Object.values(apis)
    .flatMap(({ versions }) => versions)
    .flatMap((api) => [...operationMethods(api), ...locationMethods(api)]),
  ...iamcredentialsMethods,
];

/** @throws Error for a version that is not served */
export function apiOf(service: Service, version: string): Api {
  const api = apis[service].versions.find((each) => each.version === version);
  if (api === undefined) {
    throw new Error(`${service} is not served in ${version}`);
  }
  return api;
}
