/** The name of a resource in its program. */
export function shortNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::") || urn;
}

/** The name of a stack in a review of several: `network/prod`. */
export function stackLabel({ stack = "", project = "" }: { stack?: string; project?: string }): string {
  return `${project}/${stack}`;
}

/** The label of the stack of a resource. */
export function stackLabelIn(urn: string): string {
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/s.exec(urn) ?? [];
  return stackLabel({ stack, project });
}

/** `urn:pulumi:{stack}::{project}::{types of the parents$}{type}::{name}`. */
export function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}
