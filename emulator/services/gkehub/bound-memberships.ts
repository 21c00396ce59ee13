import type { Handler } from "../../context";
import { listPage } from "../../list/page";
import { shown } from "../../messages/shown";
import { find } from "../checks";
import { listItems } from "../list";

/** scopes.listMemberships: the memberships that have a binding to the scope. */
export const listMemberships: Handler = (call, { store }) => {
  find(store, call.name);
  const { field, message } = listItems(call.method.response);
  const bound = store
    .all()
    .filter(
      ({ service, name, body }) => service === "gkehub" && name.includes("/bindings/") && body.scope === call.name,
    )
    .map(({ name }) => name.split("/").slice(0, -2).join("/"));
  const bodies = [...new Set(bound)].flatMap((name) => store.get(name) ?? []).map(({ body }) => shown(message, body));
  const { items, nextPageToken } = listPage(bodies, call, message);
  return { ...(items.length > 0 && { [field]: items }), ...(nextPageToken && { nextPageToken }) };
};
