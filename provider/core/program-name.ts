import { createHash } from "node:crypto";

/** Names that resources in the cloud get in a program that adopts them. */

/** A grant whose name is made: of one member, or of a whole role if it has no member. */
interface NamedGrant {
  readonly role: string;
  readonly member?: string;
  readonly condition?: { readonly title: string };
}

/** A name such as `records-fhirResourceReader-ada-example-com`. It depends on the grant alone, so it never changes. */
export function grantName(resource: string, { role, member = "", condition }: NamedGrant): string {
  const shortRole = role.split("/").at(-1)?.split(".").at(-1) ?? role;
  const identity = member.replace(/^(?:\w+:)?(?:\/\/)?/, "");
  const parts = [resource.split("/").at(-1) ?? "", shortRole, identity, condition?.title ?? ""]
    .map((part) => part.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, ""))
    .filter((part) => part !== "");
  return withLetterFirst(resource, parts.join("-"));
}

/** Pulumi generates a variable of this name, and a wrong program where it begins with a digit: `fhirStore-7-days-…`. */
export function withLetterFirst(resource: string, name: string): string {
  const collection = resource.split("/").at(-2) ?? "";
  return /^\d/.test(name) ? `${collection.replace(/s$/, "")}-${name}` : name;
}

/** Eight hexadecimal digits that distinguish resources of the same name. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
