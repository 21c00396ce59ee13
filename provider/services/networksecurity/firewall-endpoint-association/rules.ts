import { validate as isUuid } from "uuid";
import * as z from "zod";
import type { WithUnknowns } from "../../../core/typed";
import { segment } from "../../shared/fields";

/** The rules of the inputs. What the API certainly refuses is a problem of the check; what it may refuse, a warning of the preview. */

const LONGEST_ID = 63;

/** docs/wire.md section 6: 1 to 63 characters, `[a-z]([-a-z0-9]*[a-z0-9])?`. Ids that the server makes are UUIDs. */
export function associationId(): z.ZodString {
  return z
    .string()
    .min(1, "must not be empty")
    .max(LONGEST_ID, `must have at most ${LONGEST_ID} characters`)
    .regex(/^[a-z0-9-]*$/, "must consist of lowercase letters, digits and `-`");
}

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
          params: { quoted: false },
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

/** Regions such as `us-central1`, and what is larger: no association lives there (docs/wire.md section 6). */
const LARGER_THAN_A_ZONE = /^(?:global|us|eu|asia|[a-z]+(?:-[a-z]+)+\d+)$/;

/** The name of a zone. New zones may have names of another form, so the check refuses only what is certainly no zone. */
export function zone(): z.ZodString {
  return segment().refine(
    (text) => !LARGER_THAN_A_ZONE.test(text),
    "must be a zone, the one of the firewall endpoint, such as us-central1-a: associations do not live in regions",
  );
}

export function looksLikeZone(location: string): boolean {
  return /^[a-z]+(?:-[a-z]+)+\d+-[a-z]+\d*[a-z]?$/.test(location);
}

/** The inputs that are looked at. */
interface Doubtful {
  firewallEndpointAssociationId?: string;
  location: string;
}

/** What the API may refuse, a line for each. No value is quoted: it may be a secret. */
export function doubtsAbout({ firewallEndpointAssociationId: id, location }: WithUnknowns<Doubtful>): string[] {
  const doubts: string[] = [];
  if (typeof id === "string" && !isUuid(id) && !/^[a-z](?:.*[a-z0-9])?$/.test(id)) {
    doubts.push(
      "firewallEndpointAssociationId should begin with a letter and end with a letter or digit: the API may refuse it",
    );
  }
  if (typeof location === "string" && !looksLikeZone(location)) {
    doubts.push("location does not look like a zone, such as us-central1-a: the API may refuse it");
  }
  return doubts;
}
