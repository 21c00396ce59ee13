import { described, type Method } from "./method";
import { policyHandlers } from "./policies";
import { collectionId, type ResourceType, type Served } from "./resource-type";
import { actionHandler, createHandler, deleteHandler, patchHandler } from "./lifecycle";
import { getHandler, listHandler } from "./reads";

/** Every method of a type of resource that its documents have, in each version. */
export function resourceMethods(type: ResourceType): Method[] {
  return type.apis.flatMap((api) =>
    Object.keys(api.methods)
      .filter((id) => id.startsWith(`${type.collection}.`) && !id.slice(type.collection.length + 1).includes("."))
      .map((id) => {
        const name = id.slice(type.collection.length + 1);
        const served = answering(type, name);
        const permission = served.permission && `${type.permissions}.${served.permission}`;
        return described(api, id, served.handler, permission);
      }),
  );
}

function answering(type: ResourceType, name: string): Served {
  switch (name) {
    case "get":
      return { handler: getHandler(type), permission: "get" };
    case "list":
      return { handler: listHandler(type), permission: "list" };
    case "listPermitted":
      return { handler: listHandler(type, `${type.permissions}.get`) };
    case "create":
      return { handler: createHandler(type), permission: "create" };
    case "patch":
      return { handler: patchHandler(type), permission: "update" };
    case "delete":
      return { handler: deleteHandler(type), permission: "delete" };
    case "getIamPolicy":
    case "setIamPolicy":
      return { handler: policyHandlers(type)[name], permission: name };
    case "testIamPermissions":
      return { handler: policyHandlers(type)[name] };
    default: {
      const custom = type.methods?.[name];
      if (custom !== undefined) {
        return custom;
      }
      const action = type.actions?.[name];
      if (action === undefined) {
        throw new Error(`${type.permissions} does not define ${name} in ${collectionId(type)}`);
      }
      return { handler: actionHandler(type, name, action), permission: name };
    }
  }
}
