/** The name of a resource in its program. */
export function shortNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::") || urn;
}

/** The project and the stack of a resource: `network/prod`. */
export function stackIn(urn: string): string {
  const [, stack = "", project = ""] = /^urn:pulumi:(.*?)::(.*?)::/s.exec(urn) ?? [];
  return `${project}/${stack}`;
}

/** `urn:pulumi:{stack}::{project}::{types of the parents$}{type}::{name}`. */
export function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}
