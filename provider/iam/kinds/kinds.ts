import { distance } from "fastest-levenshtein";
import { getOrCompute, once } from "../../core/once";
import { spelled, withArticle, wordsIn } from "../../core/nouns";
import { didYouMean } from "../../core/problem";
import { nameTemplate, type NameTemplate } from "../../core/reference";
import type { PolicyForm } from "../../http/client";
import type { PermissionsIn } from "../policy-api";
import { POLICY_KINDS } from "./generated/table";

/** A kind of resource with an access policy, as the discovery document of its API describes it. */
export interface PolicyKind {
  /** The API's host is `{api}.googleapis.com`. */
  readonly api: string;
  /** The path of the newest stable version, in front of the name: `v1`, `compute/v1`. */
  readonly base: string;
  readonly form: PolicyForm;
  /** Where `testIamPermissions` takes the permissions; undefined if the API has no such method for it. */
  readonly permissionsIn?: PermissionsIn;
  /** The name in the API, which the path of a request has after `base`: `b/{bucket}`. */
  readonly path: NameTemplate;
  /** The name in a full resource name, after the host: `projects/_/buckets/{bucket}`. */
  readonly names: NameTemplate;
  /** The regional hosts of the API without their domain: `{location}-run`. */
  readonly regionalHost?: string;
}

/** A resource with an access policy. */
export interface PolicyResource {
  readonly kind: PolicyKind;
  /** The name in the API: `b/my-bucket`. */
  readonly path: string;
  /** The full resource name in its only spelling: `//storage.googleapis.com/projects/_/buckets/my-bucket`. */
  readonly fullName: string;
  /** The location or region in the name; undefined for names without one. */
  readonly location?: string;
}

/**
 * Names in full resource names, where they differ from the path in the API.
 * Source: https://cloud.google.com/iam/docs/full-resource-names.
 */
const FULL_NAMES: Readonly<Record<string, string>> = {
  "storage b/{bucket}": "projects/_/buckets/{bucket}",
  "storage b/{bucket}/managedFolders/{managedFolder}": "projects/_/buckets/{bucket}/managedFolders/{managedFolder}",
  "storage b/{bucket}/o/{object}": "projects/_/buckets/{bucket}/objects/{object}",
};

/** APIs whose host in full resource names differs from the host of their requests. Source: as above. */
const FULL_NAME_APIS: Readonly<Record<string, string>> = { bigtable: "bigtableadmin" };

/** Every kind, in the order of the table. The table is read at the first call: most runs of the provider never need it. */
export const policyKinds = once((): readonly PolicyKind[] => POLICY_KINDS.trim().split("\n").map(kindOf));

const kindsByApi = once(() => {
  const kinds = new Map<string, PolicyKind[]>();
  for (const kind of policyKinds()) getOrCompute(kinds, kind.api, (): PolicyKind[] => []).push(kind);
  return kinds;
});

/** The kinds of an API; none for another word. A run asks for each grant several times. */
function kindsOf(api: string): readonly PolicyKind[] {
  return kindsByApi().get(api) ?? [];
}

function kindOf(line: string): PolicyKind {
  const [api = "", base = "", form = "", test = "", template = "", , regional = ""] = line.split(" ");
  return {
    api,
    base,
    form: form as PolicyForm,
    path: templateOf(template),
    names: templateOf(FULL_NAMES[`${api} ${template}`] ?? template),
    ...(test === "-" ? {} : { permissionsIn: test === "test-query" ? "query" : "body" }),
    ...(regional === "-" ? {} : { regionalHost: regional }),
  };
}

/** Any name: Identity-Aware Proxy has names of many forms. */
export const ANY_NAME = "{+resource}";
const ONE_SEGMENT = nameTemplate("{segment}");

function templateOf(template: string): NameTemplate {
  if (template !== ANY_NAME) return nameTemplate(template);
  return {
    template,
    parse: (name) => (name.split("/").every((segment) => ONE_SEGMENT.parse(segment)) ? { resource: name } : undefined),
    format: ({ resource = "" }) => resource,
  };
}

