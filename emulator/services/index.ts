import type { Api, Service } from "../base/api";
import { apigateway } from "./apigateway";
import { cloudresourcemanager } from "./cloudresourcemanager";
import { datamigration } from "./datamigration";
import { eventarc } from "./eventarc";
import { gkehub } from "./gkehub";
import { healthcare } from "./healthcare";
import { iam } from "./iam";
import { iamcredentialsMethods } from "./iamcredentials";
import { locationMethods } from "./locations";
import type { Method } from "./method";
import { networksecurity } from "./networksecurity";
import { operationMethods } from "./operations";
import { resourceMethods } from "./resource-methods";
import type { ResourceType, ServedApi } from "./resource-type";

/** All APIs of the emulator. */
export const apis: Readonly<Record<Service, ServedApi>> = {
  gkehub,
  eventarc,
  apigateway,
  networksecurity,
  datamigration,
  healthcare,
  cloudresourcemanager,
  iam,
};

/** All resource types. */
export const resourceTypes: readonly ResourceType[] = Object.values(apis).flatMap(({ types }) => types);

/** All methods of the emulator, in each version of their APIs. */
export const methods: readonly Method[] = [
  ...resourceTypes.flatMap(resourceMethods),
  ...Object.values(apis)
    .flatMap(({ versions }) => versions)
    .flatMap((api) => [...operationMethods(api), ...locationMethods(api)]),
  ...iamcredentialsMethods,
];

/** @throws Error for an unknown version */
export function apiOf(service: Service, version: string): Api {
  const api = apis[service].versions.find((each) => each.version === version);
  if (api === undefined) {
    throw new Error(`${service} is not served in ${version}`);
  }
  return api;
}
