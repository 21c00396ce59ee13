import type { Api, DescribedService, Service } from "../base/api";
import { apigateway } from "./apigateway";
import { cloudresourcemanager } from "./cloudresourcemanager";
import { datamigration } from "./datamigration";
import { eventarc } from "./eventarc";
import { gkehub } from "./gkehub";
import { healthcare } from "./healthcare";
import { iam } from "./iam";
import { iamcredentialsMethods } from "./iamcredentials";
import { kindsBeside } from "./kinds";
import { locationMethods } from "./locations";
import type { Method } from "./method";
import { networksecurity } from "./networksecurity";
import { operationMethods } from "./operations";
import { resourceMethods } from "./resource-methods";
import type { ResourceType, ServedApi } from "./resource-type";

/** The APIs whose resources have methods. */
export const apis: Readonly<Record<DescribedService, ServedApi>> = {
  gkehub,
  eventarc,
  apigateway,
  networksecurity,
  datamigration,
  healthcare,
  cloudresourcemanager,
  iam,
};

/** The resource types with methods of their own. */
const served: readonly ResourceType[] = Object.values(apis).flatMap(({ types }) => types);

const kinds = kindsBeside(served);

/** All resource types. */
export const resourceTypes: readonly ResourceType[] = [...served, ...kinds.types];

/** The methods of the access policies of other kinds that a request can mean. */
export const kindRoutes = kinds.routes;

/** All other methods of the emulator, in each version of their APIs. */
export const methods: readonly Method[] = [
  ...served.flatMap(resourceMethods),
  ...Object.values(apis)
    .flatMap(({ versions }) => versions)
    .flatMap((api) => [...operationMethods(api), ...locationMethods(api)]),
  ...iamcredentialsMethods,
];

/** @throws Error for an unknown version */
export function apiOf(service: Service, version: string): Api {
  const api = (apis as Partial<Record<Service, ServedApi>>)[service]?.versions.find((each) => each.version === version);
  if (api === undefined) {
    throw new Error(`${service} is not served in ${version}`);
  }
  return api;
}
