import * as z from "zod";
import { expectedReference, parseReference, type ReferenceKind } from "../../core/reference";

/** A string that names a resource of this kind: its relative name, or a full URL of it. */
export function referenceTo(kind: ReferenceKind): z.ZodString {
  return z
    .string()
    .refine((text) => parseReference(kind, text) !== undefined, `must be the name of ${expectedReference(kind)}`);
}
