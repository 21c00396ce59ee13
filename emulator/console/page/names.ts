import type { Author, OperationView, Resource } from "./types";

/** A full resource name, taken apart for reading. */
export interface NameParts {
  /** `projects/demo` or `organizations/1`. */
  owner: string;
  location: string;
  /** e.g. `datasets.fhirStores` */
  collection: string;
  /** The ids below the location, e.g. `clinic / records`. */
  id: string;
}

export function nameParts(name: string): NameParts {
  const [kind = "", owner = "", , location = "", ...rest] = name.split("/");
  return {
    owner: `${kind}/${owner}`,
    location,
    collection: rest.filter((_part, index) => index % 2 === 0).join("."),
    id: rest.filter((_part, index) => index % 2 === 1).join(" / "),
  };
}

const SERVICE_TITLES: Readonly<Record<string, string>> = {
  gkehub: "GKE Hub",
  eventarc: "Eventarc",
  apigateway: "API Gateway",
  networksecurity: "Network Security",
  datamigration: "Database Migration",
  healthcare: "Cloud Healthcare",
};

export function serviceTitle(service: string): string {
  return SERVICE_TITLES[service] ?? service;
}

/** The state of a resource in its API's own word, if it has one. */
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

/** Who did it, in a few words. */
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

/** Clients that put other products before their own. */
const CLIENTS = [
  /gcloud\/[\w.-]+/i,
  /Terraform\/[\w.-]+/i,
  /pulumi-perimeter\/[\w.-]+/i,
  /google-api-nodejs-client\/[\w.-]+/i,
];

/** Who a user agent says that it is, in short. */
export function clientName(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent === "") {
    return "no user agent";
  }
  const known = CLIENTS.map((pattern) => pattern.exec(userAgent)?.[0]).find((found) => found !== undefined);
  return known ?? userAgent.split(" ")[0] ?? userAgent;
}
