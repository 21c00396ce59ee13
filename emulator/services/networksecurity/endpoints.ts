import { textOf, type JsonObject } from "../../base/json";
import type { StoredResource } from "../../state/store";
import type { Context } from "../method";
import type { ResourceDeclaration } from "../resource-type";

/** The time after an operation on an association for which its endpoint still shows the earlier state, in ms. */
const SETTLES_MS = 1000;
const ASSOCIATION = /\/firewallEndpointAssociations\/[^/]+$/;

/** Endpoints of an organization or of a project. */
export function firewallEndpoints(parent: "organizations" | "projects"): ResourceDeclaration {
  return {
    collection: `${parent}.locations.firewallEndpoints`,
    schema: "FirewallEndpoint",
    permissions: "networksecurity.firewallEndpoints",
    defaults: (_name, now) => ({ createTime: now, updateTime: now, state: "ACTIVE" }),
    // The description was never observed in a response.
    normalise: ({ description: _description, ...body }) => body,
    creating: ({ billingProjectId }, { call }) => {
      const project = billingProjectId ?? call.project;
      return project === "" ? {} : { billingProjectId: project };
    },
    states: {
      creating: { state: "CREATING", reconciling: true },
      updating: { reconciling: true },
      deleting: { state: "DELETING", reconciling: true },
      failed: { state: "INACTIVE", reconciling: null },
    },
    unanswered: ["labels"],
    derived: associationsOf,
  };
}

/** The fields of an endpoint about its associations: their names, and `reconciling` during a create or delete. */
function associationsOf({ name }: StoredResource, context: Context): JsonObject {
  const { store, operations, clock } = context;
  const shown = new Map<string, string>();
  for (const { service, name: association, body } of store.all()) {
    if (service === "networksecurity" && ASSOCIATION.test(association) && body.firewallEndpoint === name) {
      shown.set(association, textOf(body.network));
    }
  }
  let reconciling = false;
  for (const { service, target, verb, outcome } of operations.all()) {
    const settled = outcome !== undefined && clock.now() >= outcome.endMs + SETTLES_MS;
    if (service !== "networksecurity" || verb === "update" || settled || !ASSOCIATION.test(target)) {
      continue;
    }
    const body = store.versions(service, target).findLast((version) => version.body !== null)?.body;
    if (body?.firewallEndpoint !== name) {
      continue;
    }
    reconciling = true;
    if (verb === "create" && outcome === undefined) {
      shown.delete(target);
    } else {
      shown.set(target, textOf(body.network));
    }
  }
  const associations = [...shown].map(([association, network]) => ({
    name: withNumber(association, context),
    network: withNumber(network, context),
  }));
  return {
    ...(associations.length > 0 && {
      associations,
      associatedNetworks: [...new Set(associations.map(({ network }) => network))],
    }),
    ...(reconciling && { reconciling }),
  };
}

/** The name with the number of its project instead of the id, if the switch `numbersInNames` is on. */
function withNumber(name: string, { config }: Context): string {
  const { numbersInNames, projectNumbers } = config();
  const id = /^projects\/([^/]+)/.exec(name)?.[1];
  const number = Object.keys(projectNumbers).find((each) => projectNumbers[each] === id);
  return numbersInNames && number !== undefined ? name.replace(/^projects\/[^/]+/, `projects/${number}`) : name;
}
