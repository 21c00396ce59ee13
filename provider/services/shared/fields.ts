import * as z from "zod";
import { field } from "../../core/field";
import { expectedReference, parseReference, type ReferenceKind } from "../../core/reference";

/** An argument that all lookups share (spec section 2.1). */
export const location = () => field(segment(), "Location of the resource, such as `us-central1` or `global`.");

/** An input of resources and an argument of lookups (spec section 2.1). */
export const project = () =>
  field(segment(), "Project of the resource, its id or number. Default: the provider's default project.", {
    defaultFrom: "project",
  });

/** One part of a resource name (docs/wire.md section 1: `[^/]+`). */
export function segment(): z.ZodString {
  return z
    .string()
    .min(1, "must not be empty")
    .regex(
      /^[^/?#{}\s\p{Cc}]*$/u,
      "must be one part of a resource name, without slashes, blanks, control characters, `?`, `#` or braces",
    )
    .regex(/^(?!\.\.?$)/, "must be one part of a resource name, and not `.` or `..`, which mean folders in a URL");
}

/** An output: a timestamp, which is a string (spec section 2). */
export const timestamp = (description: string) => field(z.string(), `${description} RFC 3339 in UTC.`);

/** A string that names a resource of this kind: its relative name, or a full URL of it. */
export function referenceTo(kind: ReferenceKind): z.ZodString {
  return z
    .string()
    .refine((text) => parseReference(kind, text) !== undefined, `must be the name of ${expectedReference(kind)}`);
}
