import { useLayoutEffect, useState } from "preact/hooks";

/** The route of the page: the part of its address after `#`. */
export interface Route {
  page: string;
  parameters: URLSearchParams;
}

export function link(page: string, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${page}${query === "" ? "" : `?${query}`}`;
}

export function currentRoute(): Route {
  const [page = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { page: page === "" ? "resources" : page, parameters: new URLSearchParams(query) };
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  // A layout effect runs before the next event. An effect runs later, and would miss a change in between.
  useLayoutEffect(() => {
    const follow = (): void => setRoute(currentRoute());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}

/** Changes the address without a new entry in the browser's history, e.g. while the user types. */
export function replaceRoute(page: string, parameters: Record<string, string>): void {
  history.replaceState(null, "", link(page, parameters));
  dispatchEvent(new HashChangeEvent("hashchange"));
}
