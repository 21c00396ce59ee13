import { z } from "zod";
import { field } from "../../core/field";

/** Spec section 2.1: the arguments that all lookups share. */
export const location = () => field(segment(), "Location of the resource, such as `us-central1` or `global`.");

export const project = () =>
  field(
    segment().optional(),
    "Project of the resource, its id or number. When omitted, the provider's default project is supplied.",
    { defaultFrom: "project" },
  );

/** One part of a resource name (wire reference section 1: `[^/]+`). */
export function segment(): z.ZodString {
  return z
    .string()
    .min(1, "must not be empty")
    .regex(
      /^[^/?#{}\s\p{Cc}]*$/u,
      "must be one part of a resource name, without slashes, blanks, control characters, `?`, `#` or braces",
    )
    .regex(/^(?!\.\.?$)/, "must be one part of a resource name, and not `.` or `..`, which a URL takes for folders");
}

/** Output: a timestamp. Spec section 2: "Timestamps are strings". */
export const timestamp = (description: string) => field(z.string(), `${description} RFC 3339 in UTC.`);

const MOST_LABELS = 64;
const LABEL_KEY = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u;
const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u;

/** Labels by the cloud's label rules: https://cloud.google.com/resource-manager/docs/labels-overview#requirements */
export function labelMap(): z.ZodRecord<z.ZodString, z.ZodString> {
  return z.record(z.string(), z.string()).superRefine((labels, context) => {
    const entries = Object.entries(labels);
    if (entries.length > MOST_LABELS) {
      context.addIssue({ code: "custom", message: `must have at most ${MOST_LABELS} labels, has ${entries.length}` });
    }
    for (const [key, value] of entries) {
      if (!LABEL_KEY.test(key)) {
        context.addIssue({
          code: "custom",
          path: [key],
          message:
            "has a key that is no label key: 1 to 63 lowercase letters, digits, `_` and `-`, beginning with a letter",
        });
      }
      if (!LABEL_VALUE.test(value)) {
        context.addIssue({
          code: "custom",
          path: [key],
          message: "must be a label value: up to 63 lowercase letters, digits, `_` and `-`",
        });
      }
    }
  });
}
