import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { policyKinds, type PolicyKind } from "../../provider/iam/kinds/kinds";
import { apiNamed } from "../../access/meaning/api-names";
import { table } from "./markdown";

/**
 * The types of `@pulumi/gcp` that grant access, from the installed package: on which resource each of them is, as a name with
 * the type's own inputs in it. `make generate` writes the module that the review reads, and the page for people.
 */

const PACKAGE = dirname(require.resolve("@pulumi/gcp/package.json"));
const { version: VERSION } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string };

/** The grants of one kind of resource. */
interface GrantTypes {
  /** `pubsub/topic`. The part after the slash is empty if the types have no other name: `gcp:projects/iAMMember:IAMMember`. */
  name: string;
  /** Types without their repeated name: `gcp:pubsub/topicIAMMember`. */
  types: string[];
  inputs: string[];
  /** The forms in which the documentation of the import has the resource, such as `projects/{{project}}/topics/{{name}}`. */
  imports: string[];
  /**
   * Whether the package documents the input `condition`. The provider then reads the policy in version 3, with its conditions. For the
   * others it sends no `requestedPolicyVersion`, so the API leaves the conditions out. The generator of the provider decides both
   * (`iam_conditions_request_type` in magic-modules).
   */
  hasConditions: boolean;
}

/** A kind of resource with its types; with the reason if it is not known on which resource they are. */
export type ResolvedTypes = GrantTypes & ({ api: string; template: string } | { why: string });

/** The inputs of a grant that do not name its resource. */
const GRANTED = "role member members condition policyData auditLogConfigs".split(" ");

/** The API of single kinds of a module. */
const API_OF: Readonly<Record<string, string>> = {
  "bigquery/connection": "bigqueryconnection",
  "bigquery/datapolicyv2DataPolicy": "bigquerydatapolicy",
  "dataproc/metastoreDatabase": "metastore",
  "dataproc/metastoreFederation": "metastore",
  "dataproc/metastoreService": "metastore",
  "dataproc/metastoreTable": "metastore",
};

/**
 * Names of resources that the documentation of the types has in no form, in another spelling, or by an input that has a part of
 * the name. Source: the examples of each type at https://www.pulumi.com/registry/packages/gcp/api-docs/.
 */
const NAMES: Readonly<Record<string, string>> = {
  "apigee/environment": "organizations/{orgId}/environments/{envId}",
  "bigtable/instance": "projects/{project}/instances/{instance}",
  "bigtable/table": "projects/{project}/instances/{instanceName}/tables/{table}",
  "billing/account": "billingAccounts/{billingAccountId}",
  "clouddeploy/customTargetType": "projects/{project}/locations/{location}/customTargetTypes/{name}",
  "clouddeploy/deliveryPipeline": "projects/{project}/locations/{location}/deliveryPipelines/{name}",
  "clouddeploy/target": "projects/{project}/locations/{location}/targets/{name}",
  "datacatalog/policyTag": "projects/{project}/locations/{location}/taxonomies/{taxonomy}/policyTags/{policyTag}",
  "dataform/repository": "projects/{project}/locations/{region}/repositories/{repository}",
  "dataproc/cluster": "projects/{project}/regions/{region}/clusters/{cluster}",
  "dataproc/job": "projects/{project}/regions/{region}/jobs/{jobId}",
  "folder/": "folders/{folder}",
  "healthcare/consentStore": "{+dataset}/consentStores/{consentStoreId}",
  "healthcare/dataset": "projects/{project}/locations/{location}/datasets/{datasetId}",
  "healthcare/dicomStore": "projects/{project}/locations/{location}/datasets/{dataset}/dicomStores/{dicomStoreId}",
  "healthcare/fhirStore": "projects/{project}/locations/{location}/datasets/{dataset}/fhirStores/{fhirStoreId}",
  "healthcare/hl7Store": "projects/{project}/locations/{location}/datasets/{dataset}/hl7V2Stores/{hl7V2StoreId}",
  "kms/cryptoKey": "projects/{project}/locations/{location}/keyRings/{keyRing}/cryptoKeys/{cryptoKeyId}",
  "kms/keyRing": "projects/{project}/locations/{location}/keyRings/{keyRingId}",
  "logging/logView": "{+parent}/locations/{location}/buckets/{bucket}/views/{name}",
  "organizations/": "organizations/{orgId}",
  "projects/": "projects/{project}",
  "pubsub/subscription": "projects/{project}/subscriptions/{subscription}",
  "securesourcemanager/instance": "projects/{project}/locations/{location}/instances/{instanceId}",
  "serviceaccount/": "projects/{project}/serviceAccounts/{serviceAccountId}",
  "servicedirectory/namespace": "projects/{project}/locations/{location}/namespaces/{name}",
  "servicedirectory/service": "projects/{project}/locations/{location}/namespaces/{namespace}/services/{name}",
  "spanner/database": "projects/{project}/instances/{instance}/databases/{database}",
  "spanner/instance": "projects/{project}/instances/{instance}",
  "storage/managedFolder": "b/{bucket}/managedFolders/{+managedFolder}",
  "vertex/aiEndpoint": "projects/{project}/locations/{location}/endpoints/{endpoint}",
  "vertex/aiFeatureOnlineStoreFeatureview": "{+featureOnlineStore}/featureViews/{featureView}",
  "vertex/aiFeatureStoreEntityType": "{+featurestore}/entityTypes/{entitytype}",
  "workbench/instance": "projects/{project}/locations/{location}/instances/{name}",
};

