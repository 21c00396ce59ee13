import type { Method } from "../context";
import { policyHandlers } from "../iam/methods";
import { collectionId, serviceOf, type ResourceKind, type Served } from "./kind";
import { actionHandler, createHandler, deleteHandler, patchHandler } from "./lifecycle";
import { listHandler } from "./list";
import { described } from "./described";
import { getHandler } from "./get";

/** Every method of a kind that its documents have, in each version. */
export function resourceMethods(kind: ResourceKind): Method[] {
  return kind.apis.flatMap((api) =>
    Object.keys(api.methods)
      .filter((id) => id.startsWith(`${kind.collection}.`) && !id.slice(kind.collection.length + 1).includes("."))
      .map((id) => {
        const name = id.slice(kind.collection.length + 1);
        const served = answering(kind, name);
        const permission = served.permission && `${kind.permissions}.${served.permission}`;
        return described(api, id, served.handler, permission);
      }),
  );
}

function answering(kind: ResourceKind, name: string): Served {
  const service = serviceOf(kind);
  switch (name) {
    case "get":
      return { handler: getHandler(kind), permission: "get" };
    case "list":
      return { handler: listHandler(kind), permission: "list" };
    case "listPermitted":
      return { handler: listHandler(kind, `${kind.permissions}.get`) };
    case "create":
      return { handler: createHandler(kind), permission: "create" };
    case "patch":
      return { handler: patchHandler(kind), permission: "update" };
    case "delete":
      return { handler: deleteHandler(kind), permission: "delete" };
    case "getIamPolicy":
    case "setIamPolicy":
      return { handler: policyHandlers(service)[name], permission: name };
    case "testIamPermissions":
      return { handler: policyHandlers(service)[name] };
    default: {
      const custom = kind.methods?.[name];
      if (custom !== undefined) {
        return custom;
      }
      const action = kind.actions?.[name];
      if (action === undefined) {
        throw new Error(`${kind.permissions} does not say what ${name} does in ${collectionId(kind)}`);
      }
      return { handler: actionHandler(kind, name, action), permission: name };
    }
  }
}
