import { FULL_NAME_HOSTS } from "../../base/full-name-hosts";
import type { Author, OperationView, RequestRecord, Resource } from "./types";

/** The full resource name of a resource: `//pubsub.googleapis.com/projects/p/topics/t`. */
export function fullNameOf({ service, name }: Pick<Resource, "service" | "name">): string {
  const host = Object.keys(FULL_NAME_HOSTS).find((each) => FULL_NAME_HOSTS[each] === service) ?? service;
  return `//${host}.googleapis.com/${name}`;
}

/** The API and the name in its paths, of a full resource name; the API is undefined for any other name. */
export function splitName(given: string): { service?: string; name: string } {
  const [, host, name = given] = /^\/\/([^./]+)\.googleapis\.com\/(.+)$/.exec(given) ?? [];
  return host === undefined ? { name } : { service: FULL_NAME_HOSTS[host] ?? host, name };
}

/** The parts of the name of a resource, for display. */
export interface NameParts {
  /** `projects/demo`, `organizations/1` or `folders/1`. */
  owner: string;
  location: string;
  /** e.g. `datasets.fhirStores` */
  collection: string;
  /** The ids below the location, e.g. `clinic / records`. */
  id: string;
}

export function nameParts(given: string): NameParts {
  const [kind = "", owner = "", ...below] = splitName(given).name.split("/");
  // A project, a folder, an organization or a role is a resource itself; the roles of a project have no location.
  const [location = "", rest] = placeIn(below);
  if (below.length === 0) {
    rest.push(kind, owner);
  }
  return {
    owner: [kind, owner].filter((part) => part !== "").join("/"),
    location,
    collection: rest.filter((_part, index) => index % 2 === 0).join("."),
    id: rest.filter((_part, index) => index % 2 === 1).join(" / "),
  };
}

/** The location in a name, and what is below it. Resources of Compute Engine are in zones and regions, or global. */
function placeIn(below: readonly string[]): [location: string | undefined, rest: string[]] {
  const [first = "", second] = below;
  if (first === "global") return [first, below.slice(1)];
  return ["locations", "zones", "regions"].includes(first) ? [second, below.slice(2)] : ["", [...below]];
}

/** The known parts of `demo-project / API Gateway / gateways`. */
export function placeText(name: string, service: string): string {
  const { owner, collection, id } = nameParts(name);
  const parts = id === "" ? [] : [owner.replace(/^projects\//, ""), serviceTitle(service), collection];
  return parts.filter((part) => part !== "").join(" / ");
}

/** The path and query of a request. Some parameters can be omitted. */
export function withQuery(
  { path, query }: Pick<RequestRecord, "path" | "query">,
  isWanted: (parameter: { name: string; value: string }) => boolean = () => true,
): string {
  const pairs = Object.entries(query)
    .flatMap(([name, values]) => [values].flat().map((value) => ({ name, value })))
    .filter(isWanted)
    .map(({ name, value }): [string, string] => [name, value]);
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
}

/** The path of a method of an access policy, in each form of the APIs. */
const POLICY_PATH =
  /\/(?:v\d\w*|alpha|beta)\/(.+?)(?:[:/](?:getIamPolicy|setIamPolicy|testIamPermissions)|\/iam(?:\/testPermissions)?)$/;

/**
 * The resource of a request: the resource that it names or creates, or the target of its operation. undefined if there is no
 * single resource, e.g. for a list.
 */
export function resourceOfRequest(
  { method, path, query }: Pick<RequestRecord, "method" | "path" | "query">,
  operations: ReadonlyMap<string, Pick<OperationView, "target">>,
): string | undefined {
  const [, ofPolicy] = POLICY_PATH.exec(path) ?? [];
  if (ofPolicy !== undefined) {
    return decoded(ofPolicy);
  }
  const sent = /\/v\d\w*\/(.+?)(?::\w+)?$/.exec(path)?.[1];
  const name = sent === undefined ? undefined : decoded(sent);
  const parts = name?.split("/") ?? [];
  const operation = operations.get(name ?? "");
  if (operation !== undefined) {
    return operation.target;
  }
  const isAbove = parts.length === 2 || (parts.length === 4 && parts[2] === "roles");
  if (name === undefined || (parts.length < 5 && !isAbove)) {
    return undefined;
  }
  if (parts.length % 2 === 0) {
    return parts.at(-2) === "operations" ? undefined : name;
  }
  const [, id] = Object.entries(query).find(([key]) => key.endsWith("Id") && key !== "requestId") ?? [];
  return method === "POST" && typeof id === "string" ? `${name}/${id}` : undefined;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Titles of the APIs by service. `main.tsx` reads them from the page. */
export const apiTitles: Record<string, string> = {};

/** e.g. `GKE Hub` */
export function serviceTitle(service: string): string {
  return apiTitles[service]?.replace(/ API$/, "") ?? service;
}

/** The state of a resource in the word of its API, if it has a state. */
export function stateOf({ body }: Resource): string | undefined {
  const { state } = body;
  if (typeof state === "string") {
    return state;
  }
  const code = typeof state === "object" && state !== null && !Array.isArray(state) ? state.code : undefined;
  return typeof code === "string" ? code : undefined;
}

export function labelsOf({ body }: Resource): Array<[string, string]> {
  const { labels } = body;
  return typeof labels === "object" && labels !== null && !Array.isArray(labels)
    ? Object.entries(labels).map(([key, value]): [string, string] => [key, typeof value === "string" ? value : ""])
    : [];
}

export type Tone = "good" | "bad" | "warn" | "busy" | "calm";

export function stateTone(state: string): Tone {
  if (/^(ACTIVE|READY|RUNNING|COMPLETED)$/.test(state)) {
    return "good";
  }
  if (/FAILED|ORPHAN/.test(state)) {
    return "bad";
  }
  return /ING$/.test(state) ? "busy" : "calm";
}

export function operationTone(state: OperationView["state"]): Tone {
  return ({ running: "busy", succeeded: "good", failed: "bad", deleted: "calm" } as const)[state];
}

/** A short text for the author of a change. */
export function authorText(author: Author | undefined): string {
  switch (author?.by) {
    case "request":
      return clientName(author.userAgent);
    case "control":
      return "a control request";
    case "seed":
      return "the seed";
    case "restart":
      return "an earlier run";
    default:
      return "unknown";
  }
}

/** Clients whose user agent begins with other products. */
const CLIENTS = [
  /gcloud\/[\w.-]+/i,
  /Terraform\/[\w.-]+/i,
  /pulumi-perimeter\/[\w.-]+/i,
  /google-api-nodejs-client\/[\w.-]+/i,
];

/** A short name of the client, from its user agent. */
export function clientName(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent === "") {
    return "no user agent";
  }
  const known = CLIENTS.map((pattern) => pattern.exec(userAgent)?.[0]).find((found) => found !== undefined);
  return known ?? userAgent.split(" ")[0] ?? userAgent;
}
