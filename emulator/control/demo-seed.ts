import type { Seed } from "./seed";

const location = "projects/demo-project/locations";

/** The resources of a small team, for the demo and for `perimeter emulator` without `--seed`. */
export const demoSeed: readonly Seed[] = [
  {
    service: "gkehub",
    name: `${location}/global/scopes/team-a`,
    body: {
      uid: "5f0e7a52-4b3f-4f57-9d0a-0d6f4c1b7e11",
      createTime: "2026-01-12T09:30:00.123456789Z",
      updateTime: "2026-02-03T16:45:10Z",
      state: { code: "READY" },
      labels: { team: "a", tier: "gold" },
      namespaceLabels: { "cost-centre": "4711" },
    },
  },
  {
    service: "eventarc",
    name: `${location}/us-central1/triggers/orders`,
    body: {
      uid: "0c9a1f6e-9d54-4b7e-8a3c-6d2b5a4f1e20",
      createTime: "2026-01-12T09:31:00.5Z",
      updateTime: "2026-01-12T09:33:20.25Z",
      eventFilters: [{ attribute: "type", value: "google.cloud.pubsub.topic.v1.messagePublished" }],
      serviceAccount: "eventing@demo-project.iam.gserviceaccount.com",
      destination: { cloudRun: { service: "orders", region: "us-central1", path: "/events" } },
      transport: {
        pubsub: {
          topic: "projects/demo-project/topics/orders",
          subscription: "projects/demo-project/subscriptions/eventarc-us-central1-orders-sub-417",
        },
      },
      labels: { app: "orders" },
      eventDataContentType: "application/json",
      etag: "b3JkZXJzLTE",
    },
    policy: {
      bindings: [
        { role: "roles/eventarc.viewer", members: ["group:platform@example.com", "user:ada@example.com"] },
        { role: "roles/eventarc.admin", members: ["user:grace@example.com"] },
      ],
    },
  },
  {
    service: "eventarc",
    name: `${location}/us-central1/triggers/audit`,
    body: {
      uid: "7d1b2c3e-1f2a-4c5d-9e8f-0a1b2c3d4e5f",
      createTime: "2026-01-20T11:00:00Z",
      updateTime: "2026-01-21T08:15:42.000001Z",
      eventFilters: [
        { attribute: "type", value: "google.cloud.audit.log.v1.written" },
        { attribute: "serviceName", value: "storage.googleapis.com" },
        {
          attribute: "resourceName",
          value: "projects/_/buckets/audit-*/objects/**",
          operator: "match-path-pattern",
        },
      ],
      destination: {
        httpEndpoint: { uri: "http://10.77.0.7/events" },
        networkConfig: {
          networkAttachment: "projects/demo-project/regions/us-central1/networkAttachments/events",
        },
      },
      conditions: {
        NetworkAttachment: { code: "NOT_FOUND", message: "The network attachment does not exist." },
        ServiceAccount: { code: "PERMISSION_DENIED", message: "The trigger identity may not invoke the destination." },
      },
      etag: "YXVkaXQtMQ",
    },
  },
  {
    service: "apigateway",
    name: `${location}/us-central1/gateways/edge`,
    body: {
      createTime: "2026-01-15T10:00:00Z",
      updateTime: "2026-01-15T10:07:31.75Z",
      displayName: "Edge",
      apiConfig: "projects/demo-project/locations/global/apis/shop/configs/v3",
      state: "ACTIVE",
      defaultHostname: "edge-1a2b3c4d.uc.gateway.dev",
      labels: { env: "prod" },
    },
    policy: {
      bindings: [
        {
          role: "roles/apigateway.viewer",
          members: ["group:support@example.com"],
          condition: {
            title: "until-july",
            description: "Access during the migration",
            expression: 'request.time < timestamp("2026-07-01T00:00:00Z")',
          },
        },
        {
          role: "roles/apigateway.admin",
          members: ["user:grace@example.com", "serviceAccount:ci@demo-project.iam.gserviceaccount.com"],
        },
      ],
      auditConfigs: [
        {
          service: "allServices",
          auditLogConfigs: [
            { logType: "ADMIN_READ" },
            { logType: "DATA_READ", exemptedMembers: ["user:auditor@example.com"] },
          ],
        },
      ],
    },
  },
  {
    service: "apigateway",
    name: `${location}/us-central1/gateways/internal`,
    body: {
      createTime: "2026-02-01T12:00:00Z",
      updateTime: "2026-02-01T12:04:59Z",
      apiConfig: "projects/demo-project/locations/global/apis/backoffice/configs/v1",
      state: "ACTIVE",
      defaultHostname: "internal-1a2b3c4d.uc.gateway.dev",
    },
  },
  {
    service: "datamigration",
    name: `${location}/us-central1/migrationJobs/orders-to-sql`,
    body: {
      createTime: "2026-02-10T07:00:00Z",
      updateTime: "2026-02-10T07:20:00Z",
      displayName: "Orders to SQL",
      state: "RUNNING",
      phase: "CDC",
      type: "CONTINUOUS",
      source: "projects/demo-project/locations/us-central1/connectionProfiles/orders-source",
      destination: "projects/demo-project/locations/us-central1/connectionProfiles/orders-sql",
      sourceDatabase: { engine: "MYSQL", provider: "RDS" },
      destinationDatabase: { engine: "MYSQL", provider: "CLOUDSQL" },
      duration: "3.5s",
      vpcPeeringConnectivity: { vpc: "projects/demo-project/global/networks/main" },
    },
  },
  {
    service: "healthcare",
    name: `${location}/us-central1/datasets/clinic/fhirStores/records`,
    body: {
      version: "R4",
      enableUpdateCreate: true,
      labels: { ward: "north" },
      notificationConfigs: [{ pubsubTopic: "projects/demo-project/topics/fhir", sendFullResource: true }],
    },
    policy: {
      bindings: [
        {
          role: "roles/healthcare.fhirResourceReader",
          members: ["user:ada@example.com", "group:clinicians@example.com", "user:grace@example.com"],
        },
        { role: "roles/healthcare.fhirStoreViewer", members: ["user:grace@example.com"] },
      ],
    },
  },
  {
    service: "healthcare",
    name: `${location}/us-central1/datasets/clinic`,
    body: { timeZone: "UTC" },
  },
  {
    service: "pubsub",
    name: "projects/demo-project/topics/orders",
    policy: { bindings: [{ role: "roles/pubsub.viewer", members: ["group:support@example.com"] }] },
  },
  {
    service: "secretmanager",
    name: "projects/demo-project/secrets/orders-password",
    policy: { bindings: [{ role: "roles/secretmanager.admin", members: ["user:grace@example.com"] }] },
  },
  {
    service: "storage",
    name: "b/demo-project-archive",
    policy: { bindings: [{ role: "roles/storage.admin", members: ["group:platform@example.com"] }] },
  },
];
