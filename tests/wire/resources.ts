/** A resource of each kind that the emulator serves: what the wire tests create, read, change and delete. */
export interface Example {
  /** As in the discovery documents, e.g. `eventarc.projects.locations.triggers`. */
  collection: string;
  name: string;
  /** Body of a create. */
  body: object;
  /** Body of a patch, and the mask that goes with it. */
  change: Record<string, unknown>;
  /** Collections of what must be there first. */
  needs?: string[];
}

const p = "projects/demo/locations";
const ROLE = { title: "Auditor", includedPermissions: ["eventarc.triggers.get"] };

export const EXAMPLES: readonly Example[] = [
  {
    collection: "gkehub.projects.locations.scopes",
    name: `${p}/global/scopes/team`,
    body: { labels: { team: "a" } },
    change: { labels: { team: "b" } },
  },
  {
    collection: "gkehub.projects.locations.scopes.namespaces",
    name: `${p}/global/scopes/team/namespaces/shop`,
    body: { labels: { team: "a" } },
    change: { labels: { team: "b" } },
    needs: ["gkehub.projects.locations.scopes"],
  },
  {
    collection: "gkehub.projects.locations.scopes.rbacrolebindings",
    name: `${p}/global/scopes/team/rbacrolebindings/admins`,
    body: { user: "ada@example.com", role: { predefinedRole: "ADMIN" } },
    change: { role: { predefinedRole: "VIEW" } },
    needs: ["gkehub.projects.locations.scopes"],
  },
  {
    collection: "gkehub.projects.locations.memberships",
    name: `${p}/global/memberships/cluster`,
    body: { labels: { a: "b" }, externalId: "1234" },
    change: { labels: { a: "c" } },
  },
  {
    collection: "gkehub.projects.locations.memberships.bindings",
    name: `${p}/global/memberships/cluster/bindings/team`,
    body: { scope: `${p}/global/scopes/team` },
    change: { labels: { a: "c" } },
    needs: ["gkehub.projects.locations.memberships"],
  },
  {
    collection: "eventarc.projects.locations.triggers",
    name: `${p}/us-central1/triggers/orders`,
    body: {
      eventFilters: [{ attribute: "type", value: "google.cloud.pubsub.topic.v1.messagePublished" }],
      destination: { cloudRun: { service: "orders", region: "us-central1", path: "/events" } },
      labels: { app: "orders" },
    },
    change: { labels: { app: "shop" } },
  },
  {
    collection: "apigateway.projects.locations.gateways",
    name: `${p}/us-central1/gateways/edge`,
    body: { apiConfig: `projects/demo/locations/global/apis/shop/configs/v1`, displayName: "Edge" },
    change: { displayName: "Outer edge" },
  },
  {
    collection: "apigateway.projects.locations.apis",
    name: `${p}/global/apis/shop`,
    body: { displayName: "Shop" },
    change: { displayName: "The shop" },
  },
  {
    collection: "apigateway.projects.locations.apis.configs",
    name: `${p}/global/apis/shop/configs/v1`,
    body: { displayName: "First" },
    change: { displayName: "Second" },
    needs: ["apigateway.projects.locations.apis"],
  },
  {
    collection: "networksecurity.projects.locations.firewallEndpointAssociations",
    name: `${p}/us-central1-a/firewallEndpointAssociations/a`,
    body: {
      network: "projects/demo/global/networks/n",
      firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
      tlsInspectionPolicy: "projects/demo/locations/us-central1/tlsInspectionPolicies/t",
      labels: { a: "b" },
    },
    change: { labels: { a: "c" } },
  },
  {
    collection: "networksecurity.organizations.locations.firewallEndpoints",
    name: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    body: { billingProjectId: "demo", labels: { a: "b" } },
    change: { labels: { a: "c" } },
  },
  {
    collection: "networksecurity.projects.locations.firewallEndpoints",
    name: `${p}/us-central1-a/firewallEndpoints/e`,
    body: { billingProjectId: "demo", description: "Edge" },
    change: { labels: { a: "c" } },
  },
  {
    collection: "datamigration.projects.locations.migrationJobs",
    name: `${p}/us-central1/migrationJobs/orders`,
    body: {
      displayName: "Orders",
      type: "CONTINUOUS",
      source: `${p}/us-central1/connectionProfiles/source`,
      destination: `${p}/us-central1/connectionProfiles/target`,
      sourceDatabase: { engine: "MYSQL", provider: "RDS" },
      staticIpConnectivity: {},
    },
    change: { displayName: "All orders" },
  },
  {
    collection: "datamigration.projects.locations.connectionProfiles",
    name: `${p}/us-central1/connectionProfiles/source`,
    body: { displayName: "Source", mysql: { host: "10.0.0.1", port: 3306, username: "root", password: "secret" } },
    change: { displayName: "The source" },
  },
  {
    collection: "healthcare.projects.locations.datasets",
    name: `${p}/us-central1/datasets/clinic`,
    body: { timeZone: "UTC" },
    change: { timeZone: "Europe/Berlin" },
  },
  {
    collection: "healthcare.projects.locations.datasets.fhirStores",
    name: `${p}/us-central1/datasets/clinic/fhirStores/records`,
    body: { version: "R4", enableUpdateCreate: true, labels: { ward: "north" } },
    change: { labels: { ward: "south" } },
    needs: ["healthcare.projects.locations.datasets"],
  },
  { collection: "cloudresourcemanager.projects", name: "projects/demo", body: { parent: "folders/7" }, change: {} },
  { collection: "cloudresourcemanager.folders", name: "folders/7", body: { parent: "organizations/1" }, change: {} },
  { collection: "cloudresourcemanager.organizations", name: "organizations/1", body: {}, change: {} },
  { collection: "iam.roles", name: "roles/eventarc.viewer", body: ROLE, change: {} },
  { collection: "iam.projects.roles", name: "projects/demo/roles/auditor", body: ROLE, change: {} },
  { collection: "iam.organizations.roles", name: "organizations/1/roles/auditor", body: ROLE, change: {} },
];

/** What is only read is in the emulator from the start, because its API's document has no create here. */
export function isSeeded({ collection }: Example, methods: object): boolean {
  return !(`${collection}.create` in methods);
}

/** The seed of an example. */
export function seedOf({ collection, name, body }: Example): object {
  return { service: collection.split(".")[0], name, body };
}

export function exampleOf(collection: string): Example {
  const found = EXAMPLES.find((example) => example.collection === collection);
  if (found === undefined) {
    throw new Error(`There is no example of ${collection}`);
  }
  return found;
}

/** The parent of a resource: its name without the collection and the id. */
export function parentOf(name: string): string {
  return name.split("/").slice(0, -2).join("/");
}

export function idOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
