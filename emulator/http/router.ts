import { SERVICES, type Service } from "../base/api";
import { nameWithProjectId, SERVICE_PATHS } from "../base/policy-kinds";
import type { KindRequest, KindRoute } from "../services/kinds";
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

  /** @param kindRoutes finds the methods of access policies that are not in the list */
  constructor(
    methods: Iterable<Method>,
    private readonly kindRoutes: (request: KindRequest) => readonly KindRoute[] = () => [],
  ) {
    for (const method of methods) {
      const segments = [
        method.api.version,
        ...(method.path === "" ? [] : method.path.split("/")),
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
    const candidates = [
      ...this.listed(verb, segments, action).filter(({ method }) => !slashed || method.collection !== undefined),
      ...(slashed
        ? []
        : this.kindRoutes({ verb, version: segments[0] ?? "", segments: segments.slice(1), action, service })),
    ].filter(({ method }) => service === undefined || method.api.service === service);
    const [first] = candidates;
    if (first === undefined) {
      return undefined;
    }
    const owner = candidates.length > 1 ? ownerOf?.(first.name) : undefined;
    const { method, name } = candidates.find((each) => each.method.api.service === owner) ?? first;
    const named = name.split("/");
    return {
      method,
      services: candidates.map((each) => each.method.api.service as Service),
      name,
      project: named[0] === "projects" ? (named[1] ?? "") : "",
      location: named[2] === "locations" ? (named[3] ?? "") : "",
    };
  }

  /** The methods of the list, and the name in the path. */
  private listed(verb: string, segments: readonly string[], action: string | undefined): KindRoute[] {
    if (segments.some((segment) => segment.includes("/"))) return [];
    return (this.methods.get(keyOf(verb, segments, action)) ?? []).map((method) => {
      return { method, name: segments.slice(1, method.collection === undefined ? undefined : -1).join("/") };
    });
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
  const name = nameWithProjectId(route.name, projectNumbers);
  return name === route.name ? route : { ...route, project: name.split("/")[1] ?? "", name };
}

/**
 * The decoded segments and the action of a path; undefined for an impossible path. Each segment is decoded separately, so
 * that it can contain a slash, which was encoded.
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
    if (decoded === "") {
      return undefined;
    }
    segments.push(decoded);
  }
  return { segments, action: colon < 0 ? undefined : last.slice(colon + 1) };
}

/** The host names of the APIs, and their equivalents below `localhost`. */
const HOST = new RegExp(
  `^([a-z0-9-]+-)?(?<service>${SERVICES.join("|")})(\\.([a-z0-9-]+\\.rep|mtls)\\.googleapis\\.com|\\.googleapis\\.com|\\.localhost)$`,
);

/**
 * The API in a Host header such as `networksecurity.googleapis.com` or `networksecurity.localhost:8790`; undefined for any
 * other host.
 */
export function serviceOfHost(host: string | undefined): Service | undefined {
  const name = (host ?? "").toLowerCase().replace(/:\d+$/, "");
  return HOST.exec(name)?.groups?.service as Service | undefined;
}

/**
 * Splits a path into the API that it or the host names, and the rest from the version on. A path names the API by a prefix,
 * `/networksecurity/v1/projects/p`. The paths of some APIs begin with their name anyway: `/compute/v1/projects/p`, and with
 * the prefix `/compute/compute/v1/projects/p`.
 */
export function splitPrefix(path: string, host?: string): { service?: Service; path: string } {
  const first = /^\/([a-z0-9]+)\//.exec(path)?.[1];
  const service = SERVICES.find((name) => name === first);
  if (service === undefined) return { service: serviceOfHost(host), path };
  const rest = path.slice(service.length + 1);
  const isTwice = SERVICE_PATHS.has(service) && rest.startsWith(`/${service}/`);
  return { service, path: isTwice ? rest.slice(service.length + 1) : rest };
}
