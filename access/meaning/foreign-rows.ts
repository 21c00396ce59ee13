import { IAM, type ForeignKind } from "./foreign-kind";
import { OF_GRANT } from "./members";
import { IDENTITIES } from "./rows/identities";
import { LISTS } from "./rows/lists";
import { POLICIES } from "./rows/policies";
import { SETTINGS } from "./rows/settings";

/** The types of other providers that change who has access in Google Cloud: grants, and what moves access without being one. */

/** The grants of every service, such as `gcp:pubsub/topicIAMMember:TopicIAMMember`. */
export const GRANT: ForeignKind = {
  what: "a grant",
  source: `${IAM}/granting-changing-revoking-access`,
  members: OF_GRANT,
};
export const AUDIT_CONFIG: ForeignKind = {
  what: "a configuration of audit logs",
  source: "https://cloud.google.com/logging/docs/audit/configure-data-access",
  isOfLogs: true,
};

/**
 * Google's Terraform provider has the same types as `@pulumi/gcp` (`bridgedNameOf`): here are only those with other names. Where a type
 * has two rows, the list that it has comes before its settings.
 */
export const FOREIGN_KINDS: readonly ForeignKind[] = [...LISTS, ...POLICIES, ...IDENTITIES, ...SETTINGS];
