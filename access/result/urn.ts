/** The name of a resource in its program. */
export function shortNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::") || urn;
}

/** The name of a stack in a review of several: `network/prod`. */
export function stackLabel({ stack = "", project = "" }: { stack?: string; project?: string }): string {
  return `${project}/${stack}`;
}

/** The stack and the project of resources, by the first URN that names them. Empty without one. */
export function stackIn(resources: ReadonlyArray<{ urn: string }>): { stack?: string; project?: string } {
  const [, stack, project] = resources.map(({ urn }) => /^urn:pulumi:(.+?)::(.+?)::/s.exec(urn)).find(Boolean) ?? [];
  return stack === undefined || project === undefined ? {} : { stack, project };
}

/** `urn:pulumi:{stack}::{project}::{types of the parents$}{type}::{name}`. */
export function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}