/** With its article, for messages: "a topic", "an access policy". */
export function nounOf({ path: { template } }: PolicyKind): string {
  const variable = /\{(\w+)\}$/.exec(template)?.[1] ?? "resource";
  return withArticle(spelled(wordsIn(variable)));
}

/** The domain of Google's own APIs, which full resource names have in every cloud universe. */
const DOMAIN = "googleapis.com";

/** The full resource name for the name of a resource in an API: `//pubsub.googleapis.com/projects/p/topics/t`. */
export function fullNameIn(api: string, name: string): string {
  return `//${api}.${DOMAIN}/${name}`;
}

const FULL_NAME = /^(?:https?:)?\/\/([^/]+)\/(.+)$/;

/** What the texts of a run name: a run asks for each grant several times. */
const named = new Map<string, PolicyResource | string>();

/**
 * The resource that a full resource name means, or a URL of it: `//pubsub.googleapis.com/projects/p/topics/t`,
 * `https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/i`.
 *
 * @returns the resource, or why the text names none, as a phrase after the property: "must be …".
 */
export function policyResource(text: string): PolicyResource | string {
  return getOrCompute(named, text, () => findResource(text));
}

function findResource(text: string): PolicyResource | string {
  const [, host, rest = ""] = FULL_NAME.exec(text) ?? [];
  if (host === undefined) return withoutHost(text);
  const api = apiOfHost(host.toLowerCase(), rest);
  const kinds = kindsOf(api ?? "");
  if (kinds.length === 0) {
    const hosts = [...new Set(policyKinds().map((kind) => `${kind.api}.${DOMAIN}`))];
    return `has the host ${host}, which is no API with access policies${didYouMean(host, hosts)}`;
  }
  const path = withoutVersion(rest, kinds);
  const name = text.startsWith("http") ? decoded(path) : path;
  for (const kind of kinds) {
    const found = foundIn(kind, name);
    if (found) return found;
  }
  return `${NEEDED}: ${api}.${DOMAIN} has no kind of resource with the name ${name}${nearest(name, kinds)}`;
}

const NEEDED = "must be the full name of a resource with an access policy, //{api}.googleapis.com/{name}";

/** The resources that a relative name could mean, one for each API that has such a name. */
export function resourcesNamed(name: string): PolicyResource[] {
  return withOwnNames().flatMap((kind) => foundIn(kind, name) ?? []);
}

/** The resources of the same API that contain this one and have a policy, from the nearest outwards: the key ring of a key. */
export function containersIn(api: string, path: string): PolicyResource[] {
  const kinds = kindsOf(api).filter((each) => each.path.template !== ANY_NAME);
  const parts = path.split("/");
  return parts.flatMap((_part, index) => {
    const name = parts.slice(0, -1 - index).join("/");
    return kinds.flatMap((each) => foundIn(each, name) ?? []).slice(0, 1);
  });
}

/** The kinds whose names have a form of their own. */
function withOwnNames(): PolicyKind[] {
  return policyKinds().filter(({ path }) => path.template !== ANY_NAME);
}

/** A relative name belongs to an API: the message shows the full names that it could mean. */
function withoutHost(text: string): string {
  // The name of an API, or its host without slashes, in front of a name: `pubsub/projects/p/topics/t`.
  const [, first = "", rest = ""] = /^([\w.-]+)\/(.+)$/.exec(text) ?? [];
  const kinds = kindsOf(apiOfHost(first.includes(".") ? first : `${first}.${DOMAIN}`, rest) ?? "");
  if (kinds.length > 0) {
    const [found] = kinds.flatMap((each) => foundIn(each, rest) ?? []);
    return `${NEEDED}${found === undefined ? nearest(rest, kinds) : ` (did you mean "${found.fullName}"?)`}`;
  }
  const fitting = resourcesNamed(text).map(({ fullName }) => fullName);
  if (fitting.length === 0) return `${NEEDED}${nearest(text, withOwnNames(), text.length / 2)}`;
  const some = fitting.slice(0, 3).map((each) => `"${each}"`);
  return `${NEEDED} (did you mean ${some.join(" or ")}${fitting.length > some.length ? ", or of another API" : ""}?)`;
}

