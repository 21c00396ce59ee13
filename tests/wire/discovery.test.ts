/**
 * The emulator against the discovery documents of the six APIs: each method is routed with all its parameters, every
 * answer fits its schema, and the emulator knows every field of the resources that it holds. The documents are not
 * part of this repository: they are looked for beside it, or in PERIMETER_DISCOVERY_DIR.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { methods as served, resourceTypes } from "../../emulator/services";
import type { Field, FieldType, Message } from "../../emulator/messages/schema";
import { problemsOf, type Discovery, type DiscoveryMethod, type DiscoverySchema } from "./schema-check";

const folder =
  process.env.PERIMETER_DISCOVERY_DIR ?? join(__dirname, "..", "..", "..", "shared", "reference", "discovery");
const present = existsSync(folder);
const documents: Discovery[] = present
  ? readdirSync(folder)
      .filter((file) => file.endsWith(".json"))
      .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Discovery)
  : [];

const ZONE = "projects/p/locations/us-central1-a";
const US = "projects/demo-project/locations/us-central1";
const ASSOCIATIONS = "networksecurity.projects.locations.firewallEndpointAssociations";
const association = {
  network: "projects/p/global/networks/n",
  firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
  tlsInspectionPolicy: "projects/p/locations/us-central1/tlsInspectionPolicies/t",
  labels: { a: "b" },
};
const policy = {
  version: 3,
  bindings: [{ role: "roles/viewer", members: ["user:a@b.c"], condition: { title: "t", expression: "true" } }],
  auditConfigs: [{ service: "s", auditLogConfigs: [{ logType: "ADMIN_READ", exemptedMembers: ["user:a@b.c"] }] }],
};

/** Names of the path for each method: an existing resource, or the parent. */
const NAMES: Record<string, string> = {
  "gkehub.projects.locations.scopes": "projects/demo-project/locations/global/scopes/team-a",
  "eventarc.projects.locations.triggers": `${US}/triggers/audit`,
  "apigateway.projects.locations.gateways": `${US}/gateways/edge`,
  "datamigration.projects.locations.migrationJobs": `${US}/migrationJobs/orders-to-sql`,
  "healthcare.projects.locations.datasets.fhirStores": `${US}/datasets/clinic/fhirStores/records`,
  [ASSOCIATIONS]: `${ZONE}/firewallEndpointAssociations/a`,
};

const BODIES: Record<string, object> = {
  setIamPolicy: { policy, updateMask: "bindings,auditConfigs,etag" },
  testIamPermissions: { permissions: ["a.b.get"] },
  create: association,
  patch: { labels: { a: "c" } },
  cancel: {},
};

const QUERIES: Record<string, string> = {
  firewallEndpointAssociationId: "new",
  requestId: "11111111-2222-4333-8444-555555555555",
  "options.requestedPolicyVersion": "3",
  pageSize: "5",
  pageToken: "",
  filter: "state=ACTIVE",
  orderBy: "name",
  updateMask: "labels",
};

if (!present) {
  const reason = "the discovery documents are not here (PERIMETER_DISCOVERY_DIR names their folder)";
  process.stderr.write(`Skipped: ${reason}.\n`);
  test.skip(`skipped: ${reason}`, () => undefined);
}

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ seed: demoSeed, operationMs: 1000 });
});
afterAll(() => emulator.stop());
beforeEach(() => emulator.reset());

