import { SERVICES, type Service } from "../base/api";
import type { Method } from "../services/method";

export interface Route {
  method: Method;
  /** The possible APIs: several if they share a path and the request does not select one. */
  services: readonly Service[];
  /** The resource or parent in the path, decoded, without version, collection and action. */
  name: string;
  /** Empty if the path names an organization. */
  project: string;
  location: string;
}

/** Distinguishes APIs with the same paths. */
export interface Hints {
  /** The API that the host name or the prefix of the path names. */
  service?: Service;
  /** The API of an existing resource or operation, by its name. */
  ownerOf?: (name: string) => Service | undefined;
}

const VERSION = /^v\d+((alpha|beta)\d*)?$/;

/**
 * Finds the method for an HTTP verb and a path. The first segment is the version, and a colon in the last segment begins the
 * action. If the path starts with several versions, the last one counts: clients with a version in their base path send such
 * paths.
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

  /** @param path the path as sent: percent-encoded, without the query and without the prefix of the API */
  match(verb: string, path: string, { service, ownerOf }: Hints = {}): Route | undefined {
    // Terraform sends some collections with a slash at the end. Resources do not have it.
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

/**
 * The key of a route: verb, action and the fixed segments of the path. Every second segment is a name, which the key ignores.
 */
function keyOf(verb: string, segments: readonly string[], action: string | undefined): string {
  const words = segments.map((segment, index) => (index === 0 || index % 2 === 1 ? segment : "*"));
  return `${verb} ${words.join("/")}:${action ?? ""}`;
}

function withOneVersion(segments: readonly string[]): readonly string[] {
  const first = segments.findIndex((segment, index) => !VERSION.test(segments[index + 1] ?? ""));
  return VERSION.test(segments[0] ?? "") && first > 0 ? segments.slice(first) : segments;
}

/** Replaces the number of a project in the route by the id of the project. */
export function byProjectId(route: Route, projectNumbers: Readonly<Record<string, string>>): Route {
  const id = Object.hasOwn(projectNumbers, route.project) ? projectNumbers[route.project] : undefined;
  if (id === undefined) {
    return route;
  }
  return { ...route, project: id, name: route.name.replace(/^projects\/[^/]+/, () => `projects/${id}`) };
}

/**
 * The decoded segments and the action of a path; undefined for an impossible path. Each segment is decoded separately. An
 * encoded slash makes the path unknown.
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

/** The host names of the APIs, and their equivalents below `localhost`. */
const HOST = new RegExp(
  `^(?<service>${SERVICES.join("|")})(\\.([a-z0-9-]+\\.rep|mtls)\\.googleapis\\.com|\\.googleapis\\.com|\\.localhost)$`,
);

/**
 * The API in a Host header such as `networksecurity.googleapis.com` or `networksecurity.localhost:8790`; undefined for any
 * other host.
 */
export function serviceOfHost(host: string | undefined): Service | undefined {
  const name = (host ?? "").toLowerCase().replace(/:\d+$/, "");
  return HOST.exec(name)?.groups?.service as Service | undefined;
}

/** Splits a path such as `/networksecurity/v1/projects/p` into the API in its first segment and the rest. */
export function splitPrefix(path: string): { service?: Service; path: string } {
  const service = SERVICES.find((name) => path.startsWith(`/${name}/`));
  return service === undefined ? { path } : { service, path: path.slice(service.length + 1) };
}
