import { PACKAGE_NAME } from "../../provider/core/definition";
import { getOrCompute } from "../../provider/core/once";
import { isRecord, textOf, type Values } from "../../provider/core/unknown";
import type { PolicyKind } from "../../provider/iam/kinds/kinds";
import {
  connectorKindIn,
  GCP,
  isBridged,
  isOfOtherProvider,
  isView,
  NATIVE,
  viewIn,
  type OtherProvider,
} from "../result/packages";
import { groupedBy } from "../result/order";
import { capitalized } from "../result/visible";
import { bridgedNameOf, gcpGrantOf, type GcpResourceName, type GrantForm, type ResourceKind } from "./gcp-types";
import { ANY_MEMBER, GRANT_KINDS, isGrant } from "./grant-kinds";
import { NAMED_BY_INPUTS } from "./names-by-inputs";
import { nativeKindNamed, resourceKindOf } from "./resource-kinds";
import type { ForeignKind } from "./foreign-kind";
import { AUDIT_CONFIG, FOREIGN_KINDS, GRANT } from "./foreign-rows";
import { OF_ANY, OF_CONFIG_CONNECTOR } from "./members";
import { CONTAINERS, STAYING, type StayingType } from "./rows/deleted";
import { QUIET_KINDS } from "./rows/quiet";

export type { ForeignKind } from "./foreign-kind";
export { GRANT } from "./foreign-rows";

/** What a type of a package means for access. */
export interface Meaning {
  /** The grant that it is, if a rehearsal can carry it out. */
  grant?: GrantMeaning;
  /** What it decides, one kind for each group of its inputs. Empty for types that mean nothing; `GRANT` is one of those of a grant. */
  kinds: readonly ForeignKind[];
  /** The resource that it is, if that has an access policy or contains some. Where no row has the type, only its id says so. */
  resource?: ResourceKind;
  /** The resource whose access it decides about, where its inputs name that. */
  on?: ResourceKind;
  /** What says that its delete leaves the resource and its access policy in the cloud. */
  stays?: StayingType;
}

/** A type of grant of an API that the provider knows. */
export interface GrantMeaning {
  /** The token of the provider's own resource, as `Provider` takes it. */
  token: string;
  /** The front that declares it: the plugin, the npm front, or another provider. */
  front: "plugin" | "npm" | OtherProvider;
  /** Of another provider: its types for one member, for all members of a role, and for the whole policy. */
  form?: GrantForm;
  /** Of google-native: the kind of resource, if its grants have no type of their own here. */
  kind?: PolicyKind;
  /** Of `@pulumi/gcp`: how its inputs name the resource. */
  named?: GcpResourceName;
}

/** What components mean, whatever their types are called. */
export const MEANS_NOTHING: Meaning = { kinds: [] };

const known = new Map<string, Meaning>();

/** What a type of any package means for access. A stack has many resources of few types. */
export function meaningOf(type: string): Meaning {
  return getOrCompute(known, type, () => {
    const [grant, kinds, resource] = [grantOf(type), kindsOf(type), resourceKindOf(type)];
    const short = shortTypeOf(type).toLowerCase();
    const [[stays], [on]] = [stayingByType.get(short) ?? [], namedByType.get(short) ?? []];
    return {
      ...(grant && { grant }),
      kinds: grant && !kinds.includes(GRANT) ? [...kinds, GRANT] : kinds,
      ...(resource && { resource }),
      ...(on && { on }),
      ...(stays && { stays }),
    };
  });
}

const NPM_PREFIX = "pulumi-nodejs:dynamic/";

/**
 * A type of google-native has its API, version and name: `google-native:healthcare/v1beta1:DatasetFhirStoreIamMember`. All versions have
 * the same policies.
 */
const NATIVE_GRANT = /^google-native:([^/:]+)\/[^/:]+:(\w+?)Iam(Member|Binding|Policy)$/;

function grantOf(type: string): GrantMeaning | undefined {
  if (isGrant(type)) return { token: type, front: "plugin" };
  if (type.startsWith(NPM_PREFIX)) {
    const token = `${PACKAGE_NAME}:${type.slice(NPM_PREFIX.length)}`;
    return isGrant(token) ? { token, front: "npm" } : undefined;
  }
  const gcp = gcpGrantOf(type);
  if (gcp) return { token: ANY_MEMBER, form: gcp.form, named: gcp.name, front: GCP };
  const [, api, resource, suffix] = NATIVE_GRANT.exec(type) ?? [];
  if (suffix === undefined) return undefined;
  const native: Pick<GrantMeaning, "front" | "form"> = { front: NATIVE, form: suffix.toLowerCase() as GrantForm };
  const own = GRANT_KINDS.find(
    ({ definition: { service, name } }) => service.api === api && name === `${resource}IamMember`,
  );
  if (own) return { token: own.token, ...native };
  const kind = nativeKindNamed(api, resource);
  return kind && { token: ANY_MEMBER, ...native, kind };
}

/** Rows by the short forms of their types in lower case, because that of Terraform's names differs. */
function rowsByType<Row extends Pick<ForeignKind, "types">>(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  const entries = rows.flatMap((row) =>
    (row.types ?? []).flatMap((type) => {
      const bridged = type.startsWith("gcp:") ? [`google:${bridgedNameOf(type.slice("gcp:".length))}`] : [];
      return [type, ...bridged].map((each) => ({ row, type: each.toLowerCase() }));
    }),
  );
  const found = [...groupedBy(entries, ({ type }) => type)];
  return new Map(found.map(([type, all]) => [type, all.map(({ row }) => row)]));
}

