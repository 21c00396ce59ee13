import type { Method } from "../context";

export interface Route {
  method: Method;
  /** The named resource or parent, decoded, without version, collection and action. */
  name: string;
  project: string;
  location: string;
}

interface Compiled {
  method: Method;
  segments: string[];
}

/** Finds the method of a verb and a path. The first segment is the version; a colon in the last begins the action. */
export class Router {
  private readonly compiled: readonly Compiled[];

  constructor(methods: Iterable<Method>) {
    this.compiled = [...methods].map((method) => ({
      method,
      segments: [method.version, ...method.path.split("/"), ...(method.collection ? [method.collection] : [])],
    }));
  }

  /** @param path the path as sent, percent-encoded, without the query */
  match(verb: string, path: string): Route | undefined {
    const target = split(path);
    if (target === undefined) {
      return undefined;
    }
    const { segments, action } = target;
    const found = this.compiled.find(
      (candidate) =>
        candidate.method.verb === verb &&
        candidate.method.action === action &&
        candidate.segments.length === segments.length &&
        candidate.segments.every((segment, index) => segment.startsWith("{") || segment === segments[index]),
    );
    if (found === undefined) {
      return undefined;
    }
    const { method } = found;
    const named = segments.slice(1, method.collection === undefined ? undefined : -1);
    return {
      method,
      name: named.join("/"),
      project: named[1] ?? "",
      location: named[2] === "locations" ? (named[3] ?? "") : "",
    };
  }
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
