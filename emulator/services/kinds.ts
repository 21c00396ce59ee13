import {
  Api,
  type ApiDescription,
  type ApiNotes,
  type MethodDescription,
  type QueryType,
  type Service,
} from "../base/api";
import { cloudresourcemanagerV3 } from "../base/generated/cloudresourcemanager.v3";
import { namePattern } from "../base/name-pattern";
import { policyKinds, storedName, type PolicyForm, type PolicyKind } from "../base/policy-kinds";
import { described, type Method } from "./method";
import { policyHandlers } from "./policies";
import { getHandler } from "./reads";
import type { ResourceType } from "./resource-type";

/**
 * The access policies of all kinds of resources in the table of the discovery documents. A kind whose resources have methods
 * of their own is not repeated here: only the versions that its API does not serve otherwise are added.
 */

type PolicyMethod = "getIamPolicy" | "setIamPolicy" | "testIamPermissions";
type KindMethod = PolicyMethod | "get";

/** The kind that can be read, because its name does not say its project. */
const BUCKET = "b/{bucket}";

/** A kind as a type of resource, with the versions of its API. */
interface Kind {
  readonly type: ResourceType;
  /** The name in the API, as in the table. */
  readonly path: string;
  /** The versions that have only the methods of policies. */
  readonly apis: readonly Api[];
}

/** A method of a policy, and the name of the resource in the path. */
export interface KindRoute {
  readonly method: Method;
  readonly name: string;
}

/**
 * The prefix of the permissions, where it is not the API and the collection: by API and path, where `~` is a location or a region
 * of a project.
 * Source: https://cloud.google.com/iam/docs/roles-permissions.
 */
const PERMISSION_PREFIXES: Readonly<Record<string, string>> = {
  "accesscontextmanager accessPolicies/{accessPolicy}": "accesscontextmanager.policies",
  "beyondcorp ~/securityGateways/{securityGateway}/applications/{application}": "beyondcorp.sgApplications",
  "bigqueryconnection ~/connections/{connection}": "bigquery.connections",
  "bigquerydatapolicy ~/dataPolicies/{dataPolicy}": "bigquery.dataPolicies",
  "bigqueryreservation ~/reservations/{reservation}": "bigquery.reservations",
  "cloudbilling billingAccounts/{billingAccount}": "billing.accounts",
  "cloudkms ~/ekmConfig": "cloudkms.ekmConfigs",
  "cloudresourcemanager tagKeys/{tagKey}": "resourcemanager.tagKeys",
  "cloudresourcemanager tagValues/{tagValue}": "resourcemanager.tagValues",
  "compute ~/backendBuckets/{backendBucket}": "compute.regionBackendBuckets",
  "compute ~/backendServices/{backendService}": "compute.regionBackendServices",
  "compute ~/firewallPolicies/{firewallPolicy}": "compute.regionFirewallPolicies",
  "compute ~/sslPolicies/{sslPolicy}": "compute.regionSslPolicies",
  "datamigration ~/conversionWorkspaces/{conversionWorkspace}": "datamigration.conversionworkspaces",
  "datamigration ~/privateConnections/{privateConnection}": "datamigration.privateconnections",
  "dataplex ~/dataScans/{dataScan}": "dataplex.datascans",
  "dataplex ~/dataTaxonomies/{dataTaxonomy}/attributes/{attribute}": "dataplex.dataAttributes",
  "iam locations/{location}/workforcePools/{workforcePool}": "iam.googleapis.com/workforcePools",
  "iam ~/workloadIdentityPools/{workloadIdentityPool}": "iam.googleapis.com/workloadIdentityPools",
  "iap {+resource}": "iap.web",
  "networkmanagement projects/{project}/locations/global/connectivityTests/{connectivityTest}":
    "networkmanagement.connectivitytests",
  "run ~/workerPools/{workerPool}": "run.workerpools",
  "sourcerepo projects/{project}/repos/{repo}": "source.repos",
};