/** The key of a type in these tables. Most kinds of Config Connector have the name of Terraform's type. */
function tableKeyOf(type: string): string {
  const kind = connectorKindIn(type);
  return (kind === undefined ? shortTypeOf(type) : `google:${kind}`).toLowerCase();
}

const byType = rowsByType(FOREIGN_KINDS);
const containersByType = rowsByType(CONTAINERS);
const namedByType = rowsByType(NAMED_BY_INPUTS);
const stayingByType = rowsByType(STAYING);

/** A kind of Config Connector that is about access: https://cloud.google.com/config-connector/docs/reference/overview */
const CONFIG_CONNECTOR: ForeignKind = {
  what: "a resource of Config Connector for IAM",
  source: "https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iampolicymember",
  members: OF_CONFIG_CONNECTOR,
};
/** The row of a Terraform type for a kind of Config Connector, which has the same inputs in `spec`. What its steps do is unknown. */
function inSpec({ isEntry: _e, isList: _l, ends: _n, ...row }: ForeignKind): ForeignKind {
  const { inputs, members } = row;
  return {
    ...row,
    ...(inputs && { inputs: inputs.map((path) => ["spec", ...[path].flat()]) }),
    ...(members && { members: members.map((each) => ({ ...each, in: ["spec", each.in ?? []].flat().join(".") })) }),
  };
}

const UNDECIDED: ForeignKind = {
  what: "a resource that may decide about access",
  source: "https://cloud.google.com/iam/docs/overview",
  members: OF_ANY,
};

/**
 * What a type of another provider means for access, one kind for each group of its inputs; empty for types that mean nothing. A type
 * of Google Cloud that no row has, and whose name or module sounds like access, counts too.
 */
function kindsOf(type: string): readonly ForeignKind[] {
  const short = shortTypeOf(type);
  const listed = byType.get(tableKeyOf(type));
  const isOfConnector = connectorKindIn(type) !== undefined;
  if (listed) return isOfConnector ? listed.map(inSpec) : listed;
  if (isOfConnector) return soundsLikeAccess(short) ? [CONFIG_CONNECTOR] : [];
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
const HARMLESS_SERVICES = /^(agentidentity|binaryauthorization|identityplatform|gkehub)/i;
const QUIET = QUIET_KINDS.flatMap(({ types }) => types);

/** @param short short form: `gcp:iap/Brand`, `google:IapBrand`, `kubernetes:iap.cnrm.cloud.google.com/IAPBrand` */
function soundsLikeAccess(short: string): boolean {
  const name = short.slice(short.indexOf(":") + 1).replace(".cnrm.cloud.google.com/", "/");
  const own = name.slice(name.indexOf("/") + 1).replace(HARMLESS_SERVICES, "");
  // The name of a type of Terraform has that of its service in front.
  const isQuiet = name.includes("/") ? QUIET.includes(own) : QUIET.some((each) => own.endsWith(each));
  return !isQuiet && (MODULES.test(name) || NAMES.test(own));
}

/** Whether a resource has an access list, which is deleted with it. @param values of its state */
export function hasAccessList(type: string, values: Values = {}): boolean {
  return meaningOf(type).kinds.some(
    ({ hasAccessList: has, ends = [] }) => has && !ends.some(({ of, path }) => of === "lists" && isSet(values, path)),
  );
}

/** Where the documentation says that the delete of a resource leaves it in the cloud. @param values of its state */
export function sourceOfStaying({ stays }: Meaning, values: Values): string | undefined {
  const { source, only } = stays ?? {};
  return only === undefined || hasOneOf(values, only) ? source : undefined;
}

/** Whether what decides about access is deleted with a resource, whatever its name is. @param values of its state */
export function isContainer(type: string, values: Values): boolean {
  const rows = containersByType.get(tableKeyOf(type)) ?? [];
  return rows.some(({ unless }) => unless === undefined || !hasOneOf(values, unless));
}

function hasOneOf(values: Values, { input, values: all }: NonNullable<StayingType["only"]>): boolean {
  return all.includes(textOf(values[input]));
}

/** Whether other resources can be in a resource when it is deleted. @param values of its state */
export function canBeFull(type: string, values: Values): boolean {
  return !meaningOf(type).kinds.some(({ isEmptyWithout: name }) => name !== undefined && !isSet(values, [name]));
}

function isSet(values: Values, path: readonly string[]): boolean {
  return valueAt(values, path) === true;
}

/**
 * The value at a path. A list of one item counts as the item, because Terraform's blocks are such lists.
 *
 * @param stays whether a value on the way that is not an object is the result, such as a hidden value; otherwise it is undefined
 */
export function valueAt(
  values: Values | undefined,
  path: readonly string[],
  stays: (value: unknown) => boolean = () => false,
): unknown {
  return path.reduce<unknown>((value, name) => {
    const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
    return isRecord(one) ? one[name] : stays(one) ? one : undefined;
  }, values);
}

const GRANT_END = /Iam(Member|Binding|Policy|AuditConfig)$/i;

/** What a grant owns: its member, its role, the whole policy, or the audit configuration. Undefined for all other types. */
export function grantFormOf(type: string): GrantForm | "auditconfig" | undefined {
  return GRANT_END.exec(shortTypeOf(type))?.[1]?.toLowerCase() as GrantForm | "auditconfig" | undefined;
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