/** Kinds whose grants are not in an access policy of their own. */
const NO_POLICY: Readonly<Record<string, string>> = {
  "bigquery/dataset": "they are entries of the dataset's access list, which is no access policy",
};

const NO_KIND = "no discovery document has an access policy for this kind";

/** All types of the package that grant access, by the kind of resource. */
export function gcpGrantTypes(): ResolvedTypes[] {
  return [...readTypes().values()]
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map((each) => {
      const why = NO_POLICY[each.name];
      if (why !== undefined) return { ...each, why };
      const template = NAMES[each.name] ?? templateIn(each);
      const api = template === undefined ? undefined : apiOf(each.name, template);
      return template === undefined || api === undefined ? { ...each, why: NO_KIND } : { ...each, api, template };
    });
}

const GRANT_FILE = /iam(member|binding|policy|auditconfig)\.d\.ts$/i;
const GRANT_TYPE = /^gcp:(\w+)\/(\w*?)i(?:am|AM)(Member|Binding|Policy|AuditConfig)$/i;

function readTypes(): Map<string, GrantTypes> {
  const all = new Map<string, GrantTypes>();
  const files = readdirSync(PACKAGE, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((each) => GRANT_FILE.test(each)).sort()) {
    const code = readFileSync(join(PACKAGE, file.replace(/\.d\.ts$/, ".js")), "utf8");
    const type = /__pulumiType = '([^':]+:[^':]+):/.exec(code)?.[1] ?? "";
    const [, module, stem] = GRANT_TYPE.exec(type) ?? [];
    if (module === undefined) continue;
    const name = `${module}/${stem}`;
    const text = readFileSync(join(PACKAGE, file), "utf8");
    const known = all.get(name) ?? { name, types: [], inputs: [], imports: [], hasConditions: false };
    all.set(name, {
      name,
      types: [...known.types, type],
      inputs: [...new Set([...known.inputs, ...inputsIn(text)])],
      imports: [...known.imports, ...importsIn(text)],
      hasConditions: known.hasConditions || /\*\/\s*readonly condition:/.test(text),
    });
  }
  return all;
}