function permissionsOn(service: string, path: string, collection: string): string {
  const short = path.replace(/^projects\/\{project\}\/(?:locations\/\{location\}|regions\/\{region\})\//, "~/");
  return PERMISSION_PREFIXES[`${service} ${short}`] ?? `${service.replace(/admin$/, "")}.${collection}`;
}

/** What is not in the table: the texts of the APIs with the older format of errors. */
const NOTES: Partial<Record<Service, Partial<ApiNotes>>> = {
  compute: {
    missing: (name) => `The resource '${name}' was not found`,
    denial: (permission, resource) => `Required '${permission}' permission for '${resource}'`,
  },
  storage: {
    missing: (name) => {
      const [, bucket = "", object] = /^b\/([^/]+)(?:\/o\/(.+))?$/.exec(name) ?? [];
      return object === undefined ? "The specified bucket does not exist." : `No such object: ${bucket}/${object}`;
    },
    denial: (permission) =>
      `The caller does not have ${permission} access to the Google Cloud Storage resource. Permission ` +
      `'${permission}' denied on resource (or it may not exist).`,
  },
};

/** The methods in a form: paths after the name, verbs, query parameters and messages. */
function methodsOf({ path, test }: PolicyKind, form: PolicyForm): Partial<Record<KindMethod, MethodDescription>> {
  const isTested = test !== "-";
  if (form === "iam" || form === "iam-1") {
    const query: Record<string, QueryType> = {
      userProject: "string",
      ...(form === "iam-1" && { generation: "string" }),
    };
    const read = form === "iam" ? { ...query, optionsRequestedPolicyVersion: "int32" as const } : query;
    return {
      getIamPolicy: { verb: "GET", path: `${path}/iam`, query: read, response: "Policy" },
      setIamPolicy: { verb: "PUT", path: `${path}/iam`, query, request: "Policy", response: "Policy" },
      ...(path === BUCKET && { get: { verb: "GET", path, query: { userProject: "string" }, response: "Bucket" } }),
      ...(isTested && {
        testIamPermissions: {
          verb: "GET",
          path: `${path}/iam/testPermissions`,
          query: { ...query, permissions: "strings" },
          response: "TestIamPermissionsResponse",
        },
      }),
    };
  }
  const at = (method: PolicyMethod) => (form === "path" ? { path: `${path}/${method}` } : { path, action: method });
  const set = form === "path" ? "FlatSetIamPolicyRequest" : "SetIamPolicyRequest";
  return {
    getIamPolicy: { ...at("getIamPolicy"), ...READS[form], response: "Policy" },
    setIamPolicy: { ...at("setIamPolicy"), verb: "POST", request: set, response: "Policy" },
    ...(isTested && {
      testIamPermissions: {
        ...at("testIamPermissions"),
        verb: "POST",
        ...(test === "test" ? { request: "TestIamPermissionsRequest" } : { query: { permissions: "strings" } }),
        response: "TestIamPermissionsResponse",
      },
    }),
  };
}

/** How a read asks for a version of the policy. */
const READS = {
  get: { verb: "GET", query: { "options.requestedPolicyVersion": "int32" } },
  post: { verb: "POST", request: "GetIamPolicyRequest" },
  query: { verb: "POST", query: { "options.requestedPolicyVersion": "int32" } },
  path: { verb: "GET", query: { optionsRequestedPolicyVersion: "int32" } },
} as const;

/** The messages of google.iam.v1, which the documents of all APIs have, and a resource with nothing but a name. */
const MESSAGES: ApiDescription["messages"] = {
  ...cloudresourcemanagerV3.messages,
  FlatSetIamPolicyRequest: {
    ...cloudresourcemanagerV3.messages.SetIamPolicyRequest,
    policy: "Policy",
    bindings: "list Binding",
    etag: "bytes",
  },
  Resource: { name: "string" },
};

/** Cloud Storage's policy says what it is. */
const STORAGE_MESSAGES: ApiDescription["messages"] = {
  ...MESSAGES,
  Policy: { kind: "string", resourceId: "string", version: "int32", bindings: "list Binding", etag: "bytes" },
  TestIamPermissionsResponse: { kind: "string", permissions: "list string" },
  Bucket: { kind: "string", id: "string", name: "string", projectNumber: "int64" },
};

function kindOf(kind: PolicyKind, served: readonly ResourceType[]): Kind {
  const { service, versions, hasServicePath, path } = kind;
  const collection = collectionOf(kind);
  const own = served.find((each) => each.service === service && shapeOf(each.path) === shapeOf(path));
  const notes = { title: `${service} API`, olderErrors: hasServicePath, ...own?.apis[0]?.notes, ...NOTES[service] };
  const messages = service === "storage" ? STORAGE_MESSAGES : MESSAGES;
  const apis = versions
    .filter(({ version }) => !own?.apis.some((api) => api.version === version))
    .map(({ version, form }) => {
      const prefix = collection === "" ? "" : `${collection}.`;
      const methods = Object.entries(methodsOf(kind, form)).map(([name, method]) => [`${prefix}${name}`, method]);
      return new Api(
        { service, version, methods: Object.fromEntries(methods) as ApiDescription["methods"], messages },
        notes,
      );
    });
  const last = collection.split(".").at(-1) ?? "";
  const type = own ?? {
    service,
    apis,
    path,
    collection,
    ...(service === "storage" && path === BUCKET ? bucket : { schema: "Resource" }),
    permissions: permissionsOn(service, path, last),
    defaults: () => ({}),
    // A key ring exists if a seed has one of its keys. The name of an object may have slashes, and its parts name no objects.
    existsUnstored: (name, { config, store }) =>
      config().anyResource || (!path.includes("/{+") && store.hasWithin(service, name)),
    policyForm: versions[0]?.form,
  };
  return { type, path, apis };
}

const bucket: Pick<ResourceType, "schema" | "derived"> = {
  schema: "Bucket",
  derived: ({ name }) => {
    const id = name.replace(/^b\//, "");
    return { kind: "storage#bucket", id, name: id };
  },
};

function shapeOf(path: string): string {
  return path.replaceAll(/\{\w+\}/g, "{}");
}

/**
 * The name of the collection in the ids of methods: `projects.topics`. The APIs whose paths begin with their name have short
 * ones: `compute.instances.getIamPolicy`.
 */
function collectionOf({ fullName, hasServicePath }: PolicyKind): string {
  const words = fullName.split("/").filter((part) => !part.startsWith("{") && part !== "_");
  return hasServicePath ? (words.at(-1) ?? "") : words.filter((word) => word !== "global").join(".");
}

/** The parts of a request. The path has neither the prefix nor the service path, which only name the API. */
export interface KindRequest {
  readonly verb: string;
  readonly version: string;
  /** The path after the version, decoded, without the action. */
  readonly segments: readonly string[];
  readonly action?: string;
  /** The API, if the request names it. */
  readonly service?: Service;
}

/** The kinds of the table. */
export interface Kinds {
  /** The kinds that have only a policy. */
  readonly types: readonly ResourceType[];
  /** The methods that a request can mean: several if APIs have the same path. */
  readonly routes: (request: KindRequest) => readonly KindRoute[];
}

/** @param served the types of resources with methods of their own */
export function kindsBeside(served: readonly ResourceType[]): Kinds {
  const kinds = policyKinds.map((kind) => kindOf(kind, served));
  const byLength = new Map<number, Kind[]>();
  for (const kind of kinds) {
    const length = kind.path.split("/").length;
    byLength.set(length, [...(byLength.get(length) ?? []), kind]);
  }
  const ofAnyLength = kinds.filter(({ path }) => path.includes("{+"));
  return {
    types: kinds.map(({ type }) => type).filter((type) => !served.includes(type)),
    routes: (request) => {
      const asked = askedOf(request);
      if (asked === undefined) return [];
      const fitting = new Set([...(byLength.get(asked.name.split("/").length) ?? []), ...ofAnyLength]);
      const found = [...fitting].flatMap((kind) => routeTo(kind, asked, request) ?? []);
      // Names of any form are those of Identity-Aware Proxy, which fit every path.
      const specific = found.filter(({ method }) => method.path !== ANY_NAME);
      return specific.length > 0 ? specific : found;
    },
  };
}

const ANY_NAME = "{+resource}";

/** The method of a policy that a request asks for. */
interface Asked {
  readonly name: string;
  readonly method: KindMethod;
}

function askedOf({ verb, segments, action }: KindRequest): Asked | undefined {
  const nameOf = (after: number) => segments.slice(0, segments.length - after).join("/");
  if (isPolicyMethod(action)) return { name: nameOf(0), method: action };
  const last = segments.at(-1);
  if (action !== undefined) return undefined;
  if (isPolicyMethod(last)) return { name: nameOf(1), method: last };
  if (verb === "GET" && segments.length === BUCKET.split("/").length) return { name: nameOf(0), method: "get" };
  if (last === "iam") return { name: nameOf(1), method: verb === "PUT" ? "setIamPolicy" : "getIamPolicy" };
  const isTest = last === "testPermissions" && segments.at(-2) === "iam";
  return isTest ? { name: nameOf(2), method: "testIamPermissions" } : undefined;
}

function isPolicyMethod(text: string | undefined): text is PolicyMethod {
  return text === "getIamPolicy" || text === "setIamPolicy" || text === "testIamPermissions";
}

function routeTo(
  { type, path, apis }: Kind,
  { name, method: asked }: Asked,
  { verb, version, segments, action, service }: KindRequest,
): KindRoute | undefined {
  if (service !== undefined && service !== type.service) return undefined;
  if (!namePattern(path).test(name)) return undefined;
  // Only the name of an object or a managed folder can have a slash, which is encoded in the path.
  if (segments.some((segment) => segment.includes("/")) && !path.includes("/{+")) return undefined;
  const api = apis.find((each) => each.version === version);
  const method = api && methodIn(api, type, asked);
  if (method === undefined || method.verb !== verb || method.action !== action) return undefined;
  // `described` splits a path that ends with a fixed segment, such as `b/{bucket}/iam/testPermissions`.
  const whole = method.collection === undefined ? method.path : `${method.path}/${method.collection}`;
  return segments.join("/") === `${name}${whole.slice(path.length)}` ? { method, name: storedName(name) } : undefined;
}

const known = new WeakMap<Api, Partial<Record<KindMethod, Method>>>();

/** A method of a kind. It is made at its first request. */
function methodIn(api: Api, type: ResourceType, name: KindMethod): Method | undefined {
  const methods = known.get(api) ?? {};
  known.set(api, methods);
  const id = Object.keys(api.methods).find((each) => each.split(".").at(-1) === name);
  if (id === undefined) return undefined;
  const permission = name === "testIamPermissions" ? undefined : `${type.permissions}.${name}`;
  methods[name] ??= described(api, id, name === "get" ? getHandler(type) : policyHandlers(type)[name], permission);
  return methods[name];
}
