import * as z from "zod";
import { field } from "../../core/field";
import { expectedReference, parseReference, segmentProblem, type ReferenceKind } from "../../core/reference";
import { textOf } from "../../core/unknown";

/** An argument that all lookups share: the location in the name of the resource (docs/wire.md section 1). */
export const location = () => field(segment(), "Location of the resource, such as `us-central1` or `global`.");

/** An input of resources and an argument of lookups: the project in the name of the resource (docs/wire.md section 1). */
export const project = () =>
  field(oneProject(), "Project of the resource, its id or number. Default: the provider's default project.", {
    defaultFrom: "project",
  });

/** Some lists of Google's APIs take `-` for all projects. What they name there cannot be read or imported. */
function oneProject(): z.ZodString {
  return segment().refine((text) => text !== "-", "must be the id or number of a project");
}

/** One part of a resource name. */
export function segment(): z.ZodString {
  return z.string().refine((text) => segmentProblem(text) === undefined, {
    error: ({ input }) => segmentProblem(textOf(input)),
  });
}

/** An output: a timestamp, which is a string (docs/wire.md section 1). */
export const timestamp = (description: string) => field(z.string(), `${description} RFC 3339 in UTC.`);

/** A string that names a resource of this kind: its relative name, or a full URL of it. */
export function referenceTo(kind: ReferenceKind): z.ZodString {
  return z
    .string()
    .refine((text) => parseReference(kind, text) !== undefined, `must be the name of ${expectedReference(kind)}`);
}
