import { SERVICES, type Service } from "../base/api";
import type { Method } from "../services/method";

export interface Route {
  method: Method;
  /** The APIs that may be meant: several where their paths collide and nothing tells them apart. */
  services: readonly Service[];
  /** The named resource or parent, decoded, without version, collection and action. */
  name: string;
  /** Empty where the path names an organization. */
  project: string;
  location: string;
}

/** What tells APIs apart whose paths are the same. */
export interface Hints {
  /** The API that the host name or the prefix of the path names. */
  service?: Service;
  /** The API that a name belongs to, for a resource or operation that exists. */
  ownerOf?: (name: string) => Service | undefined;
}

const VERSION = /^v\d+((alpha|beta)\d*)?$/;

/**
 * Finds the method of a verb and a path. The first segment is the version; a colon in the last begins the action. Of
 * several versions at the start the last counts, because clients with a version in their base path send them.
 */
export class Router {
  private readonly methods = new Map<string, Method[]>();

  constructor(methods: Iterable<Method>) {
    for (const method of methods) {
      const segments = [
        method.api.version,
        ...method.path.split("/"),
        ...(method.collection ? [method.collection] : []),
      ];
      const key = keyOf(method.verb, segments, method.action);
      this.methods.set(key, [...(this.methods.get(key) ?? []), method]);
    }
  }

  /** @param path the path as sent, percent-encoded, without the query and without a prefix that names the API */
  match(verb: string, path: string, { service, ownerOf }: Hints = {}): Route | undefined {
    // Terraform ends the path of some collections with a slash; a resource has none.
    const slashed = path.endsWith("/");
    const target = split(slashed ? path.slice(0, -1) : path);
    if (target === undefined) {
      return undefined;
    }
    const { action } = target;
    const segments = withOneVersion(target.segments);
    const found = this.methods.get(keyOf(verb, segments, action)) ?? [];
    const candidates = service === undefined ? found : found.filter((method) => method.api.service === service);
    const [first] = candidates;
    if (first === undefined || (slashed && first.collection === undefined)) {
      return undefined;
    }
    const named = segments.slice(1, first.collection === undefined ? undefined : -1);
    const name = named.join("/");
    const owner = candidates.length > 1 ? ownerOf?.(name) : undefined;
    return {
      method: candidates.find((method) => method.api.service === owner) ?? first,
      services: candidates.map((method) => method.api.service as Service),
      name,
      project: named[0] === "projects" ? (named[1] ?? "") : "",
      location: named[2] === "locations" ? (named[3] ?? "") : "",
    };
  }
}

/** Verb, action and the words of a path: names stand at every second place, and any name fits. */
function keyOf(verb: string, segments: readonly string[], action: string | undefined): string {
  const words = segments.map((segment, index) => (index === 0 || index % 2 === 1 ? segment : "*"));
  return `${verb} ${words.join("/")}:${action ?? ""}`;
}

function withOneVersion(segments: readonly string[]): readonly string[] {
  const first = segments.findIndex((segment, index) => !VERSION.test(segments[index + 1] ?? ""));
  return VERSION.test(segments[0] ?? "") && first > 0 ? segments.slice(first) : segments;
}

/** The route with the project by its id, where the request names the project by its number. */
export function byProjectId(route: Route, projectNumbers: Readonly<Record<string, string>>): Route {
  const id = Object.hasOwn(projectNumbers, route.project) ? projectNumbers[route.project] : undefined;
  if (id === undefined) {
    return route;
  }
  return { ...route, project: id, name: route.name.replace(/^projects\/[^/]+/, () => `projects/${id}`) };
}

/**
 * The decoded segments and the action of a path; undefined for one that no method can have. Each segment is decoded by
 * itself, and an encoded slash in it makes the path unknown.
 */
function split(path: string): { segments: string[]; action: string | undefined } | undefined {
  if (!path.startsWith("/")) {
    return undefined;
  }
  const raw = path.slice(1).split("/");
  const last = raw[raw.length - 1] ?? "";
  const colon = last.lastIndexOf(":");
  if (colon >= 0) {
    raw[raw.length - 1] = last.slice(0, colon);
  }
  const segments: string[] = [];
  for (const segment of raw) {
    let decoded: string;
    try {
      decoded = decodeURIComponent(segment);
    } catch {
      return undefined;
    }
    if (decoded === "" || decoded.includes("/")) {
      return undefined;
    }
    segments.push(decoded);
  }
  return { segments, action: colon < 0 ? undefined : last.slice(colon + 1) };
}

/** Names of hosts that the six APIs answer under, and the same below `localhost`. */
const HOST = new RegExp(
  `^(?<service>${SERVICES.join("|")})(\\.([a-z0-9-]+\\.rep|mtls)\\.googleapis\\.com|\\.googleapis\\.com|\\.localhost)$`,
);

/**
 * The API that a Host header names, such as `networksecurity.googleapis.com` or `networksecurity.localhost:8790`;
 * undefined for any other host, which names none.
 */
export function serviceOfHost(host: string | undefined): Service | undefined {
  const name = (host ?? "").toLowerCase().replace(/:\d+$/, "");
  return HOST.exec(name)?.groups?.service as Service | undefined;
}

/** Splits a path into the API that its first segment names, as in `/networksecurity/v1/projects/p`, and the rest. */
export function splitPrefix(path: string): { service?: Service; path: string } {
  const service = SERVICES.find((name) => path.startsWith(`/${name}/`));
  return service === undefined ? { path } : { service, path: path.slice(service.length + 1) };
}
