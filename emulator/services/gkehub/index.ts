import { randomUUID } from "node:crypto";
import { Api, type ApiNotes } from "../../base/api";
import { gkehubV1 } from "../../base/generated/gkehub.v1";
import { gkehubV1alpha } from "../../base/generated/gkehub.v1alpha";
import { gkehubV1beta } from "../../base/generated/gkehub.v1beta";
import { shown } from "../../messages/shown";
import { find } from "../checks";
import type { Handler } from "../method";
import { listAnswer, listItems } from "../reads";
import { serve, type ResourceDeclaration } from "../resource-type";

const notes: ApiNotes = {
  title: "GKE Hub API",
  oneof: { "RBACRoleBinding.principal": ["user", "group"], "Role.role": ["predefinedRole", "customRole"] },
  // The scope of a namespace is in its path.
  output: ["Namespace.scope"],
  optional: ["Namespace.scope"],
};

/** The lifecycle of all resources in gkehub: `state` has a `code`. */
const states = {
  creating: { state: { code: "CREATING" } },
  updating: { state: { code: "UPDATING" } },
  deleting: { state: { code: "DELETING" } },
} as const;

const ready: ResourceDeclaration["defaults"] = (_name, now) => ({
  uid: randomUUID(),
  createTime: now,
  updateTime: now,
  state: { code: "READY" },
});

/** scopes.listMemberships: the memberships with a binding to the scope. */
const listMemberships: Handler = (call, { store }) => {
  const scope = find(store, "gkehub", call.name);
  const { message } = listItems(call.method.response);
  const bound = store
    .all()
    .filter(
      ({ service, name, body }) => service === "gkehub" && name.includes("/bindings/") && body.scope === scope.name,
    )
    .map(({ name }) => name.split("/").slice(0, -2).join("/"));
  const all = [...new Set(bound)]
    .flatMap((name) => store.get("gkehub", name) ?? [])
    .map(({ name, body }) => ({ name, body: () => shown(message, body) }));
  return listAnswer(all, call);
};

const scopes: ResourceDeclaration = {
  collection: "projects.locations.scopes",
  schema: "Scope",
  permissions: "gkehub.scopes",
  defaults: ready,
  states,
  methods: { listMemberships: { handler: listMemberships, permission: "listBoundMemberships" } },
};

const namespaces: ResourceDeclaration = {
  collection: "projects.locations.scopes.namespaces",
  schema: "Namespace",
  permissions: "gkehub.namespaces",
  defaults: (name, now) => ({ ...ready(name, now), scope: name.split("/").slice(0, 6).join("/") }),
  states,
};

const roleBindings: ResourceDeclaration = {
  collection: "projects.locations.scopes.rbacrolebindings",
  schema: "RBACRoleBinding",
  permissions: "gkehub.rbacrolebindings",
  defaults: ready,
  states,
};

/** Memberships of clusters in a fleet. They are records without a connection. */
const memberships: ResourceDeclaration = {
  collection: "projects.locations.memberships",
  schema: "Membership",
  permissions: "gkehub.memberships",
  defaults: (_name, now) => ({ uniqueId: randomUUID(), createTime: now, updateTime: now, state: { code: "READY" } }),
  states,
  unanswered: ["labels"],
};

/** The scopes of a membership. */
const membershipBindings: ResourceDeclaration = {
  collection: "projects.locations.memberships.bindings",
  schema: "MembershipBinding",
  permissions: "gkehub.membershipbindings",
  defaults: ready,
  states,
};

/** docs/wire.md section 3 */
export const gkehub = serve(
  [new Api(gkehubV1beta, notes), new Api(gkehubV1, notes), new Api(gkehubV1alpha, notes)],
  [scopes, namespaces, roleBindings, memberships, membershipBindings],
);