function inputsIn(text: string): string[] {
  const [, body = ""] = /export interface \w+Args \{(.*?)\n\}/s.exec(text) ?? [];
  const names = [...body.replaceAll(/\/\*.*?\*\//gs, "").matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = ""]) => name);
  return names.filter((name) => !GRANTED.includes(name));
}

function importsIn(text: string): string[] {
  const [, section = ""] = text.split("## Import");
  return [...section.matchAll(/^ \* \* `?([^\s`]*\{\{[^\s`]*)/gm)].map(([, form = ""]) => form);
}

/** The first form in the documentation, with the type's inputs as its variables. Undefined if a variable has no input. */
function templateIn({ inputs, imports: [form] }: GrantTypes): string | undefined {
  const variables = [...(form?.matchAll(/\{\{(\w+)\}\}/g) ?? [])].map(([, name = ""]) => camelCase(name));
  const rest = inputs.filter((name) => !variables.includes(name));
  // The documentation calls the last input `name`, whatever the type calls it.
  const inputOf = (name: string) =>
    inputs.includes(name) ? name : name === "name" && rest.length === 1 ? rest[0] : "";
  if (form === undefined || variables.some((name) => !inputOf(name))) return undefined;
  return form.replaceAll(/\{\{(\w+)\}\}/g, (_match, name: string) => `{${inputOf(camelCase(name))}}`);
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** The API that has a policy for resources with such names. */
function apiOf(name: string, template: string): string | undefined {
  const [module = ""] = name.split("/");
  const api = API_OF[name] ?? apiNamed(module);
  return policyKinds().find((kind) => kind.api === api && isOf(kind, template))?.api;
}

function isOf({ path, names }: PolicyKind, template: string): boolean {
  return [path.template, names.template].some((each) => {
    if (each === "{+resource}") return true;
    const parts = each.split("/").reverse();
    const own = template.split("/").reverse();
    const isOpen = own.at(-1)?.startsWith("{+") === true;
    if (isOpen ? parts.length <= own.length : parts.length !== own.length) return false;
    return own.every((part, at) => part.startsWith("{+") || parts[at]?.startsWith("{") || part === parts[at]);
  });
}

/** The module that the review reads: one line for each kind of resource, with its API and its name. */
export function gcpTypesModule(): string {
  const rows = gcpGrantTypes().flatMap((each) => {
    if (!("api" in each)) return [];
    const { name, api, template, hasConditions } = each;
    return [[name, api, template, ...(hasConditions ? ["conditions"] : [])].join(" ")];
  });
  return [
    `// Generated by \`make generate\` from @pulumi/gcp ${VERSION}. Do not edit.`,
    "",
    "/**",
    " * One line for each kind of resource with grants: module and name of its types, API, and the name of the resource, with inputs",
    " * in braces. A variable that is no input is part of the last input's value. `conditions`: the provider reads the policy with them.",
    " */",
    `export const GCP_GRANTS = \`\n${rows.join("\n")}\n\`;`,
    "",
  ].join("\n");
}

/** docs/gcp-types.md */
export function gcpTypesPage(): string {
  const all = gcpGrantTypes();
  const count = (some: readonly ResolvedTypes[]) => some.flatMap(({ types }) => types).length;
  const known = all.filter((each) => "api" in each);
  const rows = all.map((each) => [
    each.types.map((type) => `\`${type}\``).join(", "),
    "api" in each ? `\`//${each.api}.googleapis.com/${each.template}\`` : `not followed: ${each.why}`,
  ]);
  return [
    "# The grants of @pulumi/gcp that a review follows",
    "",
    `<!-- Generated by \`make generate\` from @pulumi/gcp ${VERSION}. Do not edit. -->`,
    "",
    `Of the ${count(all)} types of @pulumi/gcp ${VERSION} that grant access, on ${all.length} kinds of resources, a`,
    `[review](review-gcp.md) follows ${count(known)} (${Math.floor((count(known) / count(all)) * 100)} %): it finds the resource by`,
    "the grant's id in the state, or by its inputs. The second column is the name of the resource. A variable that is not an",
    "input is a part of the value of another input, such as the dataset of a FHIR store.",
    "",
    "<!-- prettier-ignore-start -->",
    "",
    table(["Types", "Resource"], rows).trimEnd(),
    "",
    "<!-- prettier-ignore-end -->",
    "",
  ].join("\n");
}
