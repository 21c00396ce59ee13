import { randomUUID } from "node:crypto";
import { failedPrecondition } from "../../base/errors";
import { textOf } from "../../base/json";
import { refuse } from "../checks";
import type { ResourceDeclaration } from "../resource-type";
import { checkImmutable, checkNeighbours, checkReferences, checkZone, withRelativeNames } from "./association-rules";

export const associations: ResourceDeclaration = {
  collection: "projects.locations.firewallEndpointAssociations",
  schema: "FirewallEndpointAssociation",
  permissions: "networksecurity.firewallEndpointAssociations",
  defaults: (_name, now) => ({ createTime: now, updateTime: now, state: "ACTIVE" }),
  states: {
    creating: { state: "CREATING", reconciling: true },
    updating: { reconciling: true },
    deleting: { state: "DELETING", reconciling: true },
    updated: ({ disabled }) => ({ state: disabled === true ? "INACTIVE" : "ACTIVE" }),
    failed: { state: "INACTIVE", reconciling: null },
  },
  newId: randomUUID,
  checkLocation: checkZone,
  normalise: withRelativeNames,
  check: (body, { name, config, context }) => {
    checkReferences(body);
    checkNeighbours(name, body, context.store.all(), config);
  },
  creating: (body, { call, context }) => {
    if (body.disabled === true) {
      refuse("disabled", "An association cannot be created disabled.");
    }
    const endpointParent = textOf(body.firewallEndpoint).replace(/\/firewallEndpoints\/[^/]+$/, "");
    context.permissions.require(call.method.api, "networksecurity.firewallEndpoints.use", endpointParent);
    return {};
  },
  patching: (before, after, { name, config }) => {
    if (before.state === "ORPHAN") {
      throw failedPrecondition(
        "ASSOCIATION_ORPHANED",
        name,
        `Resource '${name}' is in state ORPHAN and cannot be changed; delete it.`,
      );
    }
    checkImmutable(before, after, config);
  },
  // Observed in the real API: the response of an operation has no labels (docs/wire.md section 6).
  unanswered: ["labels"],
  completeSeeds: true,
};