async function send(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${emulator.url}/${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** Association `a`, made through the API; its operation is still running if `running`. */
async function makeAssociation(running: boolean): Promise<string> {
  const path = `v1beta1/${ZONE}/firewallEndpointAssociations?firewallEndpointAssociationId=a`;
  const { body } = await send("POST", path, association);
  if (!running) {
    emulator.advance(1000);
  }
  return (body as { name: string }).name;
}

/** The path of a method with real names in it. */
async function pathOf(method: DiscoveryMethod): Promise<string> {
  const [group = "", action = ""] = splitId(method.id);
  const custom = method.flatPath.includes("}:") ? `:${action}` : "";
  const version = method.flatPath.split("/")[0];
  if (group.endsWith(".operations")) {
    return `${version}/${await makeAssociation(true)}${custom}`;
  }
  if (group === ASSOCIATIONS) {
    await makeAssociation(false);
    const inCollection = action === "create" || action === "list";
    // Another zone for create: the network is taken in the first.
    const zone = action === "create" ? ZONE.replace("1-a", "1-b") : ZONE;
    return `${version}/${zone}/firewallEndpointAssociations${inCollection ? "" : "/a"}`;
  }
  return `${version}/${NAMES[group]}${custom}`;
}

function splitId(id: string): [string, string] {
  const dot = id.lastIndexOf(".");
  return [id.slice(0, dot), id.slice(dot + 1)];
}

for (const document of documents) {
  describe(document.name, () => checkDocument(document));
}
if (present) {
  describe("messages", checkMessages);
}

function checkDocument(document: Discovery): void {
  const all = Object.values(document.methods);

  test.each(all.map((method) => [method.id, method] as const))(
    "%s takes its parameters and answers by its schema",
    async (id, method) => {
      const path = await pathOf(method);
      const query = new URLSearchParams();
      for (const [name, parameter] of Object.entries(method.parameters)) {
        if (parameter.location === "query") {
          expect(QUERIES[name]).toBeDefined();
          query.set(name, QUERIES[name] ?? "");
        }
      }
      for (const name of Object.keys(document.parameters)) {
        query.set(name, name === "alt" ? "json" : name === "fields" ? "*" : "1");
      }
      const [, action] = splitId(id);
      const { status, body } = await send(
        method.httpMethod,
        `${path}?${query.toString()}`,
        method.request && (BODIES[action] ?? {}),
      );
      expect({ status, body }).toMatchObject({ status: 200 });
      expect(problemsOf(body, method.response, document.schemas)).toEqual([]);
      expect(emulator.requests().at(-1)?.id).toBe(id);
    },
  );

  if (document.name === "networksecurity") {
    checkLifetime(document);
  }
}

function checkLifetime(document: Discovery): void {
  test("every answer of a lifetime fits: running, done, failed and cancelled operations, and all list fields", async () => {
    const schema = (ref: string) => (body: unknown) =>
      expect(problemsOf(body, { $ref: ref }, document.schemas)).toEqual([]);
    const fits = {
      operation: schema("Operation"),
      resource: schema("FirewallEndpointAssociation"),
      page: schema("ListFirewallEndpointAssociationsResponse"),
    };
    const name = await makeAssociation(true);
    const { body: running } = await send("GET", `v1beta1/${name}`);
    fits.operation(running);
    fits.page((await send("GET", `v1beta1/${ZONE}/firewallEndpointAssociations?pageSize=1`)).body);
    emulator.advance(1000);
    const { body: done } = await send("GET", `v1beta1/${name}`);
    fits.operation(done);
    for (const operation of [running, done] as Array<{ metadata: { "@type": string } }>) {
      const { "@type": type, ...metadata } = operation.metadata;
      expect(type).toMatch(/OperationMetadata$/);
      schema("OperationMetadata")(metadata);
    }
    const response: Record<string, unknown> = { ...(done as { response: object }).response };
    delete response["@type"];
    fits.resource(response);
    emulator.setFaults([{ fault: { operationError: { code: 8, message: "no room" } } }]);
    const { body: failing } = await send("DELETE", `v1beta1/${ZONE}/firewallEndpointAssociations/a`);
    emulator.advance(1000);
    const { body: failed } = await send("GET", `v1beta1/${(failing as { name: string }).name}`);
    fits.operation(failed);
    expect((failed as { error: { code: number } }).error.code).toBe(8);
  });
}

/** Fields and enum values that later versions of the clients and protos added to these versions of the APIs. */
const NEWER = new Set([
  "Trigger.retryPolicy",
  "Trigger.satisfiesPzs",
  "FirewallEndpointAssociation.disabled",
  "FirewallEndpointAssociation.state=ORPHAN",
  "FhirStore.bulkExportGcsDestination",
  "FhirStore.enableHistoryModifications",
  "FhirStore.version=R5",
  "GoogleCloudHealthcareV1beta1FhirBigQueryDestination.changeDataCaptureConfig",
  ...["AURORA", "ALLOYDB", "AZURE_DATABASE"].map((value) => `DatabaseType.provider=${value}`),
  ...["POSTGRESQL", "SQLSERVER", "ORACLE"].map((value) => `DatabaseType.engine=${value}`),
  "MigrationJob.phase=READY_FOR_PROMOTE",
]);

const RESOURCES: Record<string, string> = {
  gkehub: "Scope",
  eventarc: "Trigger",
  apigateway: "ApigatewayGateway",
  networksecurity: "FirewallEndpointAssociation",
  datamigration: "MigrationJob",
  healthcare: "FhirStore",
};

/** Differences between a message of the emulator and the schema of the document, at every depth. */
function differences(message: Message, name: string, document: Discovery, seen = new Set<string>()): string[] {
  const schema = document.schemas[name];
  if (seen.has(name) || schema === undefined) {
    return [];
  }
  seen.add(name);
  const theirs = schema.properties ?? {};
  const extra = Object.keys(message.fields)
    .filter((field) => theirs[field] === undefined && !NEWER.has(`${name}.${field}`))
    .map((field) => `${name}.${field}: only the emulator has it`);
  const wrong = Object.entries(theirs).flatMap(([property, inner]) => {
    const field = message.fields[property];
    const at = `${name}.${property}`;
    if (field === undefined) {
      return [`${at}: the emulator does not have it`];
    }
    return [...behaviour(field, at, document), ...typeDifferences(field.type, inner, at, document, seen)];
  });
  return [...extra, ...wrong];
}

function behaviour(field: Field, at: string, document: Discovery): string[] {
  const marks = document.fieldBehavior[at] ?? [];
  // The schema of names is looser than the marks: the path names the resource.
  const required = marks.includes("REQUIRED") && !at.endsWith(".name");
  return [
    ...(Boolean(field.outputOnly) === marks.includes("OUTPUT_ONLY") ? [] : [`${at}: output-only differs`]),
    ...(Boolean(field.required) === required ? [] : [`${at}: required differs`]),
  ];
}

function typeDifferences(
  type: FieldType,
  schema: DiscoverySchema,
  at: string,
  document: Discovery,
  seen: Set<string>,
): string[] {
  if (type.kind === "struct") {
    return [];
  }
  if (type.kind === "message") {
    return schema.$ref === undefined
      ? [`${at}: not a message there`]
      : differences(type.message, schema.$ref, document, seen);
  }
  if (type.kind === "list" && schema.items !== undefined) {
    return typeDifferences(type.item, schema.items, at, document, seen);
  }
  if (type.kind === "map" && schema.additionalProperties !== undefined) {
    return typeDifferences(type.value, schema.additionalProperties, at, document, seen);
  }
  if (type.kind === "enum") {
    const known = schema.enum ?? [];
    const missing = known.filter((value) => !type.values.includes(value)).map((value) => `${at}: lacks ${value}`);
    const added = type.values
      .filter((value) => !known.includes(value) && !NEWER.has(`${at}=${value}`))
      .map((value) => `${at}: adds ${value}`);
    return [...missing, ...added];
  }
  const theirs = {
    byte: "bytes",
    "google-datetime": "timestamp",
    "google-duration": "duration",
    int32: "int32",
    int64: "int64",
  }[schema.format ?? ""];
  const plain = schema.type === "boolean" ? "bool" : schema.type;
  return type.kind === (theirs ?? plain) ? [] : [`${at}: ${type.kind} here, ${theirs ?? plain} there`];
}

function checkMessages(): void {
  test.each(resourceTypes.map((type) => [type.service, type] as const))(
    "%s resources have the fields of the document",
    (service, type) => {
      const document = documents.find(({ name }) => name === service);
      expect(document).toBeDefined();
      expect(document && differences(type.message, RESOURCES[service] ?? "", document)).toEqual([]);
    },
  );

  test("policies have the fields of every document that has policies", () => {
    const checked = documents.flatMap((document) =>
      Object.values(document.methods)
        .filter(({ id }) => id.endsWith(".setIamPolicy"))
        .map((method) => {
          const request = served.get(method.id)?.request;
          expect(request).toBeDefined();
          return request ? differences(request, method.request?.$ref ?? "", document) : [];
        }),
    );
    expect(checked).toHaveLength(4);
    // Marked as required nowhere in the documents, but a policy without them is refused by the service.
    const known = /(Binding\.role|AuditConfig\.service): required differs$/;
    expect(checked.flat().filter((difference) => !known.test(difference))).toEqual([]);
  });
}
