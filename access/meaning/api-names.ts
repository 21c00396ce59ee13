import { once } from "../../provider/core/once";
import { policyKinds } from "../../provider/iam/kinds/kinds";
import { FOREIGN_KINDS } from "./foreign-rows";
import { bridgedNameOf, gcpResourceKeys } from "./gcp-types";
import { GCP, isBridged, isOfOtherProvider, isView, NATIVE, packageOf, viewIn } from "../result/packages";

/**
 * APIs by the names that other packages have for them, where these differ: modules of `@pulumi/gcp`, beginnings of the types of
 * Google's Terraform provider, and its settings of endpoints, without the version at their end.
 */
const API_NAMES: Readonly<Record<string, string>> = {
  activedirectory: "managedidentities",
  backupdisasterrecovery: "backupdr",
  bigqueryanalyticshub: "analyticshub",
  bigtable: "bigtableadmin",
  billing: "cloudbilling",
  certificateauthority: "privateca",
  clouddomains: "domains",
  cloudrun: "run",
  colab: "aiplatform",
  configdeployment: "config",
  databasemigrationservice: "datamigration",
  dataprocmetastore: "metastore",
  endpoints: "servicemanagement",
  folder: "cloudresourcemanager",
  iambeta: "iam",
  iamworkforcepool: "iam",
  identityplatform: "identitytoolkit",
  integrationconnectors: "connectors",
  kms: "cloudkms",
  networkconnectivityv: "networkconnectivity",
  organization: "cloudresourcemanager",
  organizations: "cloudresourcemanager",
  parametermanagerregional: "parametermanager",
  project: "cloudresourcemanager",
  projects: "cloudresourcemanager",
  resourcemanager: "cloudresourcemanager",
  secretmanagerregional: "secretmanager",
  serviceaccount: "iam",
  tags: "cloudresourcemanager",
  vertex: "aiplatform",
  vertexai: "aiplatform",
  workbench: "notebooks",
};

/** The API of such a name: `run` for `cloudRunV2`. */
export function apiNamed(name: string): string {
  const plain = name.toLowerCase().replace(/v?\d+$/, "");
  return API_NAMES[plain] ?? plain;
}

/** The names with which types of an API can begin, the longest first. */
const names = once(() => {
  const apis = policyKinds().map(({ api }) => api);
  const all = new Set([...apis, ...Object.keys(API_NAMES), ...services()]);
  return [...all].sort((left, right) => right.length - left.length);
});

/** The services of the types that mean something, in the names of Google's Terraform provider: `kms`, `serviceaccount`, `project`. */
const services = once(() => {
  const listed = FOREIGN_KINDS.flatMap(({ types = [] }) => types.filter((type) => packageOf(type) === GCP));
  const keys = [...listed.map((type) => type.slice(`${GCP}:`.length)), ...gcpResourceKeys()];
  return new Set(keys.map((key) => bridgedNameOf(`${key.split("/")[0]}/`)));
});

/** Whether the names of types in Google's Terraform provider begin with this word for their service. */
export function isService(word: string): boolean {
  return services().has(word);
}

/**
 * A type's service and name in one word, in lower case: `pubsubtopic` for `gcp:pubsub/topic:Topic`, `google:index/pubsubTopic:PubsubTopic`
 * and a view of `google_pubsub_topic`.
 */
function joinedName(type: string): string {
  const [, place = "", name = ""] = type.split(":");
  const view = viewIn(type)?.slice("google_".length).replaceAll("_", "");
  return (view ?? (isBridged(type) ? name : (place.split("/")[0] ?? "") + name)).toLowerCase();
}

/** Whether the name of a type can be that of a resource of an API. */
export function isTypeOfApi(type: string, api: string): boolean {
  const joined = joinedName(type);
  if (packageOf(type) === NATIVE) return type.split(/[:/]/)[1] === api;
  return names().some((name) => joined.startsWith(name) && (name === api || API_NAMES[name] === api));
}

/** The API of a type of another package, as far as its name says it; the package itself where it is none for Google Cloud. */
export function apiOfType(type: string): string {
  if (!isOfOtherProvider(type) && !isView(type)) return packageOf(type);
  const [, place = "", name = ""] = type.split(":");
  const [module = ""] = place.split("/");
  if (packageOf(type) === NATIVE) return module;
  const joined = joinedName(type);
  if (/^(?:projects?|organizations?)iamcustomrole$/.test(joined)) return "iam";
  const known = names().find((each) => joined.startsWith(each));
  const first = viewIn(type)?.split("_")[1] ?? (isBridged(type) ? name.replace(/(?<=[a-z0-9])[A-Z].*/, "") : module);
  return known === undefined ? first.toLowerCase() : apiNamed(known);
}
