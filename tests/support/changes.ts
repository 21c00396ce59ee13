/** The POST requests that only read, in every form of an API. */
export const READ_BY_POST = /[:/](getIamPolicy|testIamPermissions|queryGrantableRoles)(\?|$)/;

/** The requests that change something in the cloud. */
export function changesAmong<R extends { method: string; path: string }>(requests: readonly R[]): R[] {
  return requests.filter(({ method, path }) => method !== "GET" && !READ_BY_POST.test(path));
}