/** `pubsub` of `pubsub.googleapis.com`, of its regional hosts, and of `www.googleapis.com/compute/…`. */
function apiOfHost(host: string, rest: string): string | undefined {
  if (!host.endsWith(`.${DOMAIN}`)) return undefined;
  const label = host.slice(0, -DOMAIN.length - 1);
  const first = label === "www" ? (rest.split("/")[0] ?? "") : label;
  // `pubsub`, `pubsub.us-east1.rep`, `pubsub.mtls`, `us-east1-run`.
  const names = [first.split(".")[0] ?? "", first.split("-").at(-1) ?? ""].map((each) => FULL_NAME_APIS[each] ?? each);
  return names.find((each) => kindsOf(each).length > 0);
}

/** The name without the path that a URL has in front of it: `compute/v1/`, `v1/`. */
function withoutVersion(rest: string, kinds: readonly PolicyKind[]): string {
  const service = kinds.map(({ base }) => base.split("/")).find((parts) => parts.length > 1)?.[0];
  const path = service !== undefined && rest.startsWith(`${service}/`) ? rest.slice(service.length + 1) : rest;
  return path.replace(/^(?:v\d\w*|alpha|beta)\//, "");
}

function foundIn(kind: PolicyKind, name: string): PolicyResource | undefined {
  const inBucket = variableInBucket(kind);
  const variables = inBucket ? valuesInBucket(inBucket, name) : (kind.names.parse(name) ?? kind.path.parse(name));
  if (!variables) return undefined;
  const location = variables.location ?? variables.region;
  return {
    kind,
    // In the path of a request, a slash in the name of an object must not separate segments.
    path: kind.path.format(
      inBucket ? { ...variables, [inBucket]: (variables[inBucket] ?? "").replaceAll("/", "%2F") } : variables,
    ),
    fullName: fullNameIn(hostLabel(kind), kind.names.format(variables)),
    ...(location === undefined ? {} : { location }),
  };
}

/** `bigtable` of the full names of the API `bigtableadmin`. */
function hostLabel({ api }: PolicyKind): string {
  return Object.keys(FULL_NAME_APIS).find((each) => FULL_NAME_APIS[each] === api) ?? api;
}

/** What is in a bucket has a name that may have slashes and blanks, after one of these words. */
const IN_BUCKET: Readonly<Record<string, readonly string[]>> = {
  object: ["objects", "o"],
  managedFolder: ["managedFolders"],
};

function variableInBucket({ api, path: { template } }: PolicyKind): string | undefined {
  return api === "storage" ? Object.keys(IN_BUCKET).find((each) => template.endsWith(`/{${each}}`)) : undefined;
}

/**
 * The variables of the name of an object or of a managed folder. The name of a folder is a path that ends with a slash, and the
 * methods for its policy take it without this slash, too
 * (https://cloud.google.com/storage/docs/json_api/v1/managedFolders/getIamPolicy): it is left out.
 */
function valuesInBucket(variable: string, name: string): Record<string, string> | undefined {
  const [, bucket, word = "", own = ""] =
    /^(?:projects\/_\/buckets|b)\/([^/\s]+)\/(\w+)\/([^\p{Cc}\p{Cs}]+)$/u.exec(name) ?? [];
  const value = variable === "managedFolder" ? own.replace(/\/+$/, "") : own;
  if (bucket === undefined || value === "" || !IN_BUCKET[variable]?.includes(word)) return undefined;
  return { bucket, [variable]: value };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** ` (did you mean …?)` with the full name that is nearest to a name; empty if the nearest has more differences than `most`. */
function nearest(name: string, kinds: readonly PolicyKind[], most = Infinity): string {
  const segments = name.split("/");
  const scored = kinds.map((kind) => {
    const { template } = kind.names;
    const filled = template.split("/").map((part, index) => (part.startsWith("{") ? (segments[index] ?? part) : part));
    return { fullName: fullNameIn(hostLabel(kind), template), score: distance(name, filled.join("/")) };
  });
  const [best] = scored.sort((left, right) => left.score - right.score);
  return best && best.score <= most ? ` (did you mean "${best.fullName}"?)` : "";
}
