import { getOrCompute } from "../../provider/core/once";
import { isRecord, type Values } from "../../provider/core/unknown";
import { isBridged, isOfOtherProvider, isView, viewIn } from "../result/packages";
import { capitalized } from "../result/visible";
import { bridgedNameOf } from "./gcp-types";
import { AUDIT_CONFIG, FOREIGN_KINDS, GRANT, QUIET_KINDS, type ForeignKind } from "./foreign-rows";

/** What a type of another provider means for access. */

export { GRANT, type ForeignKind } from "./foreign-rows";

/** By the short form of a type in lower case, because that of Terraform's names differs. */
const byType = new Map<string, ForeignKind[]>();
for (const kind of FOREIGN_KINDS) {
  for (const type of kind.types ?? []) {
    const bridged = type.startsWith("gcp:") ? [`google:${bridgedNameOf(type.slice("gcp:".length))}`] : [];
    for (const each of [type, ...bridged]) getOrCompute(byType, each.toLowerCase(), () => []).push(kind);
  }
}

/** The IAM kinds of Config Connector: https://cloud.google.com/config-connector/docs/reference/overview */
const CONFIG_CONNECTOR: ForeignKind = {
  what: "a resource of Config Connector for IAM",
  source: "https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iampolicymember",
};
const CONFIG_CONNECTOR_TYPES =
  /^kubernetes:(iam\.cnrm\.cloud\.google\.com\/|\w+\.cnrm\.cloud\.google\.com\/.*(AccessControl|BigQueryDataset|IAM\w*)$)/;
const UNDECIDED: ForeignKind = {
  what: "a resource that may decide about access",
  source: "https://cloud.google.com/iam/docs/overview",
};

/**
 * What a type of another provider means for access, one kind for each group of its inputs; empty for types that mean nothing. A type
 * of Google Cloud that no row has, and whose name or module sounds like access, counts too.
 */
export function foreignKindsOf(type: string): readonly ForeignKind[] {
  const short = shortTypeOf(type);
  const known = byType.get(short.toLowerCase());
  if (known) return known;
  if (CONFIG_CONNECTOR_TYPES.test(type)) return [CONFIG_CONNECTOR];
  const form = OTHER_CLOUDS.test(type) ? undefined : grantFormOf(type);
  if (form) return [form === "auditconfig" ? AUDIT_CONFIG : GRANT];
  const isOfGoogleCloud = isOfOtherProvider(type) || isView(type);
  return isOfGoogleCloud && soundsLikeAccess(short) ? [UNDECIDED] : [];
}

/** Packages of other clouds. In any other package, the end of a name such as `TopicIamMember` is that of a grant. */
const OTHER_CLOUDS =
  /^((aws|azure|alicloud|oci|ibm|yandex|scaleway|digitalocean|vault)(-\w+)*|[^:]+:tf:(aws|azure|azurerm|azuread)_\w+)(:|$)/;

/** Modules with nothing but decisions about access. */
const MODULES =
  /^(iam|iap|accesscontextmanager|orgpolicy|privilegedaccessmanager|cloudidentity|oslogin|firebaserules)\//;
const NAMES =
  /iam|acl(?![a-z])|access(?!Connector)|policybinding|rbac(?!kup)|role(?!out)|grant|permission|member|principal|authoriz|authz|perimeter|boundary|entitle|user|signedurlkey|hmac|apikey|credential|creds|sshpublickey|identity|ruleset|datapolic/i;
/** Services whose own names sound so. Types of Terraform's provider begin with the name of their service. */
const HARMLESS_SERVICES = /^(agentidentity|binaryauthorization|identityplatform)/i;
const QUIET = QUIET_KINDS.flatMap(({ types }) => types);

/** @param short short form: `gcp:iap/Brand`, `google:IapBrand` */
export function soundsLikeAccess(short: string): boolean {
  const name = short.slice(short.indexOf(":") + 1);
  const own = name.slice(name.indexOf("/") + 1).replace(HARMLESS_SERVICES, "");
  // The name of a type of Terraform has that of its service in front.
  const isQuiet = name.includes("/") ? QUIET.includes(own) : QUIET.some((each) => own.endsWith(each));
  return !isQuiet && (MODULES.test(name) || NAMES.test(own));
}

/** Whether a resource has an access list, which is deleted with it. @param values of its state */
export function hasAccessList(type: string, values: Values = {}): boolean {
  return foreignKindsOf(type).some(
    ({ hasAccessList: has, listEndsWith = [] }) => has && !listEndsWith.some((path) => isSet(values, path)),
  );
}

/** Whether other resources can be in a resource when it is deleted. @param values of its state */
export function canBeFull(type: string, values: Values): boolean {
  return !foreignKindsOf(type).some(({ isEmptyWithout: name }) => name !== undefined && !isSet(values, [name]));
}

/** Terraform's blocks are lists of one. */
function isSet(values: Values, path: readonly string[]): boolean {
  const found = path.reduce<unknown>((value, name) => {
    const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
    return isRecord(one) ? one[name] : undefined;
  }, values);
  return found === true;
}

const GRANT_END = /Iam(Member|Binding|Policy|AuditConfig)$/i;
type GrantForm = "member" | "binding" | "policy" | "auditconfig";

/** What a grant owns: its member, its role, the whole policy, or the audit configuration. Undefined for all other types. */
export function grantFormOf(type: string): GrantForm | undefined {
  return GRANT_END.exec(shortTypeOf(type))?.[1]?.toLowerCase() as GrantForm | undefined;
}

/** The name of a type without the form of its grant: `Topic` for `TopicIAMMember`. */
export function withoutGrantForm(name: string): string {
  return name.replace(/Remove$/, "").replace(GRANT_END, "");
}

/**
 * A type without its version and its repeated name: `gcp:projects/IAMCustomRole` for
 * `gcp:projects/iAMCustomRole:IAMCustomRole`, `google-native:iam/Role` for `google-native:iam/v1:Role`, `google:ProjectIamCustomRole`
 * for `google-beta:index/projectIamCustomRole:ProjectIamCustomRole` and for a view of `google_project_iam_custom_role`.
 */
export function shortTypeOf(type: string): string {
  const view = viewIn(type);
  if (view !== undefined) return `google:${view.slice("google_".length).split("_").map(capitalized).join("")}`;
  const [provider = "", place = "", name = ""] = type.split(":");
  const [module = ""] = place.split("/");
  return isBridged(type) ? `google:${name}` : `${provider}:${module}/${name}`;
}
