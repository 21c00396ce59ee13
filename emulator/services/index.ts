import type { ResourceType, Method, ServiceModule } from "../context";
import { apigateway } from "./apigateway";
import { datamigration } from "./datamigration";
import { eventarc } from "./eventarc";
import { gkehub } from "./gkehub";
import { healthcare } from "./healthcare";
import { iamcredentialsMethods } from "./iamcredentials";
import { networksecurity } from "./networksecurity";

const modules: readonly ServiceModule[] = [gkehub, eventarc, apigateway, networksecurity, datamigration, healthcare];

/** Every method that the emulator serves, by its API method id. */
export const methods: ReadonlyMap<string, Method> = new Map(
  [...modules.flatMap((module) => module.methods), ...iamcredentialsMethods].map((method) => [method.id, method]),
);

/** Every type of resource that a seed may hold. */
export const resourceTypes: readonly ResourceType[] = modules.flatMap((module) => module.resourceTypes);
