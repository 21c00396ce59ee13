/**
 * The part of each discovery document that this project keeps: these versions, and the methods of these collections. Add a
 * new collection of the emulator here first.
 */
export interface Surface {
  /** The name of the API, as in `<name>.googleapis.com`. */
  readonly name: string;
  readonly versions: readonly string[];
  /** Collections below `projects.locations`, or wherever the API has them. */
  readonly collections: readonly string[];
  /** The methods of these collections, if the emulator does not serve their whole lifecycle. */
  readonly methods?: readonly string[];
}

const LOCATIONS = ["projects.locations", "projects.locations.operations"];

export const SURFACES: readonly Surface[] = [
  {
    name: "gkehub",
    versions: ["v1", "v1beta", "v1alpha"],
    collections: [
      ...LOCATIONS,
      "projects.locations.scopes",
      "projects.locations.scopes.namespaces",
      "projects.locations.scopes.rbacrolebindings",
      "projects.locations.memberships",
      "projects.locations.memberships.bindings",
    ],
  },
  { name: "eventarc", versions: ["v1"], collections: [...LOCATIONS, "projects.locations.triggers"] },
  {
    name: "apigateway",
    versions: ["v1", "v1beta"],
    collections: [
      ...LOCATIONS,
      "projects.locations.gateways",
      "projects.locations.apis",
      "projects.locations.apis.configs",
    ],
  },
  {
    name: "networksecurity",
    versions: ["v1", "v1beta1"],
    collections: [
      ...LOCATIONS,
      "organizations.locations",
      "organizations.locations.operations",
      "projects.locations.firewallEndpointAssociations",
      "projects.locations.firewallEndpoints",
      "organizations.locations.firewallEndpoints",
    ],
  },
  {
    name: "datamigration",
    versions: ["v1", "v1beta1"],
    collections: [...LOCATIONS, "projects.locations.migrationJobs", "projects.locations.connectionProfiles"],
  },
  {
    name: "healthcare",
    versions: ["v1", "v1beta1"],
    collections: [
      "projects.locations",
      "projects.locations.datasets",
      "projects.locations.datasets.operations",
      "projects.locations.datasets.fhirStores",
    ],
  },
  {
    name: "cloudresourcemanager",
    versions: ["v3"],
    collections: ["projects", "folders", "organizations"],
    methods: ["get", "getIamPolicy", "setIamPolicy", "testIamPermissions"],
  },
  {
    name: "iam",
    versions: ["v1"],
    collections: ["roles", "projects.roles", "organizations.roles"],
    methods: ["get", "queryGrantableRoles"],
  },
];

/** The methods of a resource's lifecycle; the emulator serves no other methods of these collections. */
const KEPT = new Set([
  ...["create", "get", "list", "patch", "delete", "getIamPolicy", "setIamPolicy", "testIamPermissions"],
  ...["cancel", "listPermitted", "listMemberships", "getFHIRStoreMetrics"],
  ...["start", "stop", "resume", "restart", "verify", "promote", "demoteDestination"],
]);

/** Whether a method is kept, by its id without the name of the API: `projects.locations.scopes.get`. */
export function isKept(surface: Surface, id: string): boolean {
  const dot = id.lastIndexOf(".");
  const method = id.slice(dot + 1);
  return surface.collections.includes(id.slice(0, dot)) && (surface.methods?.includes(method) ?? KEPT.has(method));
}
